// What still works, and what is promised, while Redis or Kafka is down.

#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/value.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/e2e/support/payments.h"
#include "tests/support/http_call.h"
#include "tests/support/kafka_broker.h"
#include "tests/support/stack.h"
#include "tests/support/tcp_proxy.h"
#include "tests/support/webhook.h"

namespace tollbridge::test {
namespace {

using std::chrono::steady_clock;
using testing::SizeIs;

constexpr int kUnavailable = 14;
constexpr std::chrono::seconds kDeadline{5};

/// Each shard has a connection of its own to the store, of which the first was enough to serve
/// once.
TEST(SlowStoreTest, TheFirstCallsAfterAStartFindItOnEachShard) {
  TcpProxy near;
  TcpProxy far;
  Stack stack(StackOptions{.settings = {{"process", {{"shards", "4"}}}}, .redis_proxy = &near});
  far.SetUpstream(stack.redis().port());
  far.SetDelay(std::chrono::milliseconds(100));
  std::vector<std::uint16_t> ways(16, far.port());
  ways.front() = stack.redis().port();
  near.SetUpstreams(ways);

  stack.StartGateway();
  for (int i = 0; i < 8; ++i) {
    GrpcClient client(stack.grpc_address());
    const RpcReply reply = client.Call(kCreateOrder, OrderRequest(absl::StrCat("start-", i)));
    EXPECT_TRUE(reply.status.ok()) << reply.status.reason << ": " << reply.status.message;
  }
}

/// One stack for all tests of this suite.
class RedisOutageTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    // A server that was started again may have forgotten: nothing is sent in the first quarantine.
    stack_ = std::make_unique<Stack>(StackOptions{.settings = {{"operations",
                                                                {{"store_timeout", "1s"},
                                                                 {"send_window", "2s"},
                                                                 {"attempt_deadline", "1s"},
                                                                 {"late_execution_bound", "500ms"},
                                                                 {"search_index_lag", "200ms"}}}}});
    before_ = OrderOf(CreateOrder(*stack_, OrderRequest("before")));
  }
  static void TearDownTestSuite() { stack_.reset(); }
  static Stack& stack() { return *stack_; }

  void SetUp() override {
    ASSERT_TRUE(Eventually([&] { return Serving("tollbridge.mutations"); }));
    orders_before_ = stack().SandboxOrders().size();
  }

  /// A mutation is refused in time and a read is answered.
  void ExpectReadsOnly(const std::string& key) {
    const auto began = steady_clock::now();
    const RpcReply refused = CreateOrder(stack(), OrderRequest(key), {.deadline = kDeadline});
    EXPECT_LT(steady_clock::now() - began, kDeadline);
    EXPECT_EQ(refused.status.code, kUnavailable) << refused.status.message;
    EXPECT_EQ(refused.status.reason, "STORE_UNAVAILABLE");
    EXPECT_THAT(stack().SandboxOrders(), SizeIs(orders_before_));
    const RpcReply read = GetOrder(stack(), before_.id());
    EXPECT_TRUE(read.status.ok()) << read.status.message;
  }

  /// The same call with the same key comes through before long; that nothing is known yet is no
  /// outcome.
  void ExpectRecovery(const std::string& key) {
    payments::v1::CreateOrderResponse response;
    EXPECT_TRUE(Eventually([&] {
      const RpcReply reply = CreateOrder(stack(), OrderRequest(key));
      return reply.status.ok() && response.ParseFromString(reply.bytes) && response.has_order();
    })) << response.ShortDebugString();
    EXPECT_THAT(stack().SandboxOrders(), SizeIs(orders_before_ + 1));
  }

  bool Serving(const std::string& health_name) {
    return HealthOf(stack().grpc(), health_name) == Health::kServing;
  }

 private:
  static inline std::unique_ptr<Stack> stack_;
  static inline common::v1::Order before_;
  std::size_t orders_before_ = 0;
};

TEST_F(RedisOutageTest, WhileItIsStoppedMutationsAreRefusedUnsentAndReadsGoOn) {
  stack().redis().Stop();
  ExpectReadsOnly("stopped");
  EXPECT_TRUE(Eventually([&] { return !Serving("tollbridge.mutations"); }));
  EXPECT_TRUE(Serving(""));
  stack().redis().Restart();
  ExpectRecovery("stopped");
  EXPECT_TRUE(Eventually([&] { return Serving("tollbridge.mutations"); }));
}

TEST_F(RedisOutageTest, WhileItHangsMutationsAreRefusedUnsentAndReadsGoOn) {
  stack().redis().Pause();
  ExpectReadsOnly("hanging");
  stack().redis().Resume();
  ExpectRecovery("after-hanging");
}

/// One stack for all tests of this suite, at a broker of its own.
class KafkaOutageTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    kafka_ = std::make_unique<KafkaBroker>();
    // No webhook is ever repeated here. The group soon gives the partitions of a gateway that died
    // to the next one.
    stack_ =
        std::make_unique<Stack>(StackOptions{.settings = {{"kafka", {{"session_timeout", "5s"}}}},
                                             .sandbox_arguments = {"--webhook-pause-ms", "3600000"},
                                             .kafka = kafka_.get()});
    events_ = stack_->OpenTopic("events");
  }
  static void TearDownTestSuite() {
    events_.reset();
    stack_.reset();
    kafka_.reset();
  }
  static Stack& stack() { return *stack_; }

  void SetUp() override {
    if (!kafka_->running()) kafka_->Start();
    kafka_->Resume();
  }

  /// The webhook is refused before its sender gives up; where the machine is busy, one of several
  /// is.
  static void ExpectRefusedInTime(const std::string& order_id) {
    EXPECT_TRUE(Eventually([&] {
      const auto began = steady_clock::now();
      EXPECT_EQ(HttpCall("POST", stack().webhook_url(), WebhookBody(order_id)).status, 503);
      return steady_clock::now() - began < std::chrono::milliseconds(2500);
    }));
  }

  /// Attempts at webhooks about the order.
  static std::vector<boost::json::value> DeliveriesOf(const std::string& order_id) {
    std::vector<boost::json::value> deliveries;
    for (const boost::json::value& each : stack().SandboxDeliveries()) {
      if (each.at("order_id").as_string() == order_id) deliveries.push_back(each);
    }
    return deliveries;
  }

  /// An order is paid while Kafka is down, and must be told of once when Kafka is back. A gateway
  /// that lives still has the hints that were not acknowledged; one that died has only the due
  /// queue, which reads an order that is not final again after 30 s.
  void PayInAnOutage(bool gateway_dies) {
    const std::string key = gateway_dies ? "paid-and-died" : "paid-in-the-outage";
    const auto order = OrderOf(CreateOrder(stack(), OrderRequest(key)));
    ASSERT_TRUE(AwaitEvent(*events_, order.id(), kPaymentCreated));

    kafka_->Stop();
    ExpectRefusedInTime(order.id());
    PayOnHostedPage(stack(), order);
    EXPECT_TRUE(Eventually([&] {
      const auto deliveries = DeliveriesOf(order.id());
      return !deliveries.empty() && std::ranges::none_of(deliveries, [](const auto& delivery) {
        return delivery.at("result").as_string() == "in flight";
      });
    }));
    for (const auto& delivery : DeliveriesOf(order.id())) {
      EXPECT_EQ(delivery.at("result").as_string(), "503");
      EXPECT_EQ(delivery.at("attempt").as_int64(), 1);
    }
    EXPECT_TRUE(CreateOrder(stack(), OrderRequest("after-" + key)).status.ok());

    if (gateway_dies) stack().gateway().Kill();
    kafka_->Start();
    if (gateway_dies) stack().StartGateway();
    ASSERT_TRUE(events_->ReadUntil([&](const auto& records) {
      return !EventsOf(records, order.id(), kPaymentCompleted).empty();
    }));

    // Whoever looks again finds nothing new.
    const std::string unchanged = "tollbridge_reads_total{project=\"demo\",result=\"unchanged\"}";
    const double before = stack().Metric(unchanged);
    ASSERT_EQ(HttpCall("POST", stack().webhook_url(), WebhookBody(order.id())).status, 200);
    ASSERT_TRUE(Eventually([&] { return stack().Metric(unchanged) > before; }));
    std::set<std::string> ids;
    for (const auto& event : EventsOf(events_->ReadAll(), order.id(), kPaymentCompleted)) {
      ids.insert(event.header("ce_id"));
    }
    EXPECT_THAT(ids, SizeIs(1));
  }

  static inline std::unique_ptr<KafkaBroker> kafka_;
  static inline std::unique_ptr<Topic> events_;

 private:
  static inline std::unique_ptr<Stack> stack_;
};

TEST_F(KafkaOutageTest, ThePaidOrderIsToldOfOnceWhenKafkaIsBackThoughNoWebhookIsRepeated) {
  PayInAnOutage(false);
}

TEST_F(KafkaOutageTest, ThePaidOrderIsToldOfOnceAlsoWhenTheGatewayDiedInTheOutage) {
  PayInAnOutage(true);
}

TEST_F(KafkaOutageTest, WhileKafkaHangsTheWebhookIsAnsweredInTime) {
  const auto order = OrderOf(CreateOrder(stack(), OrderRequest("hanging")));
  ASSERT_TRUE(AwaitEvent(*events_, order.id(), kPaymentCreated));
  const auto ready = [&] { return ProbeAt(stack().metrics_url(), "/readyz").status == 200; };
  ASSERT_TRUE(Eventually(ready));
  kafka_->Pause();
  ExpectRefusedInTime(order.id());
  EXPECT_TRUE(Eventually([&] { return !ready(); }));
  EXPECT_EQ(ProbeAt(stack().metrics_url(), "/readyz").body,
            "webhooks: no broker answers, or the topics may not be written to\n");
  EXPECT_EQ(ProbeAt(stack().metrics_url(), "/livez").status, 200);
  kafka_->Resume();
  EXPECT_TRUE(Eventually(ready));
}

}  // namespace
}  // namespace tollbridge::test
