// An order is created, paid and told of, through the whole product.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/e2e/support/payments.h"
#include "tests/support/http_call.h"
#include "tests/support/otlp_receiver.h"
#include "tests/support/stack.h"
#include "tests/support/webhook.h"

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

/// One stack for all tests of this suite, and an order that was paid in it, within a trace.
class PaymentTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    collector_ = std::make_unique<OtlpReceiver>();
    stack_ = std::make_unique<Stack>(
        StackOptions{.settings = {{"traces", {{"otlp_endpoint", collector_->url()}}}}});
    events_ = stack_->OpenTopic("events");
    auto request = OrderRequest("payment-test");
    request.set_description("one coffee grinder");
    order_ = OrderOf(
        CreateOrder(*stack_, request, {.metadata = {{"traceparent", std::string(kTraceparent)}}}));
    PayOnHostedPage(*stack_, order_);
    ASSERT_TRUE(AwaitEvent(*events_, order_.id(), kPaymentCompleted));
  }
  static void TearDownTestSuite() {
    events_.reset();
    stack_.reset();
    collector_.reset();
  }

  static Stack& stack() { return *stack_; }
  /// How many events of this type there are, of all orders.
  static double Published(std::string_view type) {
    return static_cast<double>(std::ranges::count_if(
        events_->ReadAll(),
        [&](const TopicRecord& record) { return record.header("ce_type") == type; }));
  }

  static inline std::unique_ptr<OtlpReceiver> collector_;
  static inline std::unique_ptr<Topic> events_;
  static inline common::v1::Order order_;
  /// Webhooks that no service has sent.
  static inline double posted_ = 0;

 private:
  static inline std::unique_ptr<Stack> stack_;
};

TEST_F(PaymentTest, PayingOnTheHostedPagePublishesCreatedThenCompletedWithCloudEventsHeaders) {
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
  const RpcReply reply = GetOrder(stack(), order_.id());
  ASSERT_TRUE(reply.status.ok()) << reply.status.message;
  const auto order = reply.As<payments::v1::GetOrderResponse>().order();
  EXPECT_EQ(order.id(), order_.id());
  EXPECT_EQ(order.status(), common::v1::ORDER_STATUS_COMPLETED);
  EXPECT_EQ(order.description(), "one coffee grinder");
  EXPECT_EQ(order.transactions_size(), 1);
  EXPECT_FALSE(order.extra().fields().contains("tollbridge_operation"));
}

TEST_F(PaymentTest, MetricsCountWhatHappened) {
  // The event may be read before the gateway has counted it.
  const auto becomes = [&](const std::string& metric, std::string_view type) {
    return Eventually([&] {
      const double count = Published(type);
      return count >= 1 && stack().Metric(metric) == count;
    });
  };
  const std::string published = "tollbridge_events_published_total{kind=\"payment\",what=";
  EXPECT_TRUE(becomes(published + "\"created\"}", kPaymentCreated));
  EXPECT_TRUE(becomes(published + "\"completed\"}", kPaymentCompleted));
  // The service tells of each change of status.
  const auto all_accepted = [&] {
    const auto deliveries = static_cast<double>(stack().SandboxDeliveries().size());
    const double webhooks = deliveries + posted_;
    return deliveries >= 1 &&
           stack().Metric("tollbridge_webhooks_total{project=\"demo\",result=\"accepted\"}") ==
               webhooks &&
           stack().Metric("tollbridge_hints_total{source=\"webhook\"}") == webhooks;
  };
  EXPECT_TRUE(Eventually(all_accepted)) << HttpGet(stack().metrics_url());
  EXPECT_TRUE(
      Eventually([&] { return stack().Metric("tollbridge_hints_total{source=\"poller\"}") >= 1; }));
  EXPECT_THAT(HttpGet(stack().metrics_url()), HasSubstr("grpc_method=\"CreateOrder\""));
}

TEST_F(PaymentTest, SpansOfTheCallAndItsStepReachTheCollectorInTheCallersTrace) {
  EXPECT_TRUE(Eventually([&] { return collector_->HasSpan("step create_order", kTraceId); }));
}

TEST_F(PaymentTest, ARepeatedWebhookPublishesNothingNew) {
  const std::string unchanged = "tollbridge_reads_total{project=\"demo\",result=\"unchanged\"}";
  const double before = stack().Metric(unchanged);
  ASSERT_EQ(HttpCall("POST", stack().webhook_url(), WebhookBody(order_.id())).status, 200);
  ++posted_;
  EXPECT_TRUE(Eventually([&] { return stack().Metric(unchanged) > before; }));
  EXPECT_THAT(EventsOf(events_->ReadAll(), order_.id()), SizeIs(2));
}

TEST_F(PaymentTest, ADeclinedAttemptOnTheHostedPageIsNotTheEnd) {
  const auto order = OrderOf(CreateOrder(stack(), OrderRequest("declined-first")));
  PayOnHostedPage(stack(), order, kDeclinedPan);
  PayOnHostedPage(stack(), order);
  ASSERT_TRUE(AwaitEvent(*events_, order.id(), kPaymentCompleted));
  EXPECT_THAT(EventsOf(events_->ReadAll(), order.id(), "tollbridge.payment.failed.v1"), IsEmpty());
}

/// The parameter is where the gRPC server listens.
class ListenTest : public testing::TestWithParam<std::string> {};

TEST_P(ListenTest, CallersCanUseTheAddressThatIsTold) {
  Stack stack({.settings = {{"rpc", {{"listen", "'" + GetParam() + ":0'"}}}}});
  EXPECT_THAT(stack.grpc_address(), StartsWith(GetParam() + ":"));
  EXPECT_NE(OrderOf(CreateOrder(stack, OrderRequest("listen"))).id(), "");
}

/// Machines need not have IPv6.
std::vector<std::string> Loopbacks() {
  std::vector<std::string> loopbacks = {"127.0.0.1"};
  boost::asio::io_context context;
  const boost::asio::ip::tcp::endpoint any_port(boost::asio::ip::address_v6::loopback(), 0);
  try {
    const boost::asio::ip::tcp::acceptor acceptor(context, any_port);
    loopbacks.emplace_back("[::1]");
  } catch (const boost::system::system_error&) {
    return loopbacks;
  }
  return loopbacks;
}

INSTANTIATE_TEST_SUITE_P(Loopback, ListenTest, testing::ValuesIn(Loopbacks()),
                         [](const testing::TestParamInfo<std::string>& listen) {
                           return listen.param.front() == '[' ? "Ipv6" : "Ipv4";
                         });

}  // namespace
}  // namespace tollbridge::test
