#include <gtest/gtest.h>

#include <string>

#include "tests/contract/operation_store_fixture.h"

namespace tollbridge::test {
namespace {

using ports::ClaimResult;
using ports::ClaimVerdict;
using ports::FinishRequest;
using ports::FinishVerdict;
using ports::OperationIdentity;
using ports::OperationState;

class OperationStoreFinish : public OperationStoreContractTest {};

INSTANTIATE_TEST_SUITE_P(Stores, OperationStoreFinish,
                         testing::Values(FakeWorldKind(), RedisWorldKind()), KindName);

TEST_P(OperationStoreFinish, TheOwnersResultIsRecordedWithItsStepAndTransition) {
  const OperationIdentity identity = Identity(1);
  Claim(identity);
  FinishRequest request = Result(identity, operations::v1::OPERATION_STATE_DONE);
  request.step = Step(kOrder);

  EXPECT_EQ(Finish(request), FinishVerdict::kRecorded);

  const operations::v1::Operation operation = Read(identity);
  EXPECT_EQ(operation.state(), operations::v1::OPERATION_STATE_DONE);
  ASSERT_EQ(operation.steps_size(), 1);
  EXPECT_EQ(operation.steps(0).state(), operations::v1::STEP_STATE_DONE);
  EXPECT_EQ(operation.steps(0).order_id(), kOrder);
  EXPECT_TRUE(operation.steps(0).has_sent_at());
  ASSERT_EQ(operation.transitions_size(), 2);
  EXPECT_EQ(operation.transitions(1).from(), operations::v1::OPERATION_STATE_RUNNING);
  EXPECT_EQ(operation.transitions(1).to(), operations::v1::OPERATION_STATE_DONE);
  EXPECT_EQ(operation.transitions(1).evidence(), "seen");
}

TEST_P(OperationStoreFinish, ADefiniteAnswerIsAcceptedFromAnyone) {
  for (const OperationState before :
       {operations::v1::OPERATION_STATE_RUNNING, operations::v1::OPERATION_STATE_UNKNOWN,
        operations::v1::OPERATION_STATE_NEEDS_REVIEW}) {
    const OperationIdentity identity = Identity(static_cast<std::uint8_t>(before));
    Claim(identity);
    if (before != operations::v1::OPERATION_STATE_RUNNING) {
      ASSERT_EQ(Finish(Result(identity, before)), FinishVerdict::kRecorded);
    }
    EXPECT_EQ(Finish(Result(identity, operations::v1::OPERATION_STATE_DONE, 1, "stranger")),
              FinishVerdict::kRecorded);
    EXPECT_EQ(Claim(identity).outcome, "sealed");
    EXPECT_FALSE(Read(identity).has_review_reason());
  }
}

TEST_P(OperationStoreFinish, ADefiniteAnswerIsAcceptedAfterTheLease) {
  Claim(Identity(1));
  world_->AdvanceTime(kLease * 2);
  EXPECT_EQ(Finish(Result(Identity(1), operations::v1::OPERATION_STATE_DONE)),
            FinishVerdict::kRecorded);
  EXPECT_EQ(Claim(Identity(1)).verdict, ClaimVerdict::kDone);
}

TEST_P(OperationStoreFinish, AnIndefiniteAnswerOfAnotherOwnerChangesNothing) {
  Claim(Identity(1));
  for (const OperationState to :
       {operations::v1::OPERATION_STATE_UNKNOWN, operations::v1::OPERATION_STATE_NOT_EXECUTED,
        operations::v1::OPERATION_STATE_NEEDS_REVIEW}) {
    EXPECT_EQ(Finish(Result(Identity(1), to, 1, "stranger")), FinishVerdict::kNotOurs);
  }
  EXPECT_EQ(Read(Identity(1)).state(), operations::v1::OPERATION_STATE_RUNNING);
}

TEST_P(OperationStoreFinish, TheOwnerMayResolveUnknownBothWays) {
  for (const OperationState to : {operations::v1::OPERATION_STATE_NOT_EXECUTED,
                                  operations::v1::OPERATION_STATE_NEEDS_REVIEW}) {
    const OperationIdentity identity = Identity(static_cast<std::uint8_t>(to));
    Claim(identity);
    EXPECT_EQ(Finish(Result(identity, operations::v1::OPERATION_STATE_UNKNOWN)),
              FinishVerdict::kRecorded);
    EXPECT_EQ(Finish(Result(identity, to)), FinishVerdict::kRecorded);
  }
  EXPECT_EQ(Read(Identity(static_cast<std::uint8_t>(operations::v1::OPERATION_STATE_NEEDS_REVIEW)))
                .review_reason(),
            "AMBIGUOUS_EVIDENCE");
}

TEST_P(OperationStoreFinish, NeedsReviewIsNotReopenedByAnIndefiniteAnswer) {
  Claim(Identity(1));
  ASSERT_EQ(Finish(Result(Identity(1), operations::v1::OPERATION_STATE_NEEDS_REVIEW)),
            FinishVerdict::kRecorded);
  EXPECT_EQ(Finish(Result(Identity(1), operations::v1::OPERATION_STATE_UNKNOWN)),
            FinishVerdict::kNotOurs);
  EXPECT_EQ(Read(Identity(1)).state(), operations::v1::OPERATION_STATE_NEEDS_REVIEW);
}

TEST_P(OperationStoreFinish, TheClaimsOwnerMayProveInReviewThatNothingWasSent) {
  Claim(Identity(1, kOrder));
  ASSERT_EQ(Finish(Result(Identity(1, kOrder), operations::v1::OPERATION_STATE_NEEDS_REVIEW)),
            FinishVerdict::kRecorded);
  EXPECT_EQ(Finish(Result(Identity(1, kOrder), operations::v1::OPERATION_STATE_NOT_EXECUTED, 1,
                          "stranger")),
            FinishVerdict::kNotOurs);
  EXPECT_EQ(Finish(Result(Identity(1, kOrder), operations::v1::OPERATION_STATE_NOT_EXECUTED)),
            FinishVerdict::kRecorded);
  EXPECT_EQ(Claim(Identity(2, kOrder)).verdict, ClaimVerdict::kClaimed);
}

TEST_P(OperationStoreFinish, TheSameResultAgainIsRecordedOnce) {
  for (const OperationState to :
       {operations::v1::OPERATION_STATE_UNKNOWN, operations::v1::OPERATION_STATE_NOT_EXECUTED,
        operations::v1::OPERATION_STATE_NEEDS_REVIEW}) {
    const OperationIdentity identity = Identity(static_cast<std::uint8_t>(to));
    Claim(identity);
    EXPECT_EQ(Finish(Result(identity, to)), FinishVerdict::kRecorded);
    EXPECT_EQ(Finish(Result(identity, to)), FinishVerdict::kRecorded);
    EXPECT_EQ(Read(identity).transitions_size(), 2);
  }
}

TEST_P(OperationStoreFinish, ADoneOutcomeStandsWhateverComesAfter) {
  Claim(Identity(1));
  ASSERT_EQ(Finish(Result(Identity(1), operations::v1::OPERATION_STATE_DONE)),
            FinishVerdict::kRecorded);
  for (const OperationState to :
       {operations::v1::OPERATION_STATE_DONE, operations::v1::OPERATION_STATE_UNKNOWN,
        operations::v1::OPERATION_STATE_NOT_EXECUTED,
        operations::v1::OPERATION_STATE_NEEDS_REVIEW}) {
    FinishRequest request = Result(Identity(1), to);
    request.outcome = "another";
    EXPECT_EQ(Finish(request), FinishVerdict::kAlreadyClosed);
  }
  const ClaimResult result = Claim(Identity(1));
  EXPECT_EQ(result.verdict, ClaimVerdict::kDone);
  EXPECT_EQ(result.outcome, "sealed");
}

TEST_P(OperationStoreFinish, ASuccessAfterNotExecutedIsALateEffectAndStopsTheKey) {
  const OperationIdentity identity = Identity(1, kOrder);
  Claim(identity);
  ASSERT_EQ(Finish(Result(identity, operations::v1::OPERATION_STATE_NOT_EXECUTED)),
            FinishVerdict::kRecorded);
  FinishRequest late = Result(identity, operations::v1::OPERATION_STATE_DONE);
  late.order = Entry();

  EXPECT_EQ(Finish(late), FinishVerdict::kLateEffect);
  EXPECT_EQ(Finish(late), FinishVerdict::kLateEffect);

  const ClaimResult result = Claim(identity);
  EXPECT_EQ(result.verdict, ClaimVerdict::kPending);
  EXPECT_EQ(result.state, operations::v1::OPERATION_STATE_NEEDS_REVIEW);
  const operations::v1::Operation operation = Read(identity);
  EXPECT_EQ(operation.review_reason(), "LATE_EFFECT");
  EXPECT_EQ(operation.transitions_size(), 3);
  EXPECT_TRUE(Load(Entry().key).due.has_value());
  // It takes no gate.
  EXPECT_EQ(Claim(Identity(2, kOrder)).verdict, ClaimVerdict::kClaimed);
}

TEST_P(OperationStoreFinish, AnOrphanAfterNotExecutedLeavesTheKeyFree) {
  const OperationIdentity identity = Identity(1);
  Claim(identity);
  ASSERT_EQ(Finish(Result(identity, operations::v1::OPERATION_STATE_NOT_EXECUTED)),
            FinishVerdict::kRecorded);
  FinishRequest late = Result(identity, operations::v1::OPERATION_STATE_DONE);
  late.order = Entry();
  late.late_effect_is_orphan = true;

  EXPECT_EQ(Finish(late), FinishVerdict::kLateEffect);
  EXPECT_EQ(Finish(late), FinishVerdict::kLateEffect);

  const operations::v1::Operation operation = Read(identity);
  EXPECT_EQ(operation.state(), operations::v1::OPERATION_STATE_NOT_EXECUTED);
  ASSERT_EQ(operation.transitions_size(), 3) << "noted once";
  EXPECT_EQ(operation.transitions(2).evidence(), std::string("orphan order ") + kOrder);
  EXPECT_FALSE(Load(Entry().key).due.has_value());
  const ClaimResult result = Claim(identity);
  EXPECT_EQ(result.verdict, ClaimVerdict::kClaimed);
  EXPECT_EQ(result.attempt, 2U);
}

TEST_P(OperationStoreFinish, ASuccessOfAnOlderAttemptIsALateEffectAndChangesNoOutcome) {
  const OperationIdentity identity = Identity(1);
  Claim(identity);
  ASSERT_EQ(Finish(Result(identity, operations::v1::OPERATION_STATE_NOT_EXECUTED)),
            FinishVerdict::kRecorded);
  ASSERT_EQ(Claim(identity, "owner-2").attempt, 2U);
  FinishRequest late = Result(identity, operations::v1::OPERATION_STATE_DONE, 1);
  late.outcome = "late";

  EXPECT_EQ(Finish(late), FinishVerdict::kLateEffect);
  EXPECT_EQ(Read(identity).state(), operations::v1::OPERATION_STATE_RUNNING);

  ASSERT_EQ(Finish(Result(identity, operations::v1::OPERATION_STATE_DONE, 2, "owner-2")),
            FinishVerdict::kRecorded);
  EXPECT_EQ(Finish(late), FinishVerdict::kLateEffect);
  EXPECT_EQ(Claim(identity).outcome, "sealed");
}

TEST_P(OperationStoreFinish, AnIndefiniteAnswerOfAnOlderAttemptIsNotOurs) {
  const OperationIdentity identity = Identity(1);
  Claim(identity);
  ASSERT_EQ(Finish(Result(identity, operations::v1::OPERATION_STATE_NOT_EXECUTED)),
            FinishVerdict::kRecorded);
  ASSERT_EQ(Claim(identity).attempt, 2U);
  EXPECT_EQ(Finish(Result(identity, operations::v1::OPERATION_STATE_UNKNOWN, 1)),
            FinishVerdict::kNotOurs);
  EXPECT_EQ(Finish(Result(identity, operations::v1::OPERATION_STATE_NOT_EXECUTED, 1)),
            FinishVerdict::kNotOurs);
  EXPECT_EQ(Read(identity).state(), operations::v1::OPERATION_STATE_RUNNING);
}

TEST_P(OperationStoreFinish, AResultWithoutARecordWritesOneEvenWithoutAnEpoch) {
  Claim(Identity(1));
  world_->LoseMemory();
  FinishRequest request = Result(Identity(1), operations::v1::OPERATION_STATE_DONE);
  request.order = Entry();
  request.step = Step(kOrder);

  EXPECT_EQ(Finish(request), FinishVerdict::kRecorded);

  const ClaimResult result = Claim(Identity(1));
  EXPECT_EQ(result.verdict, ClaimVerdict::kDone);
  EXPECT_EQ(result.outcome, "sealed");
  EXPECT_TRUE(Load(Entry().key).due.has_value());
  const operations::v1::Operation operation = Read(Identity(1));
  EXPECT_EQ(operation.rpc(), Identity(1).rpc);
  ASSERT_EQ(operation.steps_size(), 1);
  EXPECT_EQ(operation.steps(0).order_id(), kOrder);
  EXPECT_TRUE(operation.steps(0).has_sent_at());
  EXPECT_EQ(operation.transitions_size(), 1);
}

TEST_P(OperationStoreFinish, AnUnknownResultWithoutARecordHoldsKeyAndOrder) {
  world_->LoseMemory();
  EXPECT_EQ(Finish(Result(Identity(1, kOrder), operations::v1::OPERATION_STATE_UNKNOWN)),
            FinishVerdict::kRecorded);
  EXPECT_EQ(Claim(Identity(1, kOrder)).verdict, ClaimVerdict::kPending);
  EXPECT_EQ(Claim(Identity(2, kOrder)).verdict, ClaimVerdict::kOrderBusy);
}

TEST_P(OperationStoreFinish, AResultForAnAttemptThatTheRecordLostIsRecorded) {
  Claim(Identity(1));
  ASSERT_EQ(Finish(Result(Identity(1), operations::v1::OPERATION_STATE_NOT_EXECUTED)),
            FinishVerdict::kRecorded);
  EXPECT_EQ(Finish(Result(Identity(1), operations::v1::OPERATION_STATE_DONE, 2, "owner-2")),
            FinishVerdict::kRecorded);
  const ClaimResult result = Claim(Identity(1));
  EXPECT_EQ(result.verdict, ClaimVerdict::kDone);
  EXPECT_EQ(result.attempt, 2U);
  EXPECT_EQ(Finish(Result(Identity(1), operations::v1::OPERATION_STATE_DONE, 3, "owner-3")),
            FinishVerdict::kAlreadyClosed);
}

TEST_P(OperationStoreFinish, AnOutcomeThatIsTooLargeIsDoneWithoutAResult) {
  Claim(Identity(1));
  Claim(Identity(2));
  FinishRequest fits = Result(Identity(1), operations::v1::OPERATION_STATE_DONE);
  fits.outcome.assign(ports::kMaxOutcomeBytes, 'x');
  FinishRequest too_large = Result(Identity(2), operations::v1::OPERATION_STATE_DONE);
  too_large.outcome.assign(ports::kMaxOutcomeBytes + 1, 'x');

  EXPECT_EQ(Finish(fits), FinishVerdict::kRecorded);
  EXPECT_EQ(Finish(too_large), FinishVerdict::kRecorded);

  EXPECT_EQ(Claim(Identity(1)).outcome, fits.outcome);
  const ClaimResult result = Claim(Identity(2));
  EXPECT_EQ(result.verdict, ClaimVerdict::kDone);
  EXPECT_TRUE(result.outcome.empty());
}

TEST_P(OperationStoreFinish, TheOrderIsDueNowAndItsEntryStandsBesideTheSnapshot) {
  Claim(Identity(1));
  FinishRequest request = Result(Identity(1), operations::v1::OPERATION_STATE_DONE);
  request.order = Entry();
  const WallTime before = world_->Now();

  ASSERT_EQ(Finish(request), FinishVerdict::kRecorded);

  const ports::FamilyState state = Load(Entry().key);
  EXPECT_EQ(state.version, 0U);
  EXPECT_EQ(state.entry.capture_mode, "manual");
  EXPECT_EQ(state.entry.traceparent, Entry().traceparent);
  EXPECT_FALSE(state.entry.own_checkout);
  ASSERT_TRUE(state.due.has_value());
  EXPECT_GE(*state.due, before);
  EXPECT_LE(*state.due, world_->Now());
}

TEST_P(OperationStoreFinish, ALaterOperationKeepsWhatTheCreatingOneLeft) {
  for (const std::uint8_t number : std::initializer_list<std::uint8_t>{1, 2})
    Claim(Identity(number));
  FinishRequest create = Result(Identity(1), operations::v1::OPERATION_STATE_DONE);
  create.order = Entry();
  ASSERT_EQ(Finish(create), FinishVerdict::kRecorded);
  FinishRequest initiate = Result(Identity(2), operations::v1::OPERATION_STATE_DONE);
  initiate.order = Entry();
  initiate.order->capture_mode = "";
  initiate.order->traceparent = "00-11111111111111111111111111111111-2222222222222222-01";
  initiate.order->own_checkout = true;

  ASSERT_EQ(Finish(initiate), FinishVerdict::kRecorded);

  const ports::FamilyState state = Load(Entry().key);
  EXPECT_EQ(state.entry.capture_mode, "manual");
  EXPECT_EQ(state.entry.traceparent, Entry().traceparent);
  EXPECT_TRUE(state.entry.own_checkout);
}

TEST_P(OperationStoreFinish, EachResultGivesADueTimeThatNoReaderHasSeen) {
  std::optional<WallTime> seen;
  for (std::uint8_t number = 1; number <= 5; ++number) {
    Claim(Identity(number));
    FinishRequest request = Result(Identity(number), operations::v1::OPERATION_STATE_DONE);
    request.order = Entry();
    ASSERT_EQ(Finish(request), FinishVerdict::kRecorded);
    const std::optional<WallTime> due = Load(Entry().key).due;
    EXPECT_NE(due, seen);
    seen = due;
  }
}

}  // namespace
}  // namespace tollbridge::test
