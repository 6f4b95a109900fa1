// What still works, and what is promised, while Redis or Kafka is down.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <string>

#include "tests/e2e/payments.h"
#include "tests/support/http_call.h"
#include "tests/support/kafka_broker.h"
#include "tests/support/stack.h"

namespace tollbridge::test {
namespace {

using std::chrono::steady_clock;
using testing::SizeIs;

constexpr int kUnavailable = 14;
constexpr std::chrono::seconds kDeadline{5};

class RedisOutageTest : public testing::Test {
 protected:
  /// A mutation is refused in time and a read is answered.
  void ExpectReadsOnly(const std::string& key) {
    const auto began = steady_clock::now();
    const RpcReply refused = CreateOrder(stack_, OrderRequest(key), {.deadline = kDeadline});
    EXPECT_LT(steady_clock::now() - began, kDeadline);
    EXPECT_EQ(refused.status.code, kUnavailable) << refused.status.message;
    EXPECT_EQ(refused.status.reason, "STORE_UNAVAILABLE");
    EXPECT_THAT(stack_.SandboxOrders(), SizeIs(1));
    const RpcReply read = GetOrder(stack_, before_.id());
    EXPECT_TRUE(read.status.ok()) << read.status.message;
  }

  /// The same call with the same key comes through before long.
  void ExpectRecovery(const std::string& key, std::size_t orders) {
    RpcReply reply;
    EXPECT_TRUE(Eventually([&] {
      reply = CreateOrder(stack_, OrderRequest(key));
      return reply.status.ok();
    })) << reply.status.message;
    EXPECT_THAT(stack_.SandboxOrders(), SizeIs(orders));
  }

  bool Serving(const std::string& health_name) {
    return HealthOf(stack_.grpc(), health_name) == Health::kServing;
  }

  // A server that was started again may have forgotten: nothing is sent in the first quarantine.
  Stack stack_{{.settings = {{"operations",
                              {{"send_window", "2s"},
                               {"attempt_deadline", "1s"},
                               {"late_execution_bound", "500ms"},
                               {"search_index_lag", "200ms"}}}}}};
  common::v1::Order before_ = OrderOf(CreateOrder(stack_, OrderRequest("before")));
};

TEST_F(RedisOutageTest, WhileItIsStoppedMutationsAreRefusedUnsentAndReadsGoOn) {
  ASSERT_TRUE(Eventually([&] { return Serving("tollbridge.mutations"); }));
  stack_.redis().Stop();
  ExpectReadsOnly("stopped");
  EXPECT_TRUE(Eventually([&] { return !Serving("tollbridge.mutations"); }));
  EXPECT_TRUE(Serving(""));
  stack_.redis().Restart();
  ExpectRecovery("stopped", 2);
  EXPECT_TRUE(Eventually([&] { return Serving("tollbridge.mutations"); }));
}

TEST_F(RedisOutageTest, WhileItHangsMutationsAreRefusedUnsentAndReadsGoOn) {
  stack_.redis().Pause();
  ExpectReadsOnly("hanging");
  stack_.redis().Resume();
  ExpectRecovery("after-hanging", 2);
}

class KafkaOutageTest : public testing::Test {
 protected:
  /// An order is paid while Kafka is down, and must be told of once when Kafka is back. A gateway
  /// that lives still has the hints that were not acknowledged; one that died has only the due
  /// queue, which reads an order that is not final again after 30 s.
  void PayInAnOutage(bool gateway_dies) {
    const auto order = OrderOf(CreateOrder(stack_, OrderRequest("paid-in-the-outage")));
    ASSERT_TRUE(AwaitEvent(*events_, order.id(), kPaymentCreated));

    KafkaBroker::Shared().Stop();
    const auto began = steady_clock::now();
    EXPECT_EQ(HttpCall("POST", stack_.webhook_url(), WebhookBody(order.id())).status, 503);
    EXPECT_LT(steady_clock::now() - began, std::chrono::milliseconds(2500));
    PayOnHostedPage(stack_, order);
    EXPECT_TRUE(Eventually([&] {
      const auto deliveries = stack_.SandboxDeliveries();
      return !deliveries.empty() && std::ranges::none_of(deliveries, [](const auto& delivery) {
        return delivery.at("result").as_string() == "in flight";
      });
    }));
    for (const auto& delivery : stack_.SandboxDeliveries()) {
      EXPECT_EQ(delivery.at("result").as_string(), "503");
      EXPECT_EQ(delivery.at("attempt").as_int64(), 1);
    }
    EXPECT_TRUE(CreateOrder(stack_, OrderRequest("during-the-outage")).status.ok());

    if (gateway_dies) stack_.gateway().Kill();
    KafkaBroker::Shared().Start();
    if (gateway_dies) stack_.StartGateway();
    ASSERT_TRUE(events_->ReadUntil(
        [&](const auto& records) {
          return !EventsOf(records, order.id(), kPaymentCompleted).empty();
        },
        std::chrono::seconds(75)));

    // Whoever looks again finds nothing new.
    const std::string unchanged = "tollbridge_reads_total{result=\"unchanged\"}";
    const double before = stack_.Metric(unchanged);
    ASSERT_EQ(HttpCall("POST", stack_.webhook_url(), WebhookBody(order.id())).status, 200);
    ASSERT_TRUE(Eventually([&] { return stack_.Metric(unchanged) > before; }));
    std::set<std::string> ids;
    for (const auto& event : EventsOf(events_->ReadAll(), order.id(), kPaymentCompleted)) {
      ids.insert(event.header("ce_id"));
    }
    EXPECT_THAT(ids, SizeIs(1));
  }

  // No webhook is ever repeated here.
  Stack stack_{{.sandbox_arguments = {"--webhook-pause-ms", "3600000"}}};
  std::unique_ptr<Topic> events_ = stack_.OpenTopic("events");
};

TEST_F(KafkaOutageTest, ThePaidOrderIsToldOfOnceWhenKafkaIsBackThoughNoWebhookIsRepeated) {
  PayInAnOutage(false);
}

TEST_F(KafkaOutageTest, ThePaidOrderIsToldOfOnceAlsoWhenTheGatewayDiedInTheOutage) {
  PayInAnOutage(true);
}

TEST_F(KafkaOutageTest, WhileKafkaHangsTheWebhookIsAnsweredInTime) {
  const auto order = OrderOf(CreateOrder(stack_, OrderRequest("hanging")));
  ASSERT_TRUE(AwaitEvent(*events_, order.id(), kPaymentCreated));
  KafkaBroker::Shared().Pause();
  const auto began = steady_clock::now();
  const int status = HttpCall("POST", stack_.webhook_url(), WebhookBody(order.id())).status;
  const auto took = steady_clock::now() - began;
  KafkaBroker::Shared().Resume();
  EXPECT_EQ(status, 503);
  EXPECT_LT(took, std::chrono::milliseconds(2500));
}

}  // namespace
}  // namespace tollbridge::test
