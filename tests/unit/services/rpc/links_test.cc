// Trace, Meter, Log, Parse and Validate, each with a fake handler behind it.

#include <gmock/gmock.h>
#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>

#include "base/telemetry/log.h"
#include "base/telemetry/metric_definitions.h"
#include "services/domain/errors.h"
#include "services/domain/project.h"
#include "services/rpc/log.h"
#include "services/rpc/meter.h"
#include "services/rpc/parse.h"
#include "services/rpc/trace.h"
#include "services/rpc/validate.h"
#include "tests/support/fails_with.h"
#include "tests/support/series.h"
#include "tests/unit/services/rpc/rpc_fixture.h"

namespace tollbridge::rpc {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using LinksTest = RpcTest;

constexpr const char* kOrder = "7b1f0c4e-6f0d-4c59-9a55-0d2ad7a1b6a1";
const domain::Project kShop{.name = "shop"};

class NoWire : public WireCall {
 public:
  bool cancelled() const override { return false; }
  AsyncStatus Write(std::string, const Metadata&) override { co_return absl::OkStatus(); }
};

// The value of the first time series of a metric with these label values; -1 when there is none.
double Value(const telemetry::Metrics& metrics, const std::string& name,
             const std::vector<std::string>& labels) {
  for (const auto& family : metrics.collectable().Collect()) {
    if (family.name != name) continue;
    for (const auto& metric : family.metric) {
      std::vector<std::string> values;
      for (const auto& label : metric.label) values.push_back(label.value);
      if (!::testing::Matches(::testing::UnorderedElementsAreArray(labels))(values)) continue;
      return metric.histogram.sample_count != 0 ? metric.histogram.sample_sum
                                                : metric.counter.value;
    }
  }
  return -1;
}

TEST_F(LinksTest, TraceContinuesTheCallersTrace) {
  const auto remote = telemetry::TraceContext::FromTraceparent(
      "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
  CallHead head = Head();
  head.remote_trace = *remote;
  Call call(Method("Say"), head, EchoRequest());
  telemetry::TraceContext seen;
  FakeHandler handler([&seen](Call& c) -> AsyncStatus {
    seen = c.context().trace;
    co_return absl::OkStatus();
  });
  Trace trace;

  EXPECT_TRUE(Run(trace, call, handler).ok());
  EXPECT_EQ(seen.trace_id, remote->trace_id);
  EXPECT_NE(seen.span_id, remote->span_id);
}

TEST_F(LinksTest, TraceStartsANewTraceWhenTheCallerHasNone) {
  auto call = MakeCall();
  ASSERT_FALSE(call->context().trace.valid());
  FakeHandler handler;
  Trace trace;
  EXPECT_TRUE(Run(trace, *call, handler).ok());
  EXPECT_TRUE(call->context().trace.valid());
}

TEST_F(LinksTest, MeterCountsCallsUnderWay) {
  telemetry::Metrics metrics;
  Meter meter(metrics, clock_, 3);
  std::optional<double> during;
  FakeHandler handler([&](Call&) -> AsyncStatus {
    during = test::SeriesOf(metrics, telemetry::kRpcInFlight, {"3"});
    co_return absl::OkStatus();
  });
  EXPECT_EQ(test::SeriesOf(metrics, telemetry::kRpcInFlight, {"3"}), 0);
  auto call = MakeCall();
  EXPECT_TRUE(Run(meter, *call, handler).ok());
  EXPECT_EQ(during, 1);
  EXPECT_EQ(test::SeriesOf(metrics, telemetry::kRpcInFlight, {"3"}), 0);
}

TEST_F(LinksTest, MeterCountsFailuresByReasonAndBlame) {
  telemetry::Metrics metrics;
  Meter meter(metrics, clock_);
  absl::Status status = absl::OkStatus();
  FakeHandler handler([&](Call&) -> AsyncStatus { co_return status; });
  const auto count = [&](std::string_view reason, const std::string& who) {
    return test::SeriesOf(metrics, telemetry::kRpcFailures, {std::string(reason), who});
  };
  EXPECT_TRUE(Run(meter, *MakeCall(), handler).ok());
  status = domain::MakeError(absl::StatusCode::kUnavailable, "x",
                             {.reason = domain::reason::kStoreDoubtful});
  EXPECT_FALSE(Run(meter, *MakeCall(), handler).ok());
  EXPECT_EQ(count(domain::reason::kStoreDoubtful, "store"), 1);
  status = absl::InternalError("no reason");
  EXPECT_FALSE(Run(meter, *MakeCall(), handler).ok());
  EXPECT_EQ(count(domain::reason::kInternal, "us"), 1);
  status = absl::CancelledError("gone");
  EXPECT_FALSE(Run(meter, *MakeCall(), handler).ok());
  EXPECT_EQ(count(domain::reason::kInternal, "caller"), 1);
}

TEST_F(LinksTest, MeterCountsByMethodAndCodeAndMeasures) {
  telemetry::Metrics metrics;
  Meter meter(metrics, clock_);
  FakeHandler handler([this](Call&) -> AsyncStatus {
    clock_.Advance(std::chrono::milliseconds(250));
    co_return absl::AbortedError("x");
  });
  auto call = MakeCall();

  EXPECT_EQ(Run(meter, *call, handler).code(), absl::StatusCode::kAborted);
  EXPECT_EQ(Value(metrics, "grpc_server_started_total", {kService, "Say"}), 1);
  EXPECT_EQ(Value(metrics, "grpc_server_handled_total", {kService, "Say", "ABORTED"}), 1);
  EXPECT_DOUBLE_EQ(Value(metrics, "grpc_server_handling_seconds", {kService, "Say"}), 0.25);
}

TEST_F(LinksTest, MeterTakesWhatThePaymentServiceTookOffTheOwnTime) {
  telemetry::Metrics metrics;
  Meter meter(metrics, clock_);
  std::shared_ptr<ports::Waited> left;
  FakeHandler handler([&](Call& c) -> AsyncStatus {
    const ports::Context context = c.context();
    clock_.Advance(std::chrono::milliseconds(50));
    context.waited->Begin(clock_.BootNow());
    clock_.Advance(std::chrono::milliseconds(100));
    context.waited->Begin(clock_.BootNow());
    clock_.Advance(std::chrono::milliseconds(100));
    context.waited->End(clock_.BootNow());
    clock_.Advance(std::chrono::milliseconds(100));
    context.waited->End(clock_.BootNow());
    clock_.Advance(std::chrono::milliseconds(25));
    left = context.waited;
    left->Begin(clock_.BootNow());  // nobody waits for its end
    clock_.Advance(std::chrono::milliseconds(400));
    co_return absl::OkStatus();
  });
  auto call = MakeCall();
  EXPECT_TRUE(Run(meter, *call, handler).ok());
  call.reset();
  left->End(clock_.BootNow());
  EXPECT_DOUBLE_EQ(Value(metrics, "grpc_server_handling_seconds", {kService, "Say"}), 0.775);
  EXPECT_DOUBLE_EQ(Value(metrics, "tollbridge_rpc_own_seconds", {kService, "Say"}), 0.075);

  Call stream(Method("Count"), Head(), tollbridge::testing::v1::CountRequest());
  FakeHandler counts;
  EXPECT_TRUE(Run(meter, stream, counts).ok());
  EXPECT_EQ(test::SeriesOf(metrics, telemetry::kRpcOwnSeconds, {kService, "Count"}), std::nullopt);
}

TEST_F(LinksTest, LogWritesOneLineWithIdsAndWithoutValues) {
  EchoRequest request;
  request.set_text("what-was-sent");
  request.set_order_id(kOrder);
  auto call = MakeCall(request);
  FakeHandler handler([this](Call& c) -> AsyncStatus {
    clock_.Advance(std::chrono::milliseconds(7));
    c.set_operation_id("op-1");
    c.set_project(&kShop);
    co_return domain::MakeError(absl::StatusCode::kAborted, "the message",
                                {.reason = domain::reason::kOrderBusy});
  });
  Log log(clock_);
  telemetry::LogCapture capture;

  EXPECT_EQ(Run(log, *call, handler).code(), absl::StatusCode::kAborted);
  ASSERT_EQ(capture.lines().size(), 1u);
  const std::string line = capture.lines().front();
  EXPECT_THAT(line, HasSubstr(R"("method":"tollbridge.testing.v1.Echo.Say")"));
  EXPECT_THAT(line, HasSubstr(R"("code":"ABORTED")"));
  EXPECT_THAT(line, HasSubstr(R"("reason":"ORDER_BUSY")"));
  EXPECT_THAT(line, HasSubstr(R"("blame":"caller")"));
  EXPECT_THAT(line, HasSubstr(R"("project":"shop")"));
  EXPECT_THAT(line, HasSubstr(absl::StrCat(R"("peer":")", Head().peer, "\"")));
  EXPECT_THAT(line, HasSubstr(R"("duration_ms":7)"));
  EXPECT_THAT(line, Not(HasSubstr(R"(:"")"))) << "what is not known is left out";
  EXPECT_THAT(line, HasSubstr(R"("caller":"local")"));
  EXPECT_THAT(line, HasSubstr(R"("operation_id":"op-1")"));
  EXPECT_THAT(line, HasSubstr(kOrder));
  EXPECT_THAT(line, HasSubstr(R"("severity":"info")"));
  EXPECT_THAT(line, Not(HasSubstr("what-was-sent")));
  EXPECT_THAT(line, Not(HasSubstr("the message")));
}

TEST_F(LinksTest, LogTellsHowAMutationWent) {
  auto call = MakeCall();
  FakeHandler handler([](Call& c) -> AsyncStatus {
    c.set_outcome("pending");
    co_return absl::OkStatus();
  });
  Log log(clock_);
  telemetry::LogCapture capture;
  EXPECT_TRUE(Run(log, *call, handler).ok());
  ASSERT_EQ(capture.lines().size(), 1u);
  EXPECT_THAT(capture.lines().front(),
              AllOf(HasSubstr(R"("outcome":"pending")"), Not(HasSubstr("blame"))));
}

TEST_F(LinksTest, LogLeavesOutAnOrderIdThatIsNone) {
  EchoRequest request;
  request.set_order_id("4111111111111111");
  auto call = MakeCall(request);
  FakeHandler handler;
  Log log(clock_);
  telemetry::LogCapture capture;
  EXPECT_TRUE(Run(log, *call, handler).ok());
  ASSERT_EQ(capture.lines().size(), 1u);
  EXPECT_THAT(capture.lines().front(), Not(HasSubstr("411111")));
}

TEST_F(LinksTest, LogTellsWhatCallersAreNotTold) {
  auto call = MakeCall();
  FakeHandler handler([](Call& c) -> AsyncStatus {
    c.set_operation_id("op-1");
    co_return domain::MakeError(absl::StatusCode::kUnavailable, "not connected: 10.0.0.7 refused",
                                {.reason = domain::reason::kStoreUnavailable});
  });
  Log log(clock_);
  telemetry::LogCapture capture;
  EXPECT_EQ(Run(log, *call, handler).code(), absl::StatusCode::kUnavailable);
  ASSERT_EQ(capture.lines().size(), 1u);
  EXPECT_THAT(capture.lines().front(), HasSubstr("not connected: 10.0.0.7 refused"));
  EXPECT_THAT(capture.lines().front(), HasSubstr(R"("operation_id":"op-1")"));
}

TEST_F(LinksTest, LogTellsWhatAnInternalErrorWas) {
  auto call = MakeCall();
  FakeHandler handler(absl::InternalError("the table is gone"));
  Log log(clock_);
  telemetry::LogCapture capture;
  EXPECT_EQ(Run(log, *call, handler).code(), absl::StatusCode::kInternal);
  ASSERT_EQ(capture.lines().size(), 1u);
  EXPECT_THAT(capture.lines().front(), HasSubstr("the table is gone"));
  EXPECT_THAT(capture.lines().front(), HasSubstr(R"("severity":"error")"));
}

TEST_F(LinksTest, ParseReadsTheRequestForTheRest) {
  EchoRequest request;
  request.set_text("hello");
  NoWire wire;
  Call call(Method("Say"), Head(), request.SerializeAsString(), wire);
  telemetry::Metrics metrics;
  Parse parse(metrics);
  std::string seen;
  FakeHandler handler([&seen](Call& c) -> AsyncStatus {
    seen = static_cast<const EchoRequest&>(c.request()).text();
    co_return absl::OkStatus();
  });
  EXPECT_TRUE(Run(parse, call, handler).ok());
  EXPECT_EQ(seen, "hello");
}

TEST_F(LinksTest, ParseCountsAndRefusesWhatIsNoMessage) {
  NoWire wire;
  // text = 1, length 3, of which 2 bytes came.
  Call call(Method("Say"), Head(),
            std::string("\x0a\x03"
                        "ab"),
            wire);
  telemetry::Metrics metrics;
  Parse parse(metrics);
  FakeHandler handler;

  const absl::Status status = Run(parse, call, handler);
  EXPECT_THAT(status, FailsWith(StatusCode::kInvalidArgument, "UNPARSABLE_REQUEST"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("text"));
  EXPECT_EQ(handler.calls, 0);
  EXPECT_EQ(Value(metrics, "grpc_server_unparsable_total", {kService, "Say"}), 1);
  EXPECT_TRUE(static_cast<const EchoRequest&>(call.request()).text().empty());
}

TEST_F(LinksTest, ValidateAnswersAllViolationsOfFieldsAndMethodAtOnce) {
  RequestRules rules(methods_, {});
  rules.Add(Method("Say"), [](const google::protobuf::Message&, const domain::Project*) {
    return std::vector<domain::FieldViolation>{{"extra", "must rhyme"}};
  });
  Validate validate(rules);
  EchoRequest request;
  request.set_order_id("x");
  auto call = MakeCall(request);
  FakeHandler handler;

  const absl::Status status = Run(validate, *call, handler);
  EXPECT_EQ(domain::ReasonOf(status), "INVALID_REQUEST");
  EXPECT_EQ(handler.calls, 0);
  const auto found = rules.Check(call->method(), call->request(), nullptr);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].field, "text");
  EXPECT_EQ(found[1].field, "order_id");
  EXPECT_EQ(found[2].field, "extra");
}

TEST_F(LinksTest, ValidateLetsAGoodRequestPass) {
  const RequestRules rules(methods_, {});
  Validate validate(rules);
  EchoRequest request;
  request.set_text("t");
  auto call = MakeCall(request);
  FakeHandler handler;
  EXPECT_TRUE(Run(validate, *call, handler).ok());
  EXPECT_EQ(handler.calls, 1);
}

}  // namespace
}  // namespace tollbridge::rpc
