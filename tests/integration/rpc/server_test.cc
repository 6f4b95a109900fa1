// Streams, reflection, health, and the end of the server.

#include <atomic>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/wire/server.h"
#include "services/rpc/health_service.h"
#include "tests/integration/rpc/echo_server.h"
#include "tests/unit/base/wire/raw_client.h"
#include "tollbridge/testing/v1/echo.pb.h"

namespace tollbridge::rpc {
namespace {

using test::GrpcClient;
using test::RpcReply;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;
using tollbridge::testing::v1::ChangeRequest;
using tollbridge::testing::v1::CountRequest;
using tollbridge::testing::v1::CountResponse;
using tollbridge::testing::v1::EchoRequest;

constexpr const char* kSay = "tollbridge.testing.v1.Echo.Say";
constexpr const char* kChange = "tollbridge.testing.v1.Echo.Change";
constexpr const char* kCount = "tollbridge.testing.v1.Echo.Count";
constexpr const char* kCheck = "grpc.health.v1.Health.Check";
constexpr const char* kWatch = "grpc.health.v1.Health.Watch";
constexpr const char* kReflect = "grpc.reflection.v1alpha.ServerReflection.ServerReflectionInfo";
constexpr const char* kReflectV1 = "grpc.reflection.v1.ServerReflection.ServerReflectionInfo";

// grpc.health.v1.HealthCheckResponse{status: ...} as bytes.
const std::string kServing("\x08\x01", 2);
const std::string kNotServing("\x08\x02", 2);

// grpc.health.v1.HealthCheckRequest{service: name} as bytes.
std::string HealthOf(std::string_view name) {
  if (name.empty()) return {};
  return "\x0a" + std::string(1, static_cast<char>(name.size())) + std::string(name);
}

std::string CountBytes(int messages, int filling_bytes) {
  CountRequest request;
  request.set_messages(messages);
  request.set_filling_bytes(filling_bytes);
  return request.SerializeAsString();
}

template <typename Condition>
bool Eventually(Condition condition) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::yield();
  }
  return true;
}

TEST(Stream, SendsItsMessagesInOrderThenTheStatus) {
  EchoServer server;
  GrpcClient client(server.address());
  const auto stream = client.OpenStream(kCount, CountBytes(100, 10));
  for (int i = 0; i < 100; ++i) {
    const auto bytes = stream->Read();
    ASSERT_TRUE(bytes.has_value()) << i;
    CountResponse message;
    ASSERT_TRUE(message.ParseFromString(*bytes));
    EXPECT_EQ(message.index(), i);
  }
  EXPECT_FALSE(stream->Read().has_value());
  EXPECT_TRUE(stream->Finish().ok());
}

TEST(Stream, ASlowReaderHoldsTheWriterBack) {
  EchoServer server;
  GrpcClient client(server.address());
  constexpr int kMessages = 2000;
  const auto stream = client.OpenStream(kCount, CountBytes(kMessages, 100'000));
  ASSERT_TRUE(stream->Read().has_value());
  // 200 MB would be on their way if nobody waited. The windows take a few MB, then the writer
  // stands still: the server has time to answer a hundred other calls meanwhile.
  EchoRequest other;
  other.set_text("x");
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(client.Call(kSay, other).status.ok());
  EXPECT_LT(server.written, kMessages / 4);
  EXPECT_FALSE(server.stream_ended);

  int read = 1;
  while (stream->Read().has_value()) ++read;
  EXPECT_EQ(read, kMessages);
  EXPECT_TRUE(stream->Finish().ok());
}

TEST(Stream, EndsWhenTheCallerCancels) {
  EchoServer server;
  GrpcClient client(server.address());
  const auto stream = client.OpenStream(kCount, CountBytes(100'000, 100'000));
  ASSERT_TRUE(stream->Read().has_value());
  stream->Cancel();
  EXPECT_EQ(stream->Finish().code_name(), "CANCELLED");
  EXPECT_TRUE(Eventually([&] { return server.stream_ended.load(); }));
  EXPECT_TRUE(server.drain().WaitUntilIdle(BootClock::now() + std::chrono::seconds(20)));
}

TEST(Stream, EndsAtItsTimeThoughNobodyReads) {
  ServerSettings settings;
  settings.deadlines.stream = std::chrono::milliseconds(50);
  EchoServer server(settings);
  // It sets no deadline.
  wire::RawClient client(static_cast<std::uint16_t>(server.server().port()));
  client.Send(wire::CallBytes(1, "/tollbridge.testing.v1.Echo/Count", CountBytes(10'000, 10'000)));
  EXPECT_TRUE(Eventually([&] { return server.stream_ended.load(); }));
  EXPECT_LT(server.written, 10'000);
}

TEST(Stream, IsValidatedLikeEveryCall) {
  EchoServer server;
  GrpcClient client(server.address());
  const auto stream = client.OpenStream(kCount, "");
  EXPECT_FALSE(stream->Read().has_value());
  const test::RpcStatus status = stream->Finish();
  EXPECT_EQ(status.reason, "INVALID_REQUEST");
  EXPECT_TRUE(status.names_field("messages"));
}

TEST(Reflection, ListsTheServicesAndGivesTheirFiles) {
  EchoServer server;
  GrpcClient client(server.address());
  // ServerReflectionRequest{list_services: "*"}
  const auto list = client.OpenStream(kReflect, "\x3a\x01*");
  const auto services = list->Read();
  ASSERT_TRUE(services.has_value());
  EXPECT_THAT(*services, HasSubstr("tollbridge.testing.v1.Echo"));
  EXPECT_THAT(*services, HasSubstr("grpc.health.v1.Health"));
  // ServerReflectionRequest{file_containing_symbol: ...}
  const std::string symbol = "tollbridge.testing.v1.Echo";
  const auto file = client.OpenStream(
      kReflect, "\x22" + std::string(1, static_cast<char>(symbol.size())) + symbol);
  const auto descriptor = file->Read();
  ASSERT_TRUE(descriptor.has_value());
  EXPECT_THAT(*descriptor, HasSubstr("EchoRequest"));
  EXPECT_THAT(*descriptor, HasSubstr("tollbridge/options/v1/options.proto"));
}

TEST(Reflection, AnswersAlikeByItsOldName) {
  EchoServer server;
  GrpcClient client(server.address());
  for (const char* request : {"\x3a\x01*", "\x22\x1atollbridge.testing.v1.Echo"}) {
    const auto now = client.OpenStream(kReflectV1, request)->Read();
    ASSERT_TRUE(now.has_value());
    EXPECT_EQ(client.OpenStream(kReflect, request)->Read(), now);
  }
}

TEST(Reflection, SaysWhatIsNotThereAndThatNothingWasAsked) {
  EchoServer server;
  GrpcClient client(server.address());
  // file_by_filename, file_containing_symbol, nothing; error_response has field 7.
  const auto answer = [&](const std::string& request) {
    return client.OpenStream(kReflectV1, request)->Read().value_or("");
  };
  EXPECT_THAT(answer("\x1a\x01x"), HasSubstr("there is no such thing"));
  EXPECT_THAT(answer("\x22\x01x"), HasSubstr("there is no such thing"));
  EXPECT_THAT(answer(""), HasSubstr("nothing is asked for"));
  const auto garbage = client.OpenStream(kReflectV1, "\xff");
  EXPECT_FALSE(garbage->Read().has_value());
  EXPECT_EQ(garbage->Finish().code_name(), "INVALID_ARGUMENT");
}

TEST(Reflection, AQuestionThatIsNoneIsNotSentBack) {
  EchoServer server;
  GrpcClient client(server.address());
  // ServerReflectionRequest{host: 60,000 bytes, list_services: "*"}
  const auto stream =
      client.OpenStream(kReflectV1, "\x0a\xe0\xd4\x03" + std::string(60'000, 'x') + "\x3a\x01*");
  EXPECT_FALSE(stream->Read().has_value());
  EXPECT_EQ(stream->Finish().code_name(), "INVALID_ARGUMENT");
}

TEST(Reflection, ACallerHasSoManyStreamsAndNoMore) {
  EchoServer server;
  GrpcClient client(server.address());
  wire::RawClient hoarder(static_cast<std::uint16_t>(server.server().port()));
  const std::string headers = wire::HeaderBlock(
      wire::CallHeaders("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"));
  for (std::uint32_t i = 0; i < 17; ++i) {
    hoarder.Send(
        wire::FrameBytes(wire::frame::kHeaders, wire::frame::kEndHeaders, 1 + 2 * i, headers));
  }
  EXPECT_EQ(hoarder.Await(33).status(), "8");
  hoarder.Abort();
  EXPECT_TRUE(
      Eventually([&] { return client.OpenStream(kReflectV1, "\x3a\x01*")->Read().has_value(); }));
}

TEST(Health, WatchersThatHaveGoneAreForgotten) {
  ShardPool shards(1);
  const auto health = std::make_shared<HealthService>(100);
  health->SetServing("", true);
  wire::ServerOptions options;
  health->AddTo(options.methods);
  const auto server = wire::Server::Start({shards.at(0).executor()}, std::move(options));
  ASSERT_TRUE(server.ok()) << server.status();
  shards.Start();
  {
    GrpcClient client("127.0.0.1:" + std::to_string((*server)->port()));
    EXPECT_EQ(client.OpenStream(kWatch, HealthOf(""))->Read(), kServing);
    EXPECT_TRUE(Eventually([&] { return health->watchers() == 0; }));
    EXPECT_EQ(client.OpenStream(kWatch, HealthOf(""))->Read(), kServing);
  }
  EXPECT_TRUE(Eventually([&] { return health->watchers() == 0; }));
  shards.Stop();
}

TEST(Health, ACallerHasSoManyWatchersAndNoMore) {
  ServerSettings settings;
  settings.max_health_watchers = 2;
  EchoServer server(settings);
  GrpcClient client(server.address());
  const auto first = client.OpenStream(kWatch, HealthOf(""));
  auto second = client.OpenStream(kWatch, HealthOf(""));
  ASSERT_EQ(first->Read(), kServing);
  ASSERT_EQ(second->Read(), kServing);
  const auto third = client.OpenStream(kWatch, HealthOf(""));
  EXPECT_FALSE(third->Read().has_value());
  EXPECT_EQ(third->Finish().code_name(), "RESOURCE_EXHAUSTED");
  second.reset();
  EXPECT_TRUE(
      Eventually([&] { return client.OpenStream(kWatch, HealthOf(""))->Read() == kServing; }));
}

TEST(Health, WatchOfAnUnknownNameWaitsForIt) {
  EchoServer server;
  GrpcClient client(server.address());
  const auto watch = client.OpenStream(kWatch, HealthOf("later"));
  // status: SERVICE_UNKNOWN
  EXPECT_EQ(watch->Read(), std::string("\x08\x03", 2));
  server.server().SetServing("later", true);
  EXPECT_EQ(watch->Read(), kServing);
}

TEST(Health, CheckTellsEachNameByItself) {
  EchoServer server;
  GrpcClient client(server.address());
  EXPECT_EQ(client.CallBytes(kCheck, HealthOf("")).bytes, kServing);
  EXPECT_EQ(client.CallBytes(kCheck, HealthOf("tollbridge.mutations")).bytes, kNotServing);
  server.server().SetServing(health::kMutations, true);
  EXPECT_EQ(client.CallBytes(kCheck, HealthOf("tollbridge.mutations")).bytes, kServing);
  EXPECT_EQ(client.CallBytes(kCheck, HealthOf("tollbridge.events")).bytes, kNotServing);
  EXPECT_EQ(client.CallBytes(kCheck, HealthOf("nobody")).status.code_name(), "NOT_FOUND");
}

TEST(Health, WatchTellsEachChange) {
  EchoServer server;
  GrpcClient client(server.address());
  const auto watch = client.OpenStream(kWatch, HealthOf("tollbridge.webhooks"));
  EXPECT_EQ(watch->Read(), kNotServing);
  server.server().SetServing(health::kWebhooks, true);
  EXPECT_EQ(watch->Read(), kServing);
  server.server().SetServing(health::kWebhooks, false);
  EXPECT_EQ(watch->Read(), kNotServing);
}

TEST(Stop, WaitsForTheCallOnItsWayAndRefusesNewOnes) {
  EchoServer server;
  GrpcClient client(server.address());
  const auto watch = client.OpenStream(kWatch, HealthOf(""));
  ASSERT_EQ(watch->Read(), kServing);
  RpcReply in_flight;
  std::thread caller([&] {
    ChangeRequest request;
    request.set_idempotency_key("k");
    request.set_text("wait");
    in_flight = client.Call(kChange, request);
  });
  ASSERT_TRUE(server.gate.WaitForArrivals(1));

  bool finished = false;
  std::thread stopper(
      [&] { finished = server.server().Stop(BootClock::now() + std::chrono::seconds(30)); });
  EXPECT_EQ(watch->Read(), kNotServing);
  EchoRequest late;
  late.set_text("x");
  const RpcReply refused = client.Call(kSay, late);
  EXPECT_EQ(refused.status.code_name(), "UNAVAILABLE");
  EXPECT_EQ(refused.status.reason, "SHUTTING_DOWN");

  server.gate.Open();
  caller.join();
  stopper.join();
  EXPECT_TRUE(finished);
  EXPECT_TRUE(in_flight.status.ok()) << in_flight.status.message;
  EXPECT_EQ(client.Call(kSay, late).status.code_name(), "UNAVAILABLE");
}

TEST(Stop, DoesNotWaitLongerThanItsDeadline) {
  EchoServer server;
  GrpcClient client(server.address());
  RpcReply in_flight;
  std::thread caller([&] {
    EchoRequest request;
    request.set_text("wait");
    in_flight = client.Call(kSay, request);
  });
  ASSERT_TRUE(server.gate.WaitForArrivals(1));
  EXPECT_FALSE(server.server().Stop(BootClock::now()));
  caller.join();
  EXPECT_EQ(in_flight.status.code_name(), "UNAVAILABLE") << in_flight.status.message;
}

TEST(Stop, StreamsThatNobodyWaitsForEndAsUnavailable) {
  EchoServer server;
  GrpcClient client(server.address());
  const auto watch = client.OpenStream(kWatch, HealthOf(""));
  ASSERT_EQ(watch->Read(), kServing);
  const auto reflection = client.OpenStream(kReflect, "\x3a\x01*");
  ASSERT_TRUE(reflection->Read().has_value());
  EXPECT_TRUE(server.server().Stop(BootClock::now() + std::chrono::seconds(20)));
  EXPECT_EQ(watch->Read(), kNotServing);
  EXPECT_FALSE(watch->Read().has_value());
  EXPECT_EQ(watch->Finish().code_name(), "UNAVAILABLE");
}

TEST(Stop, AsManyCallsAsCanBeEndInAnAnswerOrUnavailable) {
  EchoServer server;
  std::atomic<bool> stopped = false;
  std::atomic<int> answered = 0;
  std::set<std::string> ends;
  std::mutex mutex;
  std::vector<std::thread> callers;
  for (int i = 0; i < 8; ++i) {
    callers.emplace_back([&] {
      GrpcClient client(server.address());
      EchoRequest request;
      request.set_text("x");
      for (int after = 0; after < 5; after += stopped ? 1 : 0) {
        const std::string end = client.Call(kSay, request).status.code_name();
        answered += end == "OK" ? 1 : 0;
        const std::lock_guard lock(mutex);
        ends.insert(end);
      }
    });
  }
  EXPECT_TRUE(Eventually([&] { return answered >= 200; }));
  EXPECT_TRUE(server.server().Stop(BootClock::now() + std::chrono::seconds(20)));
  stopped = true;
  for (std::thread& caller : callers) caller.join();
  EXPECT_THAT(ends, UnorderedElementsAre("OK", "UNAVAILABLE"));
}

class StartTest : public ::testing::Test {
 protected:
  absl::Status Start(ServerSettings settings) {
    Dispatcher dispatcher({});
    return Server::Start(settings, methods_, shards_, {&dispatcher}, drain_, *clock_).status();
  }

  class NoClock : public ports::Clock {
   public:
    WallTime WallNow() const override { return {}; }
    BootTime BootNow() const override { return {}; }
    boost::asio::awaitable<void> Sleep(ports::Millis) override { co_return; }
  };

  MethodTable methods_ = *MethodTable::Of({"tollbridge.testing.v1.Echo"});
  ShardPool shards_{1};
  Drain drain_;
  std::unique_ptr<ports::Clock> clock_ = std::make_unique<NoClock>();
};

TEST_F(StartTest, RefusesPlaintextBeyondLoopback) {
  ServerSettings settings;
  settings.listen.host = "0.0.0.0";
  EXPECT_EQ(Start(settings).code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(StartTest, RefusesACertificateThatIsNotThere) {
  ServerSettings settings;
  settings.tls = ServerTls{"/nonexistent/chain.pem", "/nonexistent/key.pem", ""};
  EXPECT_EQ(Start(settings).code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(StartTest, TellsWhenTheAddressIsTaken) {
  EchoServer other;
  ServerSettings settings;
  settings.listen.port = static_cast<std::uint16_t>(other.server().port());
  EXPECT_EQ(Start(settings).code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace tollbridge::rpc
