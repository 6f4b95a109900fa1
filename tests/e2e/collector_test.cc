// One payment, followed from its caller to a consumer of its event by what the OpenTelemetry
// Collector has written of it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/telemetry/tracing.h"
#include "base/core/encoding.h"
#include "base/telemetry/span.h"
#include "tests/e2e/support/payments.h"
#include "tests/support/otel_collector.h"
#include "tests/support/otlp_spans.h"
#include "tests/support/stack.h"

namespace tollbridge::test {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::string_view kTraceId = "6bf92f3577b34da6a3ce929d0e0e4736";
constexpr std::string_view kCaller = "00f067aa0ba902b7";
constexpr std::string_view kRpc = "tollbridge.payments.v1.Payments/CreateOrder";

/// A consumer of events that is traced, as docs/guides/consumers.md has it: another process to the
/// collector.
void Consume(const std::string& otlp_endpoint, const TopicRecord& record) {
  auto tracing = telemetry_exporters::Tracing::Start(
      {.otlp_endpoint = otlp_endpoint, .service_name = "ledger"});
  ASSERT_TRUE(tracing.ok()) << tracing.status();
  const auto event = telemetry::TraceContext::FromHeaders(record.header("traceparent"),
                                                          record.header("tracestate"));
  ASSERT_TRUE(event);
  {
    const telemetry::Span span = telemetry::StartSpan(
        "process events", *event, telemetry::SpanKind::kConsumer,
        telemetry::TraceContext::FromTraceparent(record.header("origin_traceparent")));
  }
  const absl::Status exported = (*tracing)->ShutDown(kPatientLimit);
  EXPECT_TRUE(exported.ok()) << exported;
}

/// The names of spans that began before the one ahead of them in the list, or are not there.
std::vector<std::string> OutOfOrder(const TraceOf& trace, const std::vector<std::string>& names) {
  std::vector<std::string> wrong;
  std::uint64_t before = 0;
  for (const std::string& name : names) {
    const otlp::v1::Span* span = trace.Find(name);
    if (span == nullptr || span->start_time_unix_nano() < before) wrong.push_back(name);
    if (span != nullptr) before = span->start_time_unix_nano();
  }
  return wrong;
}

/// The parameter is the collector's program.
class CollectorTest : public testing::TestWithParam<std::string> {
 protected:
  OtelCollector collector_{GetParam()};
  Stack stack_{StackOptions{.settings = {{"traces", {{"otlp_endpoint", collector_.url()}}}}}};
};

TEST_P(CollectorTest, OnePaymentIsFollowedFromItsCallerToAConsumerOfItsEvent) {
  const auto events = stack_.OpenTopic("events");
  const std::string traceparent =
      "00-" + std::string(kTraceId) + "-" + std::string(kCaller) + "-01";
  const common::v1::Order order =
      OrderOf(CreateOrder(stack_, OrderRequest("collector"),
                          {.metadata = {{"traceparent", traceparent}, {"tracestate", "shop=7"}}}));
  PayOnHostedPage(stack_, order);
  ASSERT_TRUE(AwaitEvent(*events, order.id(), kPaymentCompleted));
  const TopicRecord paid = EventsOf(events->ReadAll(), order.id(), kPaymentCompleted).at(0);
  ASSERT_NO_FATAL_FAILURE(Consume(collector_.url(), paid));

  // The call, with Redis and the payment service, in the caller's trace.
  const std::vector<std::string> of_call = {std::string(kRpc), "EVALSHA claim", "create_order",
                                            "EVALSHA finish"};
  std::optional<TraceOf> call;
  ASSERT_TRUE(Eventually([&] { return call.emplace(collector_.Spans(), kTraceId).Has(of_call); }));
  EXPECT_THAT(OutOfOrder(*call, of_call), IsEmpty());
  EXPECT_EQ(HexEncode(call->Find(kRpc)->parent_span_id()), kCaller);
  for (const std::string& each : of_call) {
    EXPECT_TRUE(call->IsBelow(each, kRpc)) << each;
    EXPECT_EQ(call->Find(each)->trace_state(), "shop=7") << each;
  }

  // What the payment service told: webhook, Kafka, read, event and consumer are one trace.
  const std::string send = "send " + stack_.TopicName("events");
  const std::vector<std::string> of_event = {"POST /webhooks/{token}", "read order",   "get_order",
                                             "EVALSHA save_snapshot",  "create event", send,
                                             "process events"};
  std::optional<TraceOf> told;
  ASSERT_TRUE(Eventually([&] {
    return told.emplace(collector_.Spans(), paid.header("traceparent").substr(3, 32)).Has(of_event);
  }));
  for (const std::string& each : of_event) {
    EXPECT_TRUE(told->IsBelow(each, of_event.front())) << each;
  }
  const otlp::v1::Span& created = told->Of("create event", paid.header("ce_id"));
  const otlp::v1::Span& sent = told->Of(send, paid.header("ce_id"));
  const otlp::v1::Span& consumed = *told->Find("process events");
  EXPECT_EQ(consumed.kind(), otlp::v1::Span::SPAN_KIND_CONSUMER);
  EXPECT_EQ(consumed.parent_span_id(), created.span_id());
  EXPECT_GE(sent.start_time_unix_nano(), created.start_time_unix_nano());
  EXPECT_GE(consumed.start_time_unix_nano(), sent.end_time_unix_nano());
  EXPECT_THAT(OutOfOrder(*told, {"POST /webhooks/{token}", "read order", "get_order"}), IsEmpty());

  // Both are bound by links: the event's and the consumer's to the call.
  ASSERT_THAT(sent.links(), SizeIs(1));
  EXPECT_EQ(sent.links(0).span_id(), created.span_id());
  for (const otlp::v1::Span* each : {&created, &consumed}) {
    ASSERT_THAT(each->links(), SizeIs(1)) << each->name();
    EXPECT_EQ(HexEncode(each->links(0).trace_id()), kTraceId) << each->name();
    EXPECT_EQ(each->links(0).span_id(), call->Find(kRpc)->span_id()) << each->name();
  }
}

std::vector<std::string> Programs() {
  const char* collector = std::getenv("TOLLBRIDGE_COLLECTOR");
  return collector == nullptr || *collector == '\0' ? std::vector<std::string>()
                                                    : std::vector<std::string>{collector};
}

INSTANTIATE_TEST_SUITE_P(Collector, CollectorTest, testing::ValuesIn(Programs()),
                         [](const auto&) { return "OpenTelemetry"; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(CollectorTest);

TEST(CollectorPartsTest, TheVariableIsThere) {
  EXPECT_NE(std::getenv("TOLLBRIDGE_COLLECTOR"), nullptr)
      << "./dev test sets it, to nothing where Go is missing";
}

}  // namespace
}  // namespace tollbridge::test
