#include "services/rpc/grpc_calls.h"

#include <utility>
#include <vector>

#include <google/protobuf/message.h>
#include <grpc/support/time.h>
#include <grpcpp/server_context.h>
#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "services/domain/deterministic.h"
#include "services/rpc/status.h"

namespace tollbridge::rpc {
namespace {

absl::Status CallerGone() { return absl::CancelledError("the caller has gone"); }

std::string Bytes(grpc::ByteBuffer& buffer) {
  std::string bytes;
  std::vector<grpc::Slice> slices;
  // A caller that ends its stream without a message has sent an empty one as far as we can know.
  if (!buffer.Valid() || !buffer.Dump(&slices).ok()) return bytes;
  bytes.reserve(buffer.Length());
  for (const grpc::Slice& slice : slices) {
    bytes.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  buffer.Clear();
  return bytes;
}

grpc::ByteBuffer Buffer(const std::string& bytes) {
  const grpc::Slice slice(bytes);
  return {&slice, 1};
}

void Add(const Metadata& metadata, grpc::CallbackServerContext& context) {
  for (const auto& [name, value] : metadata) context.AddInitialMetadata(name, value);
}

}  // namespace

BootClock::duration TimeLeft(const grpc::CallbackServerContext& context,
                             std::chrono::milliseconds by_default) {
  const gpr_timespec deadline = context.raw_deadline();
  if (gpr_time_cmp(deadline, gpr_inf_future(deadline.clock_type)) == 0) return by_default;
  const gpr_timespec left = gpr_time_sub(deadline, gpr_now(deadline.clock_type));
  return std::chrono::seconds(left.tv_sec) + std::chrono::nanoseconds(left.tv_nsec);
}

std::string UnaryCall::TakeRequest() { return Bytes(request_); }

AsyncStatus UnaryCall::Write(std::string, const Metadata&) {
  co_return absl::InternalError("this method does not stream");
}

void UnaryCall::Finish(const Call& call, const absl::Status& status) {
  if (!TakeEnd()) return;
  Add(call.initial_metadata(), context_);
  // A replay must have the bytes of the first answer (docs/design/operations.md#rule-7).
  if (status.ok()) response_ = Buffer(domain::SerializeDeterministically(call.response()));
  grpc::ServerUnaryReactor::Finish(ToGrpcStatus(status));
}

void UnaryCall::OnCancel() {
  cancelled_.store(true, std::memory_order_release);
  // Lets gRPC forget the call; its coroutine runs on.
  if (TakeEnd()) grpc::ServerUnaryReactor::Finish(grpc::Status::CANCELLED);
}

void UnaryCall::OnDone() { const std::shared_ptr<UnaryCall> last = std::move(self_); }

std::string StreamCall::TakeRequest() { return Bytes(request_); }

void StreamCall::AddInitialMetadata(const Metadata& metadata) {
  if (!std::exchange(metadata_added_, true)) Add(metadata, context_);
}

AsyncStatus StreamCall::Write(std::string bytes, const Metadata& initial_metadata) {
  if (!Move(State::kIdle, State::kWriting)) co_return CallerGone();
  AddInitialMetadata(initial_metadata);
  message_ = Buffer(bytes);
  shard_ = co_await boost::asio::this_coro::executor;
  const bool written =
      co_await boost::asio::async_initiate<const boost::asio::use_awaitable_t<>, void(bool)>(
          [this](auto handler) {
            written_ = std::move(handler);
            StartWrite(&message_);
          },
          boost::asio::use_awaitable);
  co_return written ? absl::OkStatus() : CallerGone();
}

void StreamCall::OnWriteDone(bool ok) {
  auto handler = std::move(written_);
  const boost::asio::any_io_executor shard = shard_;
  const bool go_on = Move(State::kWriting, State::kIdle);
  if (!go_on) {
    state_.store(State::kEnded, std::memory_order_release);
    grpc::ServerWriteReactor<grpc::ByteBuffer>::Finish(grpc::Status::CANCELLED);
  }
  // Back to the shard: the coroutine goes on there and nowhere else.
  boost::asio::post(shard, [handler = std::move(handler), written = ok && go_on]() mutable {
    std::move(handler)(written);
  });
}

void StreamCall::Finish(const Call& call, const absl::Status& status) {
  if (!Move(State::kIdle, State::kEnded)) return;
  AddInitialMetadata(call.initial_metadata());
  grpc::ServerWriteReactor<grpc::ByteBuffer>::Finish(ToGrpcStatus(status));
}

void StreamCall::OnCancel() {
  cancelled_.store(true, std::memory_order_release);
  State seen = state_.load(std::memory_order_acquire);
  while (seen == State::kIdle || seen == State::kWriting) {
    const State next = seen == State::kWriting ? State::kWritingLast : State::kEnded;
    if (!state_.compare_exchange_weak(seen, next, std::memory_order_acq_rel)) continue;
    if (next == State::kEnded) {
      grpc::ServerWriteReactor<grpc::ByteBuffer>::Finish(grpc::Status::CANCELLED);
    }
    return;
  }
}

void StreamCall::OnDone() { const std::shared_ptr<StreamCall> last = std::move(self_); }

}  // namespace tollbridge::rpc
