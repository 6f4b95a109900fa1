// Authenticate and Authorize as links: what passes, what the refused get, what is told of them.

#include <gmock/gmock.h>
#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>

#include "base/telemetry/log.h"
#include "services/domain/errors.h"
#include "services/rpc/authenticate.h"
#include "services/rpc/authorize.h"
#include "tests/support/fails_with.h"
#include "tests/unit/services/rpc/rpc_fixture.h"

namespace tollbridge::rpc {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class RefusedCallersTest : public RpcTest {
 protected:
  std::unique_ptr<Call> CallOf(Caller caller, const std::string& project) {
    CallHead head = Head();
    head.caller = std::move(caller);
    EchoRequest request;
    if (!project.empty()) request.set_project(project);
    return std::make_unique<Call>(Method("Say"), std::move(head), request);
  }

  static Caller Checkout() { return CertifiedCaller({"spiffe://shop.example/checkout"}, {}); }

  double Refused(const std::string& reason) const {
    for (const auto& family : metrics_.collectable().Collect()) {
      if (family.name != "tollbridge_rpc_refused_callers_total") continue;
      for (const auto& metric : family.metric) {
        for (const auto& label : metric.label) {
          if (label.value == reason) return metric.counter.value;
        }
      }
    }
    return 0;
  }

  telemetry::Metrics metrics_;
  AccessRules rules_{{.callers = {{.identity = "spiffe://shop.example/checkout",
                                   .projects = {"shop"},
                                   .permissions = {"echo.say"}}}}};
  domain::Projects one_{{{.name = "shop"}}};
  domain::Projects two_{{{.name = "shop"}, {.name = "travel"}}};
  FakeHandler handler_;
};

TEST_F(RefusedCallersTest, AuthenticateLetsACertifiedCallerPass) {
  Authenticate link(rules_, metrics_, clock_);
  EXPECT_TRUE(Run(link, *CallOf(Checkout(), ""), handler_).ok());
  EXPECT_EQ(handler_.calls, 1);
}

TEST_F(RefusedCallersTest, AuthenticateRefusesWhoCannotBeKnown) {
  Authenticate link(rules_, metrics_, clock_);
  for (const Caller& caller : {LocalCaller(), CertifiedCaller({}, {})}) {
    const absl::Status status = Run(link, *CallOf(caller, ""), handler_);
    EXPECT_THAT(status, FailsWith(StatusCode::kUnauthenticated, "CALLER_UNKNOWN"));
  }
  EXPECT_EQ(handler_.calls, 0);
  EXPECT_EQ(Refused("CALLER_UNKNOWN"), 2);
}

TEST_F(RefusedCallersTest, AuthorizeTakesTheOnlyProjectWhenNoneIsNamed) {
  Authorize link(rules_, one_, metrics_, clock_);
  for (const char* name : {"", "shop"}) {
    const auto call = CallOf(Checkout(), name);
    EXPECT_TRUE(Run(link, *call, handler_).ok());
    EXPECT_EQ(call->project(), one_.Find("shop"));
  }
  EXPECT_EQ(handler_.calls, 2);
}

TEST_F(RefusedCallersTest, AuthorizeRefusesAnotherProjectAndOneThatIsNotNamed) {
  Authorize link(rules_, two_, metrics_, clock_);
  EXPECT_TRUE(Run(link, *CallOf(Checkout(), "shop"), handler_).ok());
  for (const char* project : {"travel", "", "no-such-project"}) {
    const absl::Status status = Run(link, *CallOf(Checkout(), project), handler_);
    EXPECT_THAT(status, FailsWith(StatusCode::kPermissionDenied, "PERMISSION_DENIED")) << project;
    EXPECT_THAT(std::string(status.message()),
                AllOf(HasSubstr("echo.say"), Not(HasSubstr("no-such-project"))));
  }
  EXPECT_EQ(handler_.calls, 1);
  EXPECT_EQ(Refused("PERMISSION_DENIED"), 3);
}

TEST_F(RefusedCallersTest, AMethodWhoseRequestHasNoProjectNeedsThePermissionInAll) {
  const AccessRules rules(
      {.callers = {
           {.identity = "spiffe://a.example/one", .projects = {"shop"}, .permissions = {"*"}},
           {.identity = "spiffe://a.example/all", .projects = {"*"}, .permissions = {"*"}}}});
  Authorize link(rules, one_, metrics_, clock_);
  const auto count = [&](const char* uri) {
    CallHead head = Head();
    head.caller = CertifiedCaller({uri}, {});
    Call call(Method("Count"), std::move(head), tollbridge::testing::v1::CountRequest());
    return Run(link, call, handler_).code();
  };
  EXPECT_EQ(count("spiffe://a.example/one"), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(count("spiffe://a.example/all"), absl::StatusCode::kOk);
}

TEST_F(RefusedCallersTest, EachRefusalIsCountedAndAFewASecondAreLogged) {
  Authorize link(rules_, two_, metrics_, clock_);
  telemetry::LogCapture capture;
  for (int i = 0; i < 100; ++i) (void)Run(link, *CallOf(Checkout(), "travel"), handler_);
  EXPECT_EQ(Refused("PERMISSION_DENIED"), 100);
  ASSERT_THAT(capture.lines(), SizeIs(5));
  EXPECT_THAT(capture.lines().front(),
              AllOf(HasSubstr(R"("event":"rpc_refused_caller")"),
                    HasSubstr(R"("caller":"spiffe://shop.example/checkout")"),
                    HasSubstr(R"("permission":"echo.say")"), HasSubstr(R"("project":"travel")")));

  clock_.Advance(std::chrono::seconds(1));
  (void)Run(link, *CallOf(Checkout(), "travel"), handler_);
  ASSERT_THAT(capture.lines(), SizeIs(6));
  EXPECT_THAT(capture.lines().back(), HasSubstr(R"("lines_left_out":95)"));
}

}  // namespace
}  // namespace tollbridge::rpc
