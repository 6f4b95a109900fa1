// An order is created, paid and told of, through the whole product.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/e2e/payments.h"
#include "tests/support/http_call.h"
#include "tests/support/otlp_receiver.h"
#include "tests/support/stack.h"

namespace tollbridge::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

constexpr std::string_view kTraceId = "4bf92f3577b34da6a3ce929d0e0e4736";
constexpr std::string_view kTraceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

std::vector<std::string> Types(const std::vector<TopicRecord>& events) {
  std::vector<std::string> types;
  for (const TopicRecord& event : events) types.push_back(event.header("ce_type"));
  return types;
}

class PaymentTest : public testing::Test {
 protected:
  /// Creates an order within the trace, pays it and waits for its events.
  void PayAnOrder() {
    auto request = OrderRequest("payment-test");
    request.set_description("one coffee grinder");
    order_ = OrderOf(
        CreateOrder(stack_, request, {.metadata = {{"traceparent", std::string(kTraceparent)}}}));
    PayOnHostedPage(stack_, order_);
    ASSERT_TRUE(AwaitEvent(*events_, order_.id(), kPaymentCompleted));
  }

  OtlpReceiver collector_;
  Stack stack_{{.settings = {{"traces", {{"otlp_endpoint", collector_.url()}}}}}};
  std::unique_ptr<Topic> events_ = stack_.OpenTopic("events");
  common::v1::Order order_;
};

TEST_F(PaymentTest, PayingOnTheHostedPagePublishesCreatedThenCompletedWithCloudEventsHeaders) {
  ASSERT_NO_FATAL_FAILURE(PayAnOrder());
  const std::vector<TopicRecord> events = EventsOf(events_->ReadAll(), order_.id());
  ASSERT_THAT(Types(events), ElementsAre(kPaymentCreated, kPaymentCompleted));
  std::uint64_t sequence = 0;
  for (const TopicRecord& record : events) {
    events::v1::PaymentEvent event;
    ASSERT_TRUE(event.ParseFromString(record.value));
    EXPECT_EQ(record.key, order_.id());
    EXPECT_EQ(record.header("ce_specversion"), "1.0");
    EXPECT_EQ(record.header("ce_id"), event.id());
    EXPECT_EQ(record.header("ce_type"), event.type());
    EXPECT_THAT(record.header("ce_source"), Not(IsEmpty()));
    EXPECT_THAT(record.header("ce_time"), HasSubstr("T"));
    EXPECT_THAT(record.header("ce_dataschema"), Not(IsEmpty()));
    EXPECT_EQ(record.header("content-type"), "application/protobuf");
    EXPECT_EQ(record.header("test"), "true");
    EXPECT_THAT(record.header("traceparent"), StartsWith("00-"));
    EXPECT_THAT(record.header("origin_traceparent"), HasSubstr(std::string(kTraceId)));
    EXPECT_EQ(event.order_id(), order_.id());
    EXPECT_EQ(event.amount(), 1250);
    EXPECT_EQ(event.currency(), "EUR");
    EXPECT_EQ(event.sequence(), ++sequence);
    EXPECT_THAT(event.order().order_url(), IsEmpty());
  }
  EXPECT_NE(events[0].header("ce_id"), events[1].header("ce_id"));
}

TEST_F(PaymentTest, GetOrderShowsThePaidOrderWithoutTheMark) {
  ASSERT_NO_FATAL_FAILURE(PayAnOrder());
  const RpcReply reply = GetOrder(stack_, order_.id());
  ASSERT_TRUE(reply.status.ok()) << reply.status.message;
  const auto order = reply.As<payments::v1::GetOrderResponse>().order();
  EXPECT_EQ(order.id(), order_.id());
  EXPECT_EQ(order.status(), common::v1::ORDER_STATUS_COMPLETED);
  EXPECT_EQ(order.description(), "one coffee grinder");
  EXPECT_EQ(order.transactions_size(), 1);
  EXPECT_FALSE(order.extra().fields().contains("tollbridge_operation"));
}

TEST_F(PaymentTest, MetricsCountWhatHappened) {
  ASSERT_NO_FATAL_FAILURE(PayAnOrder());
  // The event may be read before the gateway has counted it.
  const auto becomes = [&](const std::string& metric, double value) {
    return Eventually([&] { return stack_.Metric(metric) == value; });
  };
  const std::string published = "tollbridge_events_published_total{kind=\"payment\",what=";
  EXPECT_TRUE(becomes(published + "\"created\"}", 1));
  EXPECT_TRUE(becomes(published + "\"completed\"}", 1));
  // The service tells of each change of status.
  const auto all_accepted = [&] {
    const auto deliveries = static_cast<double>(stack_.SandboxDeliveries().size());
    return deliveries >= 1 &&
           stack_.Metric("tollbridge_webhooks_total{result=\"accepted\"}") == deliveries &&
           stack_.Metric("tollbridge_hints_total{source=\"webhook\"}") == deliveries;
  };
  EXPECT_TRUE(Eventually(all_accepted)) << HttpGet(stack_.metrics_url());
  EXPECT_TRUE(
      Eventually([&] { return stack_.Metric("tollbridge_hints_total{source=\"poller\"}") >= 1; }));
  EXPECT_THAT(HttpGet(stack_.metrics_url()), HasSubstr("grpc_method=\"CreateOrder\""));
}

TEST_F(PaymentTest, SpansOfTheCallAndItsStepReachTheCollectorInTheCallersTrace) {
  ASSERT_NO_FATAL_FAILURE(PayAnOrder());
  EXPECT_TRUE(Eventually([&] { return collector_.HasSpan("step create_order", kTraceId); }));
}

TEST_F(PaymentTest, ARepeatedWebhookPublishesNothingNew) {
  ASSERT_NO_FATAL_FAILURE(PayAnOrder());
  ASSERT_EQ(HttpCall("POST", stack_.webhook_url(), WebhookBody(order_.id())).status, 200);
  const std::string unchanged = "tollbridge_reads_total{result=\"unchanged\"}";
  EXPECT_TRUE(Eventually([&] { return stack_.Metric(unchanged) >= 1; }));
  EXPECT_THAT(EventsOf(events_->ReadAll(), order_.id()), SizeIs(2));
}

TEST_F(PaymentTest, ADeclinedAttemptOnTheHostedPageIsNotTheEnd) {
  const auto order = OrderOf(CreateOrder(stack_, OrderRequest("declined-first")));
  PayOnHostedPage(stack_, order, kDeclinedPan);
  PayOnHostedPage(stack_, order);
  ASSERT_TRUE(AwaitEvent(*events_, order.id(), kPaymentCompleted));
  EXPECT_THAT(EventsOf(events_->ReadAll(), order.id(), "tollbridge.payment.failed.v1"), IsEmpty());
}

}  // namespace
}  // namespace tollbridge::test
