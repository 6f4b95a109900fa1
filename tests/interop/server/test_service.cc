#include "tests/interop/server/test_service.h"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "grpc/testing/test_service.pb.h"

namespace tollbridge::interop {
namespace {

namespace asio = boost::asio;
using Call = std::shared_ptr<wire::ServerCall>;
using grpc::testing::SimpleRequest;
using grpc::testing::SimpleResponse;
using grpc::testing::StreamingInputCallRequest;
using grpc::testing::StreamingInputCallResponse;
using grpc::testing::StreamingOutputCallRequest;
using grpc::testing::StreamingOutputCallResponse;

constexpr const char* kInitial = "x-grpc-test-echo-initial";
constexpr const char* kTrailing = "x-grpc-test-echo-trailing-bin";

wire::Metadata Echoed(const wire::ServerCall& call, const char* name) {
  const std::string* const value = call.FindMetadata(name);
  return value == nullptr ? wire::Metadata{} : wire::Metadata{{name, *value}};
}

void End(wire::ServerCall& call, const wire::CallStatus& status,
         const std::string* message = nullptr) {
  call.Finish(status, message, Echoed(call, kInitial), Echoed(call, kTrailing));
}

wire::CallStatus Asked(const grpc::testing::EchoStatus& status) {
  return {static_cast<absl::StatusCode>(status.code()), status.message()};
}

const wire::CallStatus& NoRequest() {
  static const wire::CallStatus status{absl::StatusCode::kInvalidArgument, "no such request"};
  return status;
}

std::string Filling(std::int32_t size) {
  return std::string(static_cast<std::size_t>(std::max(size, 0)), '\0');
}

asio::awaitable<void> EmptyCall(Call call) {
  const std::string empty;
  End(*call, {}, &empty);
  co_return;
}

asio::awaitable<void> UnaryCall(Call call) {
  SimpleRequest request;
  if (!request.ParseFromString(call->TakeRequest())) co_return End(*call, NoRequest());
  if (request.response_status().code() != 0) {
    co_return End(*call, Asked(request.response_status()));
  }
  SimpleResponse response;
  response.mutable_payload()->set_body(Filling(request.response_size()));
  const std::string bytes = response.SerializeAsString();
  End(*call, {}, &bytes);
}

// What one request asks for. The status that it asks for ends the call.
asio::awaitable<wire::CallStatus> Stream(Call call, std::string bytes) {
  StreamingOutputCallRequest request;
  if (!request.ParseFromString(bytes)) co_return NoRequest();
  if (request.response_status().code() != 0) co_return Asked(request.response_status());
  for (const auto& parameters : request.response_parameters()) {
    if (parameters.interval_us() > 0) {
      asio::steady_timer timer(call->executor(),
                               std::chrono::microseconds(parameters.interval_us()));
      co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
    }
    StreamingOutputCallResponse response;
    response.mutable_payload()->set_body(Filling(parameters.size()));
    const absl::Status written =
        co_await call->Write(response.SerializeAsString(), Echoed(*call, kInitial));
    if (!written.ok()) co_return wire::CallStatus{absl::StatusCode::kCancelled};
  }
  co_return wire::CallStatus{};
}

asio::awaitable<void> StreamingOutputCall(Call call) {
  const wire::CallStatus status = co_await Stream(call, call->TakeRequest());
  End(*call, status);
}

asio::awaitable<void> StreamingInputCall(Call call) {
  std::size_t size = 0;
  for (;;) {
    const auto message = co_await call->Read();
    if (!message.ok()) co_return End(*call, {absl::StatusCode::kCancelled});
    if (!message->has_value()) break;
    StreamingInputCallRequest request;
    if (!request.ParseFromString(**message)) co_return End(*call, NoRequest());
    size += request.payload().body().size();
  }
  StreamingInputCallResponse response;
  response.set_aggregated_payload_size(static_cast<std::int32_t>(size));
  const std::string bytes = response.SerializeAsString();
  End(*call, {}, &bytes);
}

asio::awaitable<void> FullDuplexCall(Call call) {
  wire::CallStatus status;
  while (status.ok()) {
    const auto message = co_await call->Read();
    if (!message.ok() || !message->has_value()) break;
    status = co_await Stream(call, **message);
  }
  End(*call, status);
}

wire::Method Spawned(asio::awaitable<void> (*method)(Call), bool streams_requests = false) {
  return {streams_requests, [method](Call call) {
            const auto executor = call->executor();
            asio::co_spawn(executor, method(std::move(call)), asio::detached);
          }};
}

}  // namespace

wire::Methods TestService() {
  wire::Methods methods;
  methods["/grpc.testing.TestService/EmptyCall"] = Spawned(&EmptyCall);
  methods["/grpc.testing.TestService/UnaryCall"] = Spawned(&UnaryCall);
  methods["/grpc.testing.TestService/StreamingOutputCall"] = Spawned(&StreamingOutputCall);
  methods["/grpc.testing.TestService/StreamingInputCall"] = Spawned(&StreamingInputCall, true);
  methods["/grpc.testing.TestService/FullDuplexCall"] = Spawned(&FullDuplexCall, true);
  return methods;
}

}  // namespace tollbridge::interop
