// What an operation that was closed by absence finds later may be the effect of another key.

#include <string>
#include <utility>

#include "tests/unit/services/operations/engine_fixture.h"

namespace tollbridge::operations {
namespace {

using test::FakePaymentService;

constexpr const char* kOrder = "5b1cbf40-9d5f-4d6c-8f3a-0c6b6a2f4b11";

class AnothersEffectTest : public EngineTest {
 protected:
  AnothersEffectTest() {
    kind_.by_search = false;
    kind_.late_effect_is_orphan = false;
    kind_.service_guards_repeat = true;
  }

  Plan FollowUp(const std::string& key) {
    Plan plan = MakePlan(Request(key, 500));
    plan.gate_order = kOrder;
    plan.steps.front().target.order_id = kOrder;
    plan.steps.front().target.transaction_id = "0f6a7b1e-4c39-4d0c-9d0f-5a8a4a8f2c77";
    return plan;
  }
  /// Leaves "key" closed by absence, and looked at again later.
  void CloseByAbsence() {
    service_.AnswerNext(FakePaymentService::NoAnswer("connection reset"));
    ShowNothing();
    Run(FollowUp("key"));
    LookUntilAbsenceCounts();
    ASSERT_EQ(State("key"), v1::OPERATION_STATE_NOT_EXECUTED);
  }
  /// Its outcome is not known, and evidence does not decide.
  void LeaveInReview(const std::string& key) {
    service_.AnswerNext(FakePaymentService::NoAnswer("connection reset"));
    ShowNothing();
    Run(FollowUp(key));
    finding_ = {.presence = Presence::kAmbiguous, .reason = "two fit"};
    clock_.Advance(settings_.look_backoff.front());
    Resolve();
    ASSERT_EQ(State(key), v1::OPERATION_STATE_NEEDS_REVIEW);
  }
  void ShowEffect() { Show(service_.MakeOrder(Request("found", 500))); }
  void LookAgain() {
    clock_.Advance(settings_.look_again.front());
    EXPECT_GE(Resolve(), 1U);
  }
};

TEST_F(AnothersEffectTest, IsNoLateEffect) {
  CloseByAbsence();
  ASSERT_TRUE(Run(FollowUp("rival")).status.ok());
  ShowEffect();
  LookAgain();
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_NOT_EXECUTED);
  EXPECT_TRUE(Response(Run(FollowUp("rival"))).has_order()) << "it keeps its outcome";
}

TEST_F(AnothersEffectTest, OfAPartIsNoneEitherWhenItCameSince) {
  kind_.service_guards_repeat = false;
  CloseByAbsence();
  ASSERT_TRUE(Run(FollowUp("rival")).status.ok());
  ShowEffect();
  LookAgain();
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_NOT_EXECUTED);
}

TEST_F(AnothersEffectTest, OfAPartLongBeforeSaysNothing) {
  kind_.service_guards_repeat = false;
  ASSERT_TRUE(Run(FollowUp("earlier")).status.ok());
  clock_.Advance(std::chrono::hours(1));
  CloseByAbsence();
  ShowEffect();
  LookAgain();
  EXPECT_EQ(Record("key").review_reason(), ports::review::kLateEffect);
}

TEST_F(AnothersEffectTest, IsWaitedForWhileTheOtherIsAtWork) {
  CloseByAbsence();
  ports::ClaimRequest rival;
  rival.identity.id = OperationId(TestProject().id, "rival");
  rival.identity.rpc = std::string(kRpc);
  rival.identity.project = "shop";
  rival.identity.fingerprints = {{"f1", "digest"}};
  rival.identity.gate_order = kOrder;
  rival.owner = "rival";
  rival.lease = 2 * settings_.look_again.front();
  rival.good_for = std::chrono::seconds(5);
  rival.first_step = FollowUp("rival").steps.front().target;
  ASSERT_TRUE(test::Await(context_, memory_.Claim(rival, CallContext())).ok());
  ShowEffect();
  LookAgain();
  EXPECT_EQ(State("rival"), v1::OPERATION_STATE_RUNNING);
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_NOT_EXECUTED);
}

TEST_F(AnothersEffectTest, OfAnotherThatWasRefusedThereIsNone) {
  CloseByAbsence();
  service_.AnswerNext(FakePaymentService::Refused(422, "ValidationError"));
  EXPECT_FALSE(Run(FollowUp("rival")).status.ok());
  ShowEffect();
  LookAgain();
  EXPECT_EQ(Record("key").review_reason(), ports::review::kLateEffect);
}

TEST_F(AnothersEffectTest, ThatAPersonHasFoundIsNoneWhateverTheNoteSays) {
  CloseByAbsence();
  LeaveInReview("rival");
  ports::CloseRequest close{.project = "shop",
                            .id = OperationId(TestProject().id, "rival"),
                            .to = v1::OPERATION_STATE_DONE,
                            .who = "anna.example",
                            .note = "refused by the second call, the first was booked"};
  ASSERT_TRUE(test::Await(context_, memory_.Close(close, CallContext())).ok());
  ShowEffect();
  LookAgain();
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_NOT_EXECUTED);
}

TEST_F(AnothersEffectTest, ThatIsInReviewWithItIsNone) {
  CloseByAbsence();
  ShowEffect();
  service_.AnswerNext(FakePaymentService::Answered(service_.MakeOrder(Request("found", 499))));
  Run(FollowUp("rival"));
  ASSERT_EQ(Record("rival").review_reason(), ports::review::kAmountDiffers);
  LookAgain();
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_NOT_EXECUTED);
}

TEST_F(AnothersEffectTest, IsWaitedForWhileAPersonHasToDecideAboutTheOther) {
  CloseByAbsence();
  LeaveInReview("rival");
  ShowEffect();
  LookAgain();
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_NOT_EXECUTED);
  ports::CloseRequest close{.project = "shop",
                            .id = OperationId(TestProject().id, "rival"),
                            .to = v1::OPERATION_STATE_NOT_EXECUTED};
  ASSERT_TRUE(test::Await(context_, memory_.Close(close, CallContext())).ok());
  clock_.Advance(std::chrono::minutes(1));
  EXPECT_GE(Resolve(), 1U);
  EXPECT_EQ(Record("key").review_reason(), ports::review::kLateEffect) << "nobody else did it";
}

TEST_F(AnothersEffectTest, OfAnotherStepIsNone) {
  CloseByAbsence();
  Plan part = FollowUp("rival");
  part.steps.front().kind = &second_;
  part.steps.front().target.name = "second";
  part.steps.front().target.amount = 200;
  const common::v1::Order made = service_.MakeOrder(Request("found", 200));
  service_.AnswerNext(FakePaymentService::Answered(made));
  ASSERT_TRUE(Run(std::move(part)).status.ok());
  Show(made);
  LookAgain();
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_NOT_EXECUTED);
}

TEST_F(AnothersEffectTest, OfAnotherStepThatComesToTheSameIsNone) {
  kind_.same_effect = {"create_order", "second"};
  CloseByAbsence();
  Plan other = FollowUp("rival");
  other.steps.front().kind = &second_;
  other.steps.front().target.name = "second";
  common::v1::Order started = service_.MakeOrder(Request("found", 500));
  started.set_id(kOrder);
  service_.AnswerNext(FakePaymentService::Answered(started));
  ASSERT_TRUE(Run(std::move(other)).status.ok());
  Show(started);
  LookAgain();
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_NOT_EXECUTED);
}

TEST_F(AnothersEffectTest, AMarkSaysThatItIsOurs) {
  service_.AnswerNext(FakePaymentService::NoAnswer("connection reset"));
  ShowNothing();
  Plan plan = FollowUp("key");
  plan.steps.front().target.marked = true;
  Run(std::move(plan));
  LookUntilAbsenceCounts();
  ASSERT_TRUE(Run(FollowUp("rival")).status.ok());
  ShowEffect();
  LookAgain();
  EXPECT_EQ(Record("key").review_reason(), ports::review::kLateEffect);
}

}  // namespace
}  // namespace tollbridge::operations
