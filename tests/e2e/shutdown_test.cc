// What the process says of itself, and how it ends: nothing accepted is lost.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <csignal>
#include <future>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>

#include "base/http/url.h"
#include "tests/e2e/support/payments.h"
#include "tests/support/http_call.h"
#include "tests/support/stack.h"
#include "tests/support/webhook.h"
#include "tollbridge/operations/v1/operations.pb.h"

namespace tollbridge::test {
namespace {

using boost::asio::ip::tcp;
using testing::HasSubstr;
using testing::SizeIs;

constexpr int kUnavailable = 14;

/// One stack for all tests of this suite; each has a gateway of its own.
class ShutdownTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    // However busy the machine is, what is under way ends within it.
    stack_ =
        std::make_unique<Stack>(StackOptions{.settings = {{"process", {{"grace_period", "1m"}}}}});
  }
  static void TearDownTestSuite() { stack_.reset(); }
  void SetUp() override {
    if (stack().gateway().WaitForExit(std::chrono::milliseconds(0))) stack().StartGateway();
  }
  /// One that were killed would still be in the consumer group when the next one leaves it.
  void TearDown() override {
    stack().gateway().Signal(SIGTERM);
    stack().gateway().WaitForExit();
  }
  static Stack& stack() { return *stack_; }

 private:
  static inline std::unique_ptr<Stack> stack_;
};

TEST_F(ShutdownTest, EachRoleByItselfIsLiveAndGetsReady) {
  // By itself a role cannot find out where the ingress is.
  const Stack stack({.settings = {{"webhooks", {{"public_url", "https://hooks.example"}}}}});
  for (const std::string& role : {"rpc", "webhooks", "events", "reconcile"}) {
    SCOPED_TRACE(role);
    const auto one = stack.OneMoreGateway({}, {role});
    const auto ready = [&] { return ProbeAt(one->metrics_url(), "/readyz").status == 200; };
    EXPECT_TRUE(Eventually(ready)) << ProbeAt(one->metrics_url(), "/readyz").body;
    EXPECT_EQ(ProbeAt(one->metrics_url(), "/livez").body, "ok\n");
    one->process().Signal(SIGTERM);
    EXPECT_TRUE(one->process().WaitForExit().has_value());
  }
}

TEST_F(ShutdownTest, InTheDrainDelayNothingIsReadyAndEverythingIsTaken) {
  // Longer than any test: the second signal ends it.
  Stack stack({.settings = {{"process", {{"drain_delay", "5m"}}}}});
  ASSERT_TRUE(Eventually([&] { return ProbeAt(stack.metrics_url(), "/readyz").status == 200; }));
  stack.gateway().Signal(SIGTERM);
  ASSERT_TRUE(stack.gateway().WaitForLine("\"event\":\"stopping\""));
  ASSERT_TRUE(
      Eventually([&] { return ProbeAt(stack.metrics_url(), "/readyz").body == "stopping\n"; }));
  EXPECT_EQ(ProbeAt(stack.metrics_url(), "/livez").status, 200);
  for (const char* name :
       {"", "tollbridge.mutations", "tollbridge.webhooks", "tollbridge.events"}) {
    EXPECT_EQ(HealthOf(stack.grpc(), name), Health::kNotServing) << name;
  }
  const RpcReply call = CreateOrder(stack, OrderRequest("late"));
  EXPECT_TRUE(call.status.ok()) << call.status.message;
  EXPECT_EQ(stack.Http("POST", stack.webhook_url(), WebhookBody(kNobodysOrder)).status, 200);

  stack.gateway().Signal(SIGTERM);
  const auto exit = stack.gateway().WaitForExit();
  ASSERT_TRUE(exit.has_value());
  EXPECT_EQ(exit->code, 0);
}

TEST_F(ShutdownTest, TheProcessAndEachOfItsAbilitiesServe) {
  for (const char* name :
       {"", "tollbridge.mutations", "tollbridge.webhooks", "tollbridge.events"}) {
    EXPECT_TRUE(Eventually([&] { return HealthOf(stack().grpc(), name) == Health::kServing; }))
        << name;
  }
  EXPECT_EQ(HealthOf(stack().grpc(), "tollbridge.unheard-of"), Health::kUnknown);
}

TEST_F(ShutdownTest, ReflectionTellsThePublishedServices) {
  // ServerReflectionRequest{list_services = 7: "*"}
  const auto stream = stack().grpc().OpenStream(
      "grpc.reflection.v1alpha.ServerReflection.ServerReflectionInfo", "\x3a\x01*");
  const std::optional<std::string> answer = stream->Read();
  ASSERT_TRUE(answer.has_value());
  for (const char* name : {"tollbridge.payments.v1.Payments", "tollbridge.operations.v1.Operations",
                           "grpc.health.v1.Health"}) {
    EXPECT_THAT(*answer, HasSubstr(name));
  }
}

TEST_F(ShutdownTest, ACallInFlightIsAnsweredAndTheProcessEndsInOrder) {
  const std::size_t orders_before = stack().SandboxOrders().size();
  stack().sandbox().Pause();
  auto call = std::async(std::launch::async,
                         [&] { return CreateOrder(stack(), OrderRequest("in-flight")); });
  ASSERT_TRUE(Eventually([&] {
    return HttpGet(stack().metrics_url()).find("state=\"running\"} 1\n") != std::string::npos;
  }));
  stack().gateway().Signal(SIGTERM);
  ASSERT_TRUE(stack().gateway().WaitForLine("\"event\":\"stopping\""));
  // Asked with a read of the store: until the doors close it is answered at once, while a mutation
  // would hang at the payment service like the first.
  operations::v1::GetOperationRequest question;
  question.set_operation_id(std::string(kNobodysOrder));
  ASSERT_TRUE(Eventually([&] {
    const RpcReply late =
        stack().grpc().Call("tollbridge.operations.v1.Operations.GetOperation", question);
    return late.status.code == kUnavailable && late.status.reason == "SHUTTING_DOWN";
  }));
  stack().sandbox().Signal(SIGCONT);

  const RpcReply reply = call.get();
  ASSERT_TRUE(reply.status.ok()) << reply.status.message;
  const auto exit = stack().gateway().WaitForExit(std::chrono::minutes(1));
  ASSERT_TRUE(exit.has_value());
  EXPECT_EQ(exit->code, 0);
  ASSERT_THAT(stack().SandboxOrders(), SizeIs(orders_before + 1));

  // The outcome was kept before the process ended.
  stack().StartGateway();
  EXPECT_EQ(CreateOrder(stack(), OrderRequest("in-flight")).bytes, reply.bytes);
  EXPECT_THAT(stack().SandboxOrders(), SizeIs(orders_before + 1));
}

TEST_F(ShutdownTest, AWebhookThatIsBeingTakenIsTakenAndItsHintIsOnKafka) {
  const auto url = http::ParseUrl(stack().webhook_url());
  ASSERT_TRUE(url.ok());
  const tcp::endpoint ingress(boost::asio::ip::make_address(url->host), url->port);
  const std::string body = WebhookBody(kNobodysOrder);
  tcp::iostream connection(ingress);
  connection << "POST " << url->path << " HTTP/1.1\r\nHost: " << url->Authority()
             << "\r\nContent-Type: application/json\r\nContent-Length: " << body.size()
             << "\r\nExpect: 100-continue\r\n\r\n"
             << std::flush;
  std::string line;
  std::getline(connection, line);
  ASSERT_EQ(line, "HTTP/1.1 100 Continue\r");
  std::getline(connection, line);

  stack().gateway().Signal(SIGTERM);
  ASSERT_TRUE(stack().gateway().WaitForLine("\"event\":\"stopping\""));
  // The port is closed, so the server is waiting for this request alone.
  ASSERT_TRUE(Eventually([&] {
    tcp::iostream late(ingress);
    return !late;
  }));
  connection << body << std::flush;
  std::getline(connection, line);
  EXPECT_EQ(line, "HTTP/1.1 200 OK\r");
  const auto exit = stack().gateway().WaitForExit(std::chrono::minutes(1));
  ASSERT_TRUE(exit.has_value());
  EXPECT_EQ(exit->code, 0);
  const auto hints = stack().OpenTopic("hints");
  EXPECT_EQ(std::ranges::count_if(hints->ReadAll(),
                                  [&](const TopicRecord& record) {
                                    return record.key.ends_with(std::string(kNobodysOrder));
                                  }),
            1);
}

TEST_F(ShutdownTest, AProbeThatIsNeverFinishedDelaysNothing) {
  const auto url = http::ParseUrl(stack().metrics_url());
  ASSERT_TRUE(url.ok());
  tcp::iostream prober(tcp::endpoint(boost::asio::ip::make_address(url->host), url->port));
  prober << "GET /livez HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n"
         << std::flush;
  std::string line;
  std::getline(prober, line);
  ASSERT_EQ(line, "HTTP/1.1 100 Continue\r");
  const auto began = std::chrono::steady_clock::now();
  stack().gateway().Signal(SIGTERM);
  const auto exit = stack().gateway().WaitForExit();
  ASSERT_TRUE(exit.has_value());
  EXPECT_EQ(exit->code, 0);
  // The grace period is a minute.
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(30));
}

TEST_F(ShutdownTest, AnIdleProcessEndsAtOnceAndSaysSo) {
  stack().gateway().Signal(SIGTERM);
  const auto exit = stack().gateway().WaitForExit(std::chrono::seconds(10));
  ASSERT_TRUE(exit.has_value());
  EXPECT_EQ(exit->code, 0);
  EXPECT_TRUE(stack().gateway().WaitForLine("\"event\":\"stopped\""));
}

}  // namespace
}  // namespace tollbridge::test
