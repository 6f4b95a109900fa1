// One payment, followed from the call to its event by the spans that a collector has of it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/encoding.h"
#include "tests/e2e/support/payments.h"
#include "tests/support/otlp_receiver.h"
#include "tests/support/otlp_spans.h"
#include "tests/support/stack.h"

namespace tollbridge::test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Key;
using ::testing::Not;
using ::testing::Pair;

constexpr std::string_view kTraceId = "6bf92f3577b34da6a3ce929d0e0e4736";
constexpr std::string_view kCaller = "00f067aa0ba902b7";
constexpr std::string_view kPaid = "tollbridge.payment.completed.v1";

class PaymentTraceTest : public testing::Test {
 protected:
  OtlpReceiver collector_;
  Stack stack_{StackOptions{.settings = {{"traces", {{"otlp_endpoint", collector_.url()}}}}}};
};

TEST_F(PaymentTraceTest, OnePaymentIsFollowedFromTheCallToItsEvent) {
  const auto events = stack_.OpenTopic("events");
  const std::string traceparent =
      "00-" + std::string(kTraceId) + "-" + std::string(kCaller) + "-01";
  const common::v1::Order order =
      OrderOf(CreateOrder(stack_, OrderRequest("trace"),
                          {.metadata = {{"traceparent", traceparent}, {"tracestate", "shop=7"}}}));
  PayOnHostedPage(stack_, order);
  ASSERT_TRUE(AwaitEvent(*events, order.id(), kPaid));

  // The call: the caller's span, ours, Redis before and after, and the payment service.
  const std::string rpc = "tollbridge.payments.v1.Payments/CreateOrder";
  std::optional<TraceOf> call;
  ASSERT_TRUE(Eventually([&] {
    return call.emplace(collector_.Spans(), kTraceId)
        .Has({rpc, "EVALSHA claim", "step create_order", "create_order", "EVALSHA finish"});
  }));
  EXPECT_EQ(HexEncode(call->Find(rpc)->parent_span_id()), kCaller);
  EXPECT_EQ(call->Find(rpc)->trace_state(), "shop=7");
  EXPECT_THAT(Attributes(*call->Find(rpc)),
              AllOf(Contains(Pair("rpc.system.name", "grpc")), Contains(Pair("rpc.method", rpc)),
                    Contains(Pair("rpc.response.status_code", "OK")),
                    Contains(Pair("tollbridge.outcome", "done")),
                    Contains(Pair("tollbridge.project", "demo")),
                    Contains(Pair("tollbridge.order_id", order.id()))));
  for (const char* each : {"EVALSHA claim", "create_order", "EVALSHA finish"}) {
    EXPECT_TRUE(call->IsBelow(each, rpc)) << each;
  }
  EXPECT_THAT(Attributes(*call->Find("EVALSHA claim")),
              AllOf(Contains(Pair("db.system.name", "redis")),
                    Contains(Pair("db.stored_procedure.name", "claim"))));
  EXPECT_THAT(Attributes(*call->Find("create_order")),
              AllOf(Contains(Pair("http.request.method", "POST")), Contains(Key("server.port")),
                    Contains(Pair("server.address", "127.0.0.1")),
                    Contains(Pair("url.full", HasSubstr("/v1/orders/")))));

  // The event: webhook, read, snapshot and publication are another trace, which links to the call.
  const auto records = EventsOf(events->ReadAll(), order.id());
  const TopicRecord& paid = records.back();
  ASSERT_EQ(paid.header("ce_type"), kPaid);
  const std::string trace = paid.header("traceparent").substr(3, 32);
  const std::string send = "send " + stack_.TopicName("events");
  std::optional<TraceOf> told;
  ASSERT_TRUE(Eventually([&] {
    return told.emplace(collector_.Spans(), trace)
        .Has({"POST /webhooks/{token}", "read order", "get_order", "EVALSHA save_snapshot",
              "create event", send});
  }));
  const otlp::v1::Span& created = told->Of("create event", paid.header("ce_id"));
  EXPECT_EQ(HexEncode(created.span_id()), paid.header("traceparent").substr(36, 16));
  ASSERT_EQ(created.links_size(), 1);
  EXPECT_EQ(HexEncode(created.links(0).trace_id()), kTraceId);
  for (const std::string& each :
       {std::string("get_order"), std::string("EVALSHA save_snapshot"), send}) {
    EXPECT_TRUE(told->IsBelow(each, "read order")) << each;
  }
  EXPECT_TRUE(told->IsBelow("read order", "POST /webhooks/{token}"));
  EXPECT_THAT(
      Attributes(*told->Find("POST /webhooks/{token}")),
      AllOf(Contains(Pair("http.response.status_code", "200")), Not(Contains(Key("url.path")))));
  const otlp::v1::Span& sent = told->Of(send, paid.header("ce_id"));
  EXPECT_THAT(
      Attributes(sent),
      AllOf(Contains(Pair("messaging.system", "kafka")),
            Contains(Pair("messaging.message.id", paid.header("ce_id"))),
            Contains(Pair("messaging.destination.partition.id", std::to_string(paid.partition))),
            Contains(Pair("messaging.kafka.offset", std::to_string(paid.offset)))));
  ASSERT_EQ(sent.links_size(), 1);
  EXPECT_EQ(sent.links(0).span_id(), created.span_id());
}

TEST_F(PaymentTraceTest, AnIdleProcessMakesNoTraces) {
  const double passes = stack_.Metric("tollbridge_resolver_passes_total{project=\"demo\"}");
  ASSERT_TRUE(Eventually([&] {
    return stack_.Metric("tollbridge_resolver_passes_total{project=\"demo\"}") > passes + 3;
  }));
  EXPECT_THAT(collector_.Spans(), testing::IsEmpty());
}

}  // namespace
}  // namespace tollbridge::test
