#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <google/protobuf/struct.pb.h>
#include <gtest/gtest.h>

#include "base/telemetry/metric_definitions.h"
#include "services/rpc/wire_metrics.h"
#include "tests/integration/rpc/echo_server.h"
#include "tollbridge/testing/v1/echo.pb.h"

namespace tollbridge::rpc {
namespace {

using test::GrpcClient;
using test::RpcReply;
using ::testing::HasSubstr;
using ::testing::Not;
using tollbridge::testing::v1::ChangeRequest;
using tollbridge::testing::v1::ChangeResponse;
using tollbridge::testing::v1::EchoRequest;
using tollbridge::testing::v1::EchoResponse;

constexpr const char* kEcho = "tollbridge.testing.v1.Echo";
constexpr const char* kSay = "tollbridge.testing.v1.Echo.Say";
constexpr const char* kChange = "tollbridge.testing.v1.Echo.Change";

EchoRequest Text(const std::string& text) {
  EchoRequest request;
  request.set_text(text);
  return request;
}

ChangeRequest Change(const std::string& text) {
  ChangeRequest request;
  request.set_idempotency_key("k");
  request.set_text(text);
  return request;
}

TEST(Unary, AnswersOverARealSocket) {
  EchoServer server;
  GrpcClient client(server.address());
  const RpcReply reply = client.Call(kSay, Text("hello"));
  ASSERT_TRUE(reply.status.ok()) << reply.status.message;
  EXPECT_EQ(reply.As<EchoResponse>().text(), "hello");
  EXPECT_EQ(server.Counter(telemetry::kRpcHandled, {kEcho, "Say", "OK"}), 1);
}

TEST(Unary, SixtyFourCallsAtOnceEachGetTheirOwnAnswer) {
  EchoServer server;
  GrpcClient client(server.address());
  std::vector<std::thread> threads;
  std::atomic<int> good{0};
  for (int i = 0; i < 64; ++i) {
    threads.emplace_back([&, i] {
      const RpcReply reply = client.Call(kSay, Text(std::to_string(i)));
      if (reply.status.ok() && reply.As<EchoResponse>().text() == std::to_string(i)) ++good;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 64);
}

TEST(Unary, BytesThatAreNoMessageAreCountedAndRefused) {
  EchoServer server;
  GrpcClient client(server.address());
  const RpcReply reply = client.CallBytes(kSay, "\xff\xff\xff\xff garbage");
  EXPECT_EQ(reply.status.code_name(), "INVALID_ARGUMENT");
  EXPECT_EQ(reply.status.reason, "UNPARSABLE_REQUEST");
  EXPECT_EQ(reply.status.metadata.at("retry"), "AFTER_CHANGE");
  EXPECT_EQ(server.Counter(telemetry::kRpcUnparsable, {kEcho, "Say"}), 1);
  EXPECT_EQ(server.Counter(telemetry::kRpcHandled, {kEcho, "Say", "INVALID_ARGUMENT"}), 1);
}

TEST(Unary, InvalidUtf8NamesItsField) {
  EchoServer server;
  GrpcClient client(server.address());
  // formats[0].currency = ff fe
  const RpcReply reply = client.CallBytes(kSay, "\x0a\x01t\x22\x04\x0a\x02\xff\xfe");
  EXPECT_EQ(reply.status.code_name(), "INVALID_ARGUMENT");
  EXPECT_EQ(reply.status.reason, "UNPARSABLE_REQUEST");
  EXPECT_TRUE(reply.status.names_field("formats[0].currency")) << reply.status.message;
}

TEST(Unary, AMutationThatDoesNotParseOrValidateChangesNothing) {
  EchoServer server;
  GrpcClient client(server.address());
  EXPECT_EQ(client.CallBytes(kChange, "\x0a\x02\xff\xfe").status.reason, "UNPARSABLE_REQUEST");
  EXPECT_EQ(client.Call(kChange, ChangeRequest()).status.reason, "INVALID_REQUEST");
  EXPECT_EQ(server.changed, 0);
}

TEST(Unary, EveryViolationComesAtOnceWithItsPath) {
  ServerSettings settings;
  settings.wire.max_request_bytes = 2 << 20;
  EchoServer server(settings);
  GrpcClient client(server.address());
  EchoRequest request;
  request.set_order_id("broken");
  request.mutable_numbers()->set_amount(-1);
  request.add_formats()->set_currency("euro");
  request.set_text(std::string(1 << 20, 'x'));
  const RpcReply reply = client.Call(kSay, request);
  EXPECT_EQ(reply.status.code_name(), "INVALID_ARGUMENT");
  EXPECT_EQ(reply.status.reason, "INVALID_REQUEST");
  EXPECT_EQ(reply.status.violations.size(), 4u);
  for (const char* field : {"text", "numbers.amount", "formats[0].currency", "order_id"}) {
    EXPECT_TRUE(reply.status.names_field(field)) << field;
  }
}

TEST(Unary, ViolationsDeepInsideAreAnAnswerThatAClientTakes) {
  EchoServer server;
  GrpcClient client(server.address());
  EchoRequest request = Text("x");
  google::protobuf::Struct* inner = request.mutable_extra();
  for (int i = 0; i < 8; ++i) {
    inner = (*inner->mutable_fields())[std::string(64, 'a')].mutable_struct_value();
  }
  for (int i = 0; i < 100; ++i) (*inner->mutable_fields())["k" + std::to_string(i)];
  const RpcReply reply = client.Call(kSay, request);
  EXPECT_EQ(reply.status.code_name(), "INVALID_ARGUMENT") << reply.status.message;
  EXPECT_EQ(reply.status.reason, "INVALID_REQUEST");
  EXPECT_GE(reply.status.violations.size(), 1u);
}

TEST(Unary, AnOversizeRequestIsRefused) {
  ServerSettings settings;
  settings.wire.max_request_bytes = 64 * 1024;
  EchoServer server(settings);
  GrpcClient client(server.address());
  EXPECT_EQ(client.Call(kSay, Text(std::string(128 * 1024, 'x'))).status.code_name(),
            "RESOURCE_EXHAUSTED");
  EXPECT_TRUE(client.Call(kSay, Text("still there")).status.ok());
}

TEST(Unary, WhatThePortRefusesIsCountedByCause) {
  ServerSettings settings;
  settings.wire.max_request_bytes = 64 * 1024;
  EchoServer server(settings);
  ReportWire(server.metrics(), server.server().counts());
  const auto refused = [&](const std::string& cause) {
    server.metrics().RunCollectors();
    return server.Counter(telemetry::kWireRefusals, {cause});
  };
  GrpcClient client(server.address());
  EXPECT_EQ(refused("request_bytes"), 0);
  for (int i = 1; i < 3; ++i) {
    ASSERT_FALSE(client.Call(kSay, Text(std::string(128 * 1024, 'x'))).status.ok());
    EXPECT_EQ(refused("request_bytes"), i);
  }
  EXPECT_EQ(refused("compressed"), 0);
}

TEST(Unary, AMethodThatNobodyServesIsUnimplementedWithAReason) {
  EchoServer server;
  GrpcClient client(server.address());
  for (const char* method : {"tollbridge.testing.v1.Echo.Nobody", "tollbridge.testing.v1.Echo.Nix",
                             "no.such.Service.Method"}) {
    const RpcReply reply = client.Call(method, Text("x"));
    EXPECT_EQ(reply.status.code_name(), "UNIMPLEMENTED") << method;
    EXPECT_EQ(reply.status.reason, "UNKNOWN_METHOD") << method;
  }
}

TEST(Unary, ContinuesTheCallersTraceAndKeepsItsDeadline) {
  EchoServer server;
  GrpcClient client(server.address());
  const RpcReply reply = client.Call(
      kSay, Text("x"),
      {.deadline = std::chrono::seconds(30),
       .metadata = {{"traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}}});
  ASSERT_TRUE(reply.status.ok());
  const auto answer = reply.As<EchoResponse>();
  EXPECT_EQ(answer.trace_id(), "0af7651916cd43dd8448eb211c80319c");
  EXPECT_GE(answer.time_left().seconds(), 20);
  EXPECT_LE(answer.time_left().seconds(), 30);
}

TEST(Unary, ACallWithoutADeadlineGetsThatOfTheMethodAndALongOneIsBounded) {
  ServerSettings settings;
  settings.deadlines.unary = std::chrono::seconds(40);
  EchoServer server(settings);
  GrpcClient client(server.address());
  const RpcReply without = client.Call(kSay, Text("x"), {.deadline = std::nullopt});
  EXPECT_LE(without.As<EchoResponse>().time_left().seconds(), 10);
  const RpcReply with_long = client.Call(kSay, Text("x"), {.deadline = std::chrono::hours(5)});
  EXPECT_LE(with_long.As<EchoResponse>().time_left().seconds(), 40);
  EXPECT_GT(with_long.As<EchoResponse>().time_left().seconds(), 20);
}

TEST(Unary, SendsInitialMetadataOfThePipe) {
  EchoServer server;
  GrpcClient client(server.address());
  const RpcReply reply = client.Call(kChange, Change("x"));
  ASSERT_TRUE(reply.status.ok()) << reply.status.message;
  EXPECT_EQ(reply.As<ChangeResponse>().text(), "x");
  const auto replayed = reply.initial_metadata.find("tollbridge-replayed");
  ASSERT_NE(replayed, reply.initial_metadata.end());
  EXPECT_EQ(replayed->second, "true");
}

TEST(Unary, AMutationRunsOnWhenItsCallerHasGone) {
  EchoServer server;
  GrpcClient client(server.address());
  const RpcReply reply =
      client.Call(kChange, Change("wait"), {.deadline = std::chrono::milliseconds(300)});
  EXPECT_EQ(reply.status.code_name(), "DEADLINE_EXCEEDED");
  ASSERT_TRUE(server.gate.WaitForArrivals(1));
  EXPECT_EQ(server.changed, 0);

  server.gate.Open();
  EXPECT_TRUE(server.drain().WaitUntilIdle(BootClock::now() + std::chrono::seconds(20)));
  EXPECT_EQ(server.changed, 1);
  EXPECT_TRUE(client.Call(kSay, Text("x")).status.ok());
}

TEST(Unary, CallsOverTheBoundAreToldWhenToComeBack) {
  EchoServer server({}, 1);
  // Connections are dealt to the two shards in turn: one call occupies each of them.
  GrpcClient client(server.address());
  GrpcClient other(server.address());
  std::vector<std::thread> slow;
  for (GrpcClient* each : {&client, &other}) {
    slow.emplace_back([each] { EXPECT_TRUE(each->Call(kSay, Text("wait")).status.ok()); });
    ASSERT_TRUE(server.gate.WaitForArrivals(static_cast<int>(slow.size())));
  }
  for (GrpcClient* each : {&client, &other}) {
    const RpcReply reply = each->Call(kSay, Text("x"));
    EXPECT_EQ(reply.status.code_name(), "RESOURCE_EXHAUSTED");
    EXPECT_EQ(reply.status.reason, "OVERLOADED");
    EXPECT_TRUE(reply.status.retry_delay.has_value());
  }
  server.gate.Open();
  for (std::thread& thread : slow) thread.join();
}

TEST(Unary, WhatFailsInsideStaysInside) {
  EchoServer server;
  GrpcClient client(server.address());
  for (const char* text : {"raw", "throw"}) {
    const RpcReply reply = client.Call(kSay, Text(text));
    EXPECT_EQ(reply.status.code_name(), "INTERNAL") << text;
    EXPECT_EQ(reply.status.reason, "INTERNAL") << text;
    EXPECT_EQ(reply.status.message, "internal error") << text;
  }
  EXPECT_TRUE(client.Call(kSay, Text("still there")).status.ok());
}

}  // namespace
}  // namespace tollbridge::rpc
