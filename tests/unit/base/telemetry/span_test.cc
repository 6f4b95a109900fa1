#include "base/telemetry/span.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tollbridge::telemetry {
namespace {

constexpr std::string_view kTraceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

TEST(TraceContextTest, TraceparentIsReadAndWritten) {
  const auto context = TraceContext::FromTraceparent(kTraceparent);
  ASSERT_TRUE(context.has_value());
  EXPECT_EQ(context->TraceIdHex(), "4bf92f3577b34da6a3ce929d0e0e4736");
  EXPECT_EQ(context->SpanIdHex(), "00f067aa0ba902b7");
  EXPECT_TRUE(context->sampled());
  EXPECT_EQ(context->ToTraceparent(), kTraceparent);
}

TEST(TraceContextTest, RefusesWhatIsNoTraceparent) {
  const std::string good(kTraceparent);
  for (const std::string& bad :
       std::vector<std::string>{std::string(), good.substr(1), good + "-x", "ff" + good.substr(2),
                                "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
                                "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
                                "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
                                "00_4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                                "00-4bf92f3577b34da6a3ce929d0e0e473g-00f067aa0ba902b7-01",
                                "01" + good.substr(2) + "x"}) {
    EXPECT_FALSE(TraceContext::FromTraceparent(bad).has_value()) << bad;
  }
}

TEST(TraceContextTest, TakesALaterVersionForWhatItKnowsOfIt) {
  const auto context =
      TraceContext::FromTraceparent("01" + std::string(kTraceparent.substr(2)) + "-more");
  ASSERT_TRUE(context.has_value());
  EXPECT_EQ(context->ToTraceparent(), kTraceparent);
}

TEST(TraceContextTest, AnInvalidOneHasNoTraceparent) {
  EXPECT_EQ(TraceContext().ToTraceparent(), "");
}

TEST(TraceContextTest, TheStateBesideItIsPassedOn) {
  const auto context = TraceContext::FromHeaders(kTraceparent, "vendor=abc,other=1");
  ASSERT_TRUE(context.has_value());
  EXPECT_EQ(context->ToTracestate(), "vendor=abc,other=1");
  EXPECT_EQ(StartSpan("rpc", *context, SpanKind::kServer).context().ToTracestate(),
            "vendor=abc,other=1");
  EXPECT_NE(*context, *TraceContext::FromTraceparent(kTraceparent));
}

TEST(TraceContextTest, AStateThatIsNoneIsLeftOut) {
  for (const std::string& bad :
       std::vector<std::string>{std::string(), "no-pair", "UPPER=1", "a=\x01", "a=\xc3\xa4",
                                "vendor=4111111111111111", "v=" + std::string(600, 'x')}) {
    const auto context = TraceContext::FromHeaders(kTraceparent, bad);
    ASSERT_TRUE(context.has_value()) << bad;
    EXPECT_EQ(context->ToTracestate(), "") << bad;
  }
  EXPECT_FALSE(TraceContext::FromHeaders("no traceparent", "vendor=abc").has_value());
}

TEST(SpanTest, WithoutAnExporterASpanContinuesTheTraceOfItsParent) {
  const TraceContext parent = *TraceContext::FromTraceparent(kTraceparent);
  const Span span = StartSpan("rpc", parent, SpanKind::kServer);
  EXPECT_EQ(span.context().trace_id, parent.trace_id);
  EXPECT_NE(span.context().span_id, parent.span_id);
  EXPECT_EQ(span.context().flags, parent.flags);
  EXPECT_TRUE(span.context().valid());
}

TEST(SpanTest, WithoutAParentASpanStartsATraceOfItsOwn) {
  const Span a = StartSpan("a", TraceContext());
  const Span b = StartSpan("b", TraceContext());
  EXPECT_TRUE(a.context().valid());
  EXPECT_NE(a.context().trace_id, b.context().trace_id);
  EXPECT_FALSE(a.context().sampled());
}

TEST(SpanTest, UnrecordedSpansTakeAttributesAndErrors) {
  Span span = StartSpan("a", TraceContext());
  const TraceContext context = span.context();
  span.SetAttribute("order_id", std::string_view("x"));
  span.SetError("it broke");
  const Span moved = std::move(span);
  EXPECT_EQ(moved.context(), context);
}

}  // namespace
}  // namespace tollbridge::telemetry
