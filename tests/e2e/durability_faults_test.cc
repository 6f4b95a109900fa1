// Single faults at the payment service, each with each kind of mutation: one effect at most,
// exactly one when the caller is told so, and nothing left open.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/e2e/support/mutations.h"
#include "tests/support/stack.h"
#include "tests/support/tcp_proxy.h"

namespace tollbridge::test {
namespace {

using testing::SizeIs;

constexpr std::size_t kCallers = 1'000;
constexpr int kAborted = 10;

/// What a fault leads to when the caller comes back until the answer is definite.
enum class Then {
  kAnswered,   ///< it ran, or ran again at once
  kRecovered,  ///< found by reading
  kRunsAgain,  ///< closed as not executed after the quarantine, then run; a refund: review
};

struct FaultCase {
  std::string name;
  std::string fault;
  Then then;
};

void PrintTo(const FaultCase& fault, std::ostream* out) { *out << fault.name; }

class ServiceFaultTest : public testing::TestWithParam<FaultCase> {
 protected:
  ServiceFaultTest()
      : stack_({.settings = ShortIntervals(), .sandbox_arguments = ImmediateSandbox()}) {}

  void Check(const Mutation& mutation, const Told& told) {
    SCOPED_TRACE(RpcOf(mutation.kind) + ": " + told.text());
    ASSERT_TRUE(told.definite());
    const bool lost = GetParam().then == Then::kRunsAgain && mutation.kind == Kind::kRefund;
    EXPECT_EQ(Effects(stack_, mutation), lost ? 0U : 1U);
    if (lost) {
      EXPECT_TRUE(told.pending);
      return;
    }
    ASSERT_TRUE(told.result);
    EXPECT_EQ(told.knowledge, GetParam().then == Then::kRecovered
                                  ? operations::v1::KNOWLEDGE_RECOVERED
                                  : operations::v1::KNOWLEDGE_ANSWERED);
    EXPECT_EQ(CallOnce(stack_.grpc(), mutation).bytes, told.bytes) << "no replay";
  }

  Stack stack_;
};

TEST_P(ServiceFaultTest, EachKindHasTheOneEffectThatItsCallerIsTold) {
  std::vector<Mutation> mutations;
  for (const Kind kind : kKinds) mutations.push_back(Prepare(stack_, kind, "fault"));
  std::string rules;
  for (const Kind kind : kKinds) {
    rules += (rules.empty() ? "" : ",") + (R"({"on":{"operation":")" + RouteOf(kind)) +
             R"(","nth":1},"fault":)" + GetParam().fault + "}";
  }
  stack_.SandboxFaults(R"({"rules":[)" + rules + "]}");
  std::vector<Told> told(mutations.size());
  {
    std::vector<std::jthread> callers;
    for (std::size_t i = 0; i < mutations.size(); ++i) {
      callers.emplace_back([&, i] { told[i] = CallUntilDefinite(stack_.grpc(), mutations[i]); });
    }
  }
  for (std::size_t i = 0; i < mutations.size(); ++i) Check(mutations[i], told[i]);
}

INSTANTIATE_TEST_SUITE_P(
    Single, ServiceFaultTest,
    testing::Values(
        FaultCase{"AnswerDropped", R"({"kind":"drop_after"})", Then::kRecovered},
        FaultCase{"ResetInTheMiddle", R"({"kind":"reset","after_bytes":60})", Then::kRecovered},
        FaultCase{"ErrorAfterTheEffect", R"({"kind":"status_after","status":502})",
                  Then::kRecovered},
        FaultCase{"ErrorBeforeTheEffect", R"({"kind":"status","status":500})", Then::kRunsAgain},
        FaultCase{"PageOfAProxy", R"({"kind":"html"})", Then::kRunsAgain},
        FaultCase{"ConnectionDropped", R"({"kind":"drop_before"})", Then::kRunsAgain},
        FaultCase{"GarbledAnswer", R"({"kind":"garble"})", Then::kRecovered},
        FaultCase{"TruncatedAnswer", R"({"kind":"truncate","after_bytes":30})", Then::kRecovered},
        FaultCase{"AnswerAfterTheDeadline", R"({"kind":"latency","milliseconds":1200})",
                  Then::kRecovered},
        FaultCase{"TooManyRequests", R"({"kind":"too_many_requests","retry_after_seconds":1})",
                  Then::kAnswered},
        FaultCase{"CredentialsRefused", R"({"kind":"status","status":401})", Then::kAnswered}),
    [](const auto& info) { return info.param.name; });

/// A stack in which an effect may come a second late.
class LateTest : public testing::Test {
 protected:
  LateTest() {
    StackSettings settings = ShortIntervals();
    settings["operations"]["late_execution_bound"] = "2s";
    settings["operations"]["search_index_lag"] = "1500ms";
    stack_ = std::make_unique<Stack>(
        StackOptions{.settings = settings,
                     .sandbox_arguments = {"--own-checkout-hold", "PT0S", "--index-lag", "PT1S"}});
  }
  std::unique_ptr<Stack> stack_;
};

TEST_F(LateTest, AnEffectThatComesWithinTheBoundIsWaitedForThoughReadsLag) {
  std::vector<Mutation> mutations;
  for (const Kind kind : kKinds) mutations.push_back(Prepare(*stack_, kind, "late"));
  std::string rules = R"({"on":{"operation":["get_order","list_refunds"],"probability":0.5},)"
                      R"("fault":{"kind":"read_lag","seconds":1}})";
  for (const Kind kind : kKinds) {
    rules += R"(,{"on":{"operation":")" + RouteOf(kind) +
             R"(","nth":1},"fault":{"kind":"delayed_execution","seconds":1}})";
  }
  stack_->SandboxFaults(R"({"seed":1,"rules":[)" + rules + "]}");
  std::vector<Told> told(mutations.size());
  {
    std::vector<std::jthread> callers;
    for (std::size_t i = 0; i < mutations.size(); ++i) {
      callers.emplace_back([&, i] { told[i] = CallUntilDefinite(stack_->grpc(), mutations[i]); });
    }
  }
  for (std::size_t i = 0; i < mutations.size(); ++i) {
    SCOPED_TRACE(RpcOf(mutations[i].kind) + ": " + told[i].text());
    ASSERT_TRUE(told[i].result);
    EXPECT_EQ(told[i].knowledge, operations::v1::KNOWLEDGE_RECOVERED);
    EXPECT_EQ(Effects(*stack_, mutations[i]), 1U);
  }
}

class DurabilityTest : public testing::Test {
 protected:
  DurabilityTest()
      : stack_({.settings = ShortIntervals(), .sandbox_arguments = ImmediateSandbox()}) {}
  Stack stack_;
};

TEST(ConnectionTest, OneThatIsClosedWhileItIsReusedDoesNoHarm) {
  TcpProxy service;
  StackSettings settings = ShortIntervals();
  settings["payment_service"]["base_url"] = "http://" + service.address();
  Stack stack({.settings = settings, .sandbox_arguments = ImmediateSandbox()});
  const std::string& url = stack.sandbox_url();
  service.SetUpstream(static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1))));
  const Mutation create = Prepare(stack, Kind::kCreate, "reused");
  ASSERT_TRUE(CallUntilDefinite(stack.grpc(), create).order);

  std::atomic<bool> over{false};
  // Each call finds the connection of the one before closed, closing, or about to be.
  std::jthread cutter([&] {
    Eventually([&] {
      service.Cut();
      return over.load();
    });
  });
  for (int i = 0; i < 50; ++i) {
    const Mutation next = WithKey(create, "reused-" + std::to_string(i));
    const Told told = CallUntilDefinite(stack.grpc(), next);
    EXPECT_TRUE(told.order) << told.text();
    EXPECT_EQ(Effects(stack, next), 1U);
  }
  over = true;
}

TEST_F(DurabilityTest, AThousandCallersAtOnceWithOneKeyHaveOneEffectAndOneAnswer) {
  const Mutation refund = Prepare(stack_, Kind::kRefund, "thousand");
  std::vector<Told> told(kCallers);
  {
    std::vector<std::jthread> callers;
    callers.reserve(kCallers);
    for (Told& one : told) {
      callers.emplace_back(
          [&] { one = CallOnce(stack_.grpc(), refund, std::chrono::seconds(50)); });
    }
  }
  EXPECT_EQ(Effects(stack_, refund), 1U);
  std::set<std::string> answers;
  for (const Told& one : told) {
    if (one.order) {
      answers.insert(one.bytes);
    } else {
      EXPECT_TRUE(one.retry_is_safe()) << one.text();
    }
  }
  EXPECT_THAT(answers, SizeIs(1));
  EXPECT_EQ(CallUntilDefinite(stack_.grpc(), refund).bytes, *answers.begin());
}

TEST_F(DurabilityTest, OfTwoKeysThatCaptureOneOrderOneHasTheEffectAndTheOtherIsRefused) {
  const Mutation one = Prepare(stack_, Kind::kCapture, "rival");
  const Mutation two = WithKey(one, "rival-two");
  std::vector<Told> told(2);
  {
    const std::jthread first([&] { told[0] = CallUntilDefinite(stack_.grpc(), one); });
    const std::jthread second([&] { told[1] = CallUntilDefinite(stack_.grpc(), two); });
  }
  EXPECT_EQ(Effects(stack_, one), 1U);
  EXPECT_EQ(std::ranges::count_if(told, [](const Told& each) { return each.order.has_value(); }),
            1);
  for (const Told& each : told) {
    if (!each.order) EXPECT_EQ(each.status.reason, "UPSTREAM_REFUSED") << each.text();
  }
}

TEST_F(DurabilityTest, WhileOneKeyIsUnderWayAnotherOneForTheOrderIsToldThatItIsBusy) {
  const Mutation one = Prepare(stack_, Kind::kCapture, "busy");
  const Mutation two = WithKey(one, "busy-two");
  stack_.SandboxFaults(FirstCallMeets(Kind::kCapture, R"({"kind":"drop_before"})"));
  ASSERT_FALSE(CallOnce(stack_.grpc(), one).definite());
  const Told busy = CallOnce(stack_.grpc(), two);
  EXPECT_EQ(busy.status.code, kAborted) << busy.text();
  EXPECT_EQ(busy.status.reason, "ORDER_BUSY");
  EXPECT_TRUE(busy.status.retry_delay.has_value());
  ASSERT_TRUE(CallUntilDefinite(stack_.grpc(), one).order);
  EXPECT_EQ(CallUntilDefinite(stack_.grpc(), two).status.reason, "UPSTREAM_REFUSED");
  EXPECT_EQ(Effects(stack_, one), 1U);
}

}  // namespace
}  // namespace tollbridge::test
