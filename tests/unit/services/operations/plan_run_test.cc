#include "services/operations/plan_run.h"

#include <string>
#include <utility>
#include <vector>

#include "tests/unit/services/operations/engine_fixture.h"

/// What a run does beyond its first step, by what the store and the service are given.
namespace tollbridge::operations {
namespace {

using ::testing::ElementsAre;

class PlanRunTest : public EngineTest {
 protected:
  /// The first step takes this long.
  Plan SlowlyBegun(Plan plan, ports::Millis took) {
    plan.steps.front().send =
        [this, took, send = plan.steps.front().send](
            ports::PaymentService& service,
            const StepContext& context) -> boost::asio::awaitable<ports::Answer> {
      clock_.Advance(took);
      co_return co_await send(service, context);
    };
    return plan;
  }
};

TEST_F(PlanRunTest, AFurtherStepHasASendWindowOfItsOwn) {
  const BootTime start = clock_.BootNow();
  const WallTime civil = clock_.WallNow();
  Run(SlowlyBegun(MakeLongPlan(Request("key", 500)), ports::Millis(700)));
  ASSERT_EQ(service_.created().size(), 2U);
  EXPECT_EQ(service_.created()[0].guard.write_before, start + settings_.send_window);
  EXPECT_EQ(service_.created()[1].guard.write_before,
            start + ports::Millis(700) + settings_.send_window);
  EXPECT_EQ(service_.created()[1].guard.write_before_civil,
            civil + ports::Millis(700) + settings_.send_window);
  ASSERT_EQ(store_.finishes.size(), 1U);
  EXPECT_EQ(store_.finishes[0].sent_ago, ports::Millis::zero()) << "counted from the last step";
}

TEST_F(PlanRunTest, LooksForTheStepThatWasSentLast) {
  Plan plan = MakeLongPlan(Request("key", 500));
  plan.steps.back().send = [](ports::PaymentService&,
                              const StepContext&) -> boost::asio::awaitable<ports::Answer> {
    ports::Answer lost;
    lost.fate = ports::Answer::Fate::kUnknown;
    co_return lost;
  };
  std::vector<std::string> kinds;
  second_.look = [&kinds](ports::PaymentService&,
                          const LookRequest& request) -> boost::asio::awaitable<Finding> {
    kinds.push_back(request.step.name);
    co_return Finding{.presence = Presence::kUndecided};
  };
  Run(std::move(plan));
  EXPECT_THAT(kinds, ElementsAre("second"));
  EXPECT_TRUE(looks_.empty()) << "the first step's kind was asked";
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_UNKNOWN);
}

TEST_F(PlanRunTest, WhoAsksHowLongThePaymentServiceTakesIsToldOfAllThatIsAsked) {
  const auto waited = std::make_shared<ports::Waited>();
  ports::Context context = CallContext();
  context.waited = waited;
  Plan plan = MakeLongPlan(Request("key", 500));
  plan.steps.back().send = [&](ports::PaymentService&,
                               const StepContext& step) -> boost::asio::awaitable<ports::Answer> {
    EXPECT_EQ(step.context.waited, waited);
    ports::Answer lost;
    lost.fate = ports::Answer::Fate::kUnknown;
    co_return lost;
  };
  int looks = 0;
  second_.look = [&](ports::PaymentService&,
                     const LookRequest& request) -> boost::asio::awaitable<Finding> {
    EXPECT_EQ(request.context.waited, waited);
    ++looks;
    co_return Finding{.presence = Presence::kUndecided};
  };
  Run(std::move(plan), context);
  ASSERT_EQ(service_.created().size(), 1U);
  EXPECT_EQ(service_.created()[0].context.waited, waited);
  EXPECT_GT(looks, 0);
}

TEST_F(PlanRunTest, AmountsThatDifferEndItAtTheStepBefore) {
  Plan plan = MakeLongPlan(Request("key", 500));
  plan.steps.back().prepare = [](auto) -> absl::StatusOr<ports::StepTarget> {
    return ports::StepTarget{.name = "second",
                             .order_id = "5b1cbf40-9d5f-4d6c-8f3a-0c6b6a2f4b11",
                             .amount = 499,
                             .currency = "EUR"};
  };
  Run(std::move(plan));
  EXPECT_EQ(service_.created().size(), 1U) << "the second step was sent";
  ASSERT_EQ(store_.finishes.size(), 1U);
  EXPECT_EQ(store_.finishes[0].step.name, "create_order");
  EXPECT_EQ(store_.finishes[0].step.order_id, "5b1cbf40-9d5f-4d6c-8f3a-0c6b6a2f4b11");
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_NEEDS_REVIEW);
}

}  // namespace
}  // namespace tollbridge::operations
