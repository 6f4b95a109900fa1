// What a store does that lost its memory or failed over (docs/design/operations.md#rule-12).
#include <gtest/gtest.h>

#include "tests/contract/operation_store_fixture.h"
#include "tests/support/fails_with.h"
#include "tests/support/test_keyspace.h"

namespace tollbridge::test {
namespace {

using ports::ClaimResult;
using ports::ClaimVerdict;
using ports::FinishRequest;
using ports::FinishVerdict;
using ports::Millis;

class OperationDoubt : public OperationStoreContractTest {
 protected:
  static constexpr Millis kMemoryLostDoubt = std::chrono::hours(72);
  static constexpr Millis kFailoverDoubt = std::chrono::hours(1);

  void FailOver() {
    world_->Stop();
    world_->Restart();
  }
  /// A key that looks first, and found nothing that it would have liked to find.
  void LeaveUndecided(const ports::OperationIdentity& identity) {
    ASSERT_EQ(Claim(identity).verdict, ClaimVerdict::kLookFirst);
    FinishRequest request = Result(identity, operations::v1::OPERATION_STATE_NOT_EXECUTED);
    request.keep_look_first = true;
    ASSERT_EQ(Finish(request), FinishVerdict::kRecorded);
  }
};

/// While evidence has not shown what a forgotten run did, nobody knows.
class ForgottenRun : public OperationDoubt {
 protected:
  ForgottenRun() { evidence_shows_ = true; }

  void LookInVain(const ports::OperationIdentity& identity, std::uint32_t attempt = 1) {
    ASSERT_EQ(Claim(identity).verdict, ClaimVerdict::kLookFirst);
    FinishRequest request = Result(identity, operations::v1::OPERATION_STATE_UNKNOWN, attempt);
    request.keep_look_first = true;
    request.next_look = std::chrono::seconds(5);
    ASSERT_EQ(Finish(request), FinishVerdict::kRecorded);
  }
  /// What the resolver takes, once it is due.
  ports::DueOperation Taken() {
    world_->AdvanceTime(std::chrono::seconds(6));
    const ports::DueOperations due = TakeDue();
    EXPECT_EQ(due.to_look_at.size(), 1U);
    return due.to_look_at.empty() ? ports::DueOperation{} : due.to_look_at.front();
  }
  /// Its claim comes to its end without a look, and the resolver's finds nothing out.
  void LeaveToAPerson(const ports::OperationIdentity& identity) {
    FailOver();
    ASSERT_EQ(Claim(identity).verdict, ClaimVerdict::kLookFirst);
    world_->AdvanceTime(kLease);
    ASSERT_EQ(TakeDue().to_look_at.size(), 1U);
    ASSERT_EQ(Finish(Conclusion(identity, operations::v1::OPERATION_STATE_NEEDS_REVIEW)),
              FinishVerdict::kRecorded);
  }
};

INSTANTIATE_TEST_SUITE_P(Stores, OperationDoubt, testing::Values(FakeWorldKind(), RedisWorldKind()),
                         KindName);
INSTANTIATE_TEST_SUITE_P(Stores, ForgottenRun, testing::Values(FakeWorldKind(), RedisWorldKind()),
                         KindName);

TEST_P(OperationDoubt, IsNoticedByAConclusionThatComesBeforeTheFirstClaim) {
  ASSERT_EQ(Claim(Identity(1)).verdict, ClaimVerdict::kClaimed);
  world_->AdvanceTime(kLease);
  ASSERT_EQ(TakeDue().to_look_at.size(), 1U);
  FailOver();
  ASSERT_EQ(Finish(Conclusion(Identity(1), operations::v1::OPERATION_STATE_NOT_EXECUTED)),
            FinishVerdict::kRecorded);
  EXPECT_EQ(Judge(Identity(1), 1, kOrder), ports::MarkVerdict::kOurs)
      << "the answer that its caller got may have gone with the memory";
  TakeDue();  // begins the doubt
  world_->AdvanceTime(kFailoverDoubt + std::chrono::seconds(1));
  ASSERT_EQ(Claim(Identity(8)).verdict, ClaimVerdict::kClaimed) << "nothing is doubted any more";
  EXPECT_EQ(Claim(Identity(1)).verdict, ClaimVerdict::kLookFirst);
}

TEST_P(OperationDoubt, IsBegunByTheResolverWhereNobodyClaims) {
  ASSERT_EQ(Claim(Identity(1)).verdict, ClaimVerdict::kClaimed);
  FailOver();
  TakeDue();
  world_->AdvanceTime(kFailoverDoubt + std::chrono::seconds(1));
  EXPECT_EQ(Claim(Identity(8)).verdict, ClaimVerdict::kClaimed) << "nothing is doubted any more";
}

TEST_P(OperationDoubt, IsNotBegunByTheResolverOfAStoreThatIsYetToBeInitialized) {
  world_->LoseMemory();
  FailOver();
  TakeDue();
  const absl::StatusOr<bool> wrote =
      Run(world_->operations().InitializeEpoch(Uuid::V4({7}), Within()));
  EXPECT_TRUE(wrote.value_or(false)) << wrote.status();
}

TEST_P(ForgottenRun, MayBeAsYoungAsARestart) {
  FailOver();
  TakeDue();  // begins the doubt
  LookInVain(Identity(1));
  world_->AdvanceTime(std::chrono::seconds(20));
  FailOver();
  const WallTime restarted = world_->Now();
  const auto young = [&] {
    const ports::DueOperation taken = Taken();
    return taken.steps.size() == 1U &&
           taken.steps[0].sent_at >= restarted - std::chrono::seconds(1) &&
           taken.steps[0].sent_at <= restarted + std::chrono::seconds(60);
  };
  EXPECT_TRUE(young());
  world_->AdvanceTime(std::chrono::minutes(2));
  EXPECT_TRUE(young()) << "it grows old, though nobody claims";
}

TEST_P(ForgottenRun, IsTakenByTheResolverAsOfWhenTheDoubtBegan) {
  FailOver();
  Claim(Identity(9));  // begins the doubt
  const WallTime doubted = world_->Now();
  world_->AdvanceTime(std::chrono::seconds(20));
  LookInVain(Identity(1));
  const ports::DueOperation taken = Taken();
  EXPECT_TRUE(taken.nothing_sent);
  ASSERT_EQ(taken.steps.size(), 1U);
  EXPECT_EQ(taken.steps[0].target.name, "create_order");
  EXPECT_LE(taken.steps[0].sent_at, doubted);
  EXPECT_GE(taken.steps[0].sent_at, doubted - std::chrono::seconds(10));

  ASSERT_EQ(Finish(Conclusion(Identity(1), operations::v1::OPERATION_STATE_NOT_EXECUTED)),
            FinishVerdict::kRecorded);
  EXPECT_EQ(Claim(Identity(1)).verdict, ClaimVerdict::kClaimed) << "its absence is established";
}

TEST_P(ForgottenRun, IsLookedForByEachClaimUntilItIsDecided) {
  FailOver();
  LookInVain(Identity(1, kOrder));
  EXPECT_EQ(Claim(Identity(2, kOrder)).verdict, ClaimVerdict::kOrderBusy);
  LookInVain(Identity(1, kOrder), 2);
  const ports::DueOperation taken = Taken();
  EXPECT_EQ(taken.attempt, 2U);
  world_->AdvanceTime(kLease);
  ASSERT_EQ(Claim(Identity(1, kOrder), "owner-2").verdict, ClaimVerdict::kLookFirst);
  FinishRequest late = Conclusion(Identity(1, kOrder), operations::v1::OPERATION_STATE_DONE);
  late.attempt = 2;
  late.knowledge = operations::v1::KNOWLEDGE_RECOVERED;
  EXPECT_EQ(Finish(late), FinishVerdict::kNotOurs) << "the claim looks for itself";
}

TEST_P(ForgottenRun, ItsOwnAnswerIsTheOutcome) {
  ASSERT_EQ(Claim(Identity(1)).verdict, ClaimVerdict::kClaimed);
  const FinishRequest answered = Result(Identity(1), operations::v1::OPERATION_STATE_DONE);
  world_->LoseMemory();
  LookInVain(Identity(1));
  EXPECT_EQ(Finish(answered), FinishVerdict::kRecorded);
  EXPECT_EQ(Claim(Identity(1)).verdict, ClaimVerdict::kDone);
}

TEST_P(ForgottenRun, IsNotForgottenWithTheLeaseNorWhenTheClaimIsUndone) {
  FailOver();
  ASSERT_EQ(Claim(Identity(1)).verdict, ClaimVerdict::kLookFirst);
  ASSERT_EQ(Claim(Identity(2), "owner-2").verdict, ClaimVerdict::kLookFirst);
  Release(Identity(2), "owner-2");
  Release(Identity(2), "owner-2");
  world_->AdvanceTime(kLease);
  const ports::DueOperations due = TakeDue();
  ASSERT_EQ(due.expired.size(), 1U);
  EXPECT_EQ(due.expired[0].became, operations::v1::OPERATION_STATE_UNKNOWN);
  ASSERT_EQ(due.to_look_at.size(), 2U);
  for (const ports::DueOperation& taken : due.to_look_at) {
    EXPECT_TRUE(taken.nothing_sent);
    ASSERT_EQ(taken.steps.size(), 1U);
    EXPECT_EQ(taken.steps[0].target.name, "create_order");
  }
}

TEST_P(ForgottenRun, ThatNothingShowsLeavesTheKeyNotExecuted) {
  evidence_shows_ = false;
  FailOver();
  ASSERT_EQ(Claim(Identity(1)).verdict, ClaimVerdict::kLookFirst);
  world_->AdvanceTime(kLease);
  const ports::DueOperations due = TakeDue();
  ASSERT_EQ(due.expired.size(), 1U);
  EXPECT_EQ(due.expired[0].became, operations::v1::OPERATION_STATE_NOT_EXECUTED);
  EXPECT_EQ(Claim(Identity(1)).verdict, ClaimVerdict::kLookFirst);
}

/// Another store may have run the key since, as another epoch of this one may have.
TEST_P(ForgottenRun, IsAsYoungAsTheDoubtOfAProjectThatCameBack) {
  FailOver();
  LookInVain(Identity(1));
  world_->AdvanceTime(std::chrono::minutes(10));
  ASSERT_EQ(world_->Ask({"HDEL", TestKeyspace().epoch_key(), ShopKeys()}).integer, 1);
  Claim(Identity(9));  // comes back
  const WallTime came_back = world_->Now();
  const ports::DueOperation taken = Taken();
  ASSERT_EQ(taken.steps.size(), 1U);
  EXPECT_GE(taken.steps[0].sent_at, came_back - std::chrono::seconds(5));
}

TEST_P(ForgottenRun, IsForAPersonAlsoWhenTheClaimIsUndoneAfterwards) {
  ASSERT_NO_FATAL_FAILURE(LeaveToAPerson(Identity(1)));

  Release(Identity(1));

  EXPECT_EQ(Read(Identity(1)).state(), operations::v1::OPERATION_STATE_NEEDS_REVIEW);
  EXPECT_EQ(Claim(Identity(1), "owner-2").verdict, ClaimVerdict::kPending);
}

TEST_P(ForgottenRun, IsForAPersonWhateverWhoSentNothingSaysLater) {
  ASSERT_NO_FATAL_FAILURE(LeaveToAPerson(Identity(1)));

  EXPECT_EQ(Finish(Result(Identity(1), operations::v1::OPERATION_STATE_NOT_EXECUTED)),
            FinishVerdict::kNotOurs);

  EXPECT_EQ(Claim(Identity(1), "owner-2").verdict, ClaimVerdict::kPending);
}

TEST_P(ForgottenRun, LooksAddUpWhateverOftenItsKeyComes) {
  FailOver();
  LookInVain(Identity(1));
  const ports::DueOperation first = Taken();
  EXPECT_EQ(first.passes, 0U);
  ASSERT_TRUE(Reschedule(first, std::chrono::seconds(60)));
  for (std::uint32_t attempt = 2; attempt < 6; ++attempt) {
    LookInVain(Identity(1), attempt);
    const ports::DueOperation taken = Taken();
    EXPECT_EQ(taken.passes, attempt - 1);
    ASSERT_TRUE(Reschedule(taken, std::chrono::seconds(60)));
  }
}

TEST_P(ForgottenRun, TheResolverHasItsTurnWhateverOftenItsKeyComes) {
  FailOver();
  LookInVain(Identity(1));
  for (std::uint32_t attempt = 2; attempt < 5; ++attempt) {
    world_->AdvanceTime(std::chrono::milliseconds(1'500));
    LookInVain(Identity(1), attempt);
  }
  world_->AdvanceTime(std::chrono::milliseconds(600));
  ASSERT_EQ(Claim(Identity(1)).verdict, ClaimVerdict::kLookFirst);
  EXPECT_TRUE(TakeDue().to_look_at.empty()) << "a call looks at it";
  FinishRequest in_vain = Result(Identity(1), operations::v1::OPERATION_STATE_UNKNOWN, 5);
  in_vain.keep_look_first = true;
  in_vain.next_look = std::chrono::seconds(5);
  ASSERT_EQ(Finish(in_vain), FinishVerdict::kRecorded);
  world_->AdvanceTime(std::chrono::seconds(1));
  const ports::DueOperations due = TakeDue();
  ASSERT_EQ(due.to_look_at.size(), 1U) << "due since 5 s after the first look";

  const ports::ClaimResult meanwhile = Claim(Identity(1));
  EXPECT_EQ(meanwhile.verdict, ClaimVerdict::kPending);
  EXPECT_EQ(meanwhile.state, operations::v1::OPERATION_STATE_UNKNOWN);
  ASSERT_TRUE(Reschedule(due.to_look_at.front(), std::chrono::seconds(5), 0));
  LookInVain(Identity(1), 6);
  EXPECT_EQ(Taken().passes, 1U);
}

TEST_P(ForgottenRun, AnswersOfTwoForgottenRunsAreTwoEffects) {
  ASSERT_EQ(Claim(Identity(1)).verdict, ClaimVerdict::kClaimed);
  const FinishRequest first = Result(Identity(1), operations::v1::OPERATION_STATE_DONE);
  world_->LoseMemory();
  ASSERT_EQ(Claim(Identity(1)).verdict, ClaimVerdict::kLookFirst);
  ASSERT_TRUE(BeginStep(Identity(1), 1, "owner-1").ok());
  const FinishRequest second = Result(Identity(1), operations::v1::OPERATION_STATE_DONE);
  world_->LoseMemory();
  LookInVain(Identity(1));

  ASSERT_EQ(Finish(second), FinishVerdict::kRecorded);
  EXPECT_EQ(Finish(second), FinishVerdict::kAlreadyClosed) << "the same write again";
  EXPECT_EQ(Finish(first), FinishVerdict::kLateEffect);
}

TEST_P(OperationDoubt, AnInitializedStoreIsNotDoubted) {
  const ClaimResult result = Claim(Identity(1));
  EXPECT_EQ(result.verdict, ClaimVerdict::kClaimed);
  EXPECT_FALSE(result.doubtful);
  EXPECT_EQ(result.doubtful_for.count(), 0);
  EXPECT_EQ(result.doubtful_left.count(), 0);
}

TEST_P(OperationDoubt, LostMemoryBeginsANewEpochThatIsDoubtedFor72Hours) {
  const std::string before = Claim(Identity(1)).epoch;
  world_->LoseMemory();  // no connection is closed

  const ClaimResult result = Claim(Identity(2));

  EXPECT_EQ(result.verdict, ClaimVerdict::kLookFirst);
  EXPECT_EQ(result.attempt, 1U);
  EXPECT_TRUE(result.doubtful);
  EXPECT_NE(result.epoch, before);
  EXPECT_GT(result.doubtful_left, kMemoryLostDoubt - Millis(10'000));
  world_->AdvanceTime(Millis(5'000));
  EXPECT_GE(Claim(Identity(3)).doubtful_for, Millis(5'000));
  world_->AdvanceTime(kMemoryLostDoubt);
  EXPECT_EQ(Claim(Identity(4)).verdict, ClaimVerdict::kClaimed);
}

TEST_P(OperationDoubt, AnotherServerIsDoubtedForAnHour) {
  const std::string before = Claim(Identity(1)).epoch;
  FailOver();

  const ClaimResult result = Claim(Identity(2));

  EXPECT_EQ(result.verdict, ClaimVerdict::kLookFirst);
  EXPECT_TRUE(result.doubtful);
  EXPECT_NE(result.epoch, before);
  EXPECT_GT(result.doubtful_left, kFailoverDoubt - Millis(10'000));
  EXPECT_LE(result.doubtful_left, kFailoverDoubt);
  world_->AdvanceTime(kFailoverDoubt);
  const ClaimResult later = Claim(Identity(3));
  EXPECT_EQ(later.verdict, ClaimVerdict::kClaimed);
  EXPECT_FALSE(later.doubtful);
  EXPECT_EQ(later.epoch, result.epoch);
}

TEST_P(OperationDoubt, TheSameServerIsDoubtedOnceItWasPromoted) {
  const std::string before = Claim(Identity(1)).epoch;
  world_->Promote();

  const ClaimResult result = Claim(Identity(2));

  EXPECT_EQ(result.verdict, ClaimVerdict::kLookFirst);
  EXPECT_NE(result.epoch, before);
  EXPECT_GT(result.doubtful_left, kFailoverDoubt - Millis(10'000));
  EXPECT_EQ(Claim(Identity(3)).epoch, result.epoch) << "doubted once";
}

TEST_P(OperationDoubt, AReplicationIdThatChangesWithoutAPromotionIsNoDoubt) {
  const std::string before = Claim(Identity(1)).epoch;
  world_->GainReplica();
  const ClaimResult renewed = Claim(Identity(2));
  EXPECT_EQ(renewed.verdict, ClaimVerdict::kClaimed);
  EXPECT_EQ(renewed.epoch, before);
  world_->Promote();
  EXPECT_NE(Claim(Identity(3)).epoch, before) << "it goes on from there";
}

TEST_P(OperationDoubt, AFailoverDoesNotShortenTheDoubtOfLostMemory) {
  world_->LoseMemory();
  const std::string lost = Claim(Identity(1)).epoch;
  FailOver();
  const ClaimResult result = Claim(Identity(2));
  EXPECT_NE(result.epoch, lost);
  EXPECT_GT(result.doubtful_left, kMemoryLostDoubt - Millis(60'000));
}

TEST_P(OperationDoubt, LookFirstIsRunningWithNothingSent) {
  world_->LoseMemory();
  ASSERT_EQ(Claim(Identity(1, kOrder)).verdict, ClaimVerdict::kLookFirst);
  const operations::v1::Operation operation = Read(Identity(1));
  EXPECT_EQ(operation.state(), operations::v1::OPERATION_STATE_RUNNING);
  EXPECT_EQ(operation.steps_size(), 0);
  EXPECT_EQ(Claim(Identity(1, kOrder), "owner-2").verdict, ClaimVerdict::kInProgress);
  EXPECT_EQ(Claim(Identity(2, kOrder)).verdict, ClaimVerdict::kOrderBusy);
}

TEST_P(OperationDoubt, WhoHasLookedBeginsTheFirstStepAndThenIsLikeAnyOther) {
  world_->LoseMemory();
  Claim(Identity(1));

  ASSERT_TRUE(BeginStep(Identity(1), 1, "owner-1").ok());

  const operations::v1::Operation operation = Read(Identity(1));
  ASSERT_EQ(operation.steps_size(), 1);
  EXPECT_EQ(operation.steps(0).state(), operations::v1::STEP_STATE_SENT);
  world_->AdvanceTime(kLease);
  EXPECT_EQ(Claim(Identity(1)).state, operations::v1::OPERATION_STATE_UNKNOWN);
  ASSERT_EQ(Finish(Result(Identity(1), operations::v1::OPERATION_STATE_NOT_EXECUTED)),
            FinishVerdict::kRecorded);
  EXPECT_EQ(Claim(Identity(1)).verdict, ClaimVerdict::kClaimed) << "absence was established";
}

TEST_P(OperationDoubt, ASecondCallCannotSkipTheLook) {
  world_->LoseMemory();
  LeaveUndecided(Identity(1));
  const ClaimResult result = Claim(Identity(1));
  EXPECT_EQ(result.verdict, ClaimVerdict::kLookFirst);
  EXPECT_EQ(result.attempt, 2U);
  Release(Identity(1));
  EXPECT_EQ(Claim(Identity(1)).verdict, ClaimVerdict::kLookFirst) << "undone without a look";
  world_->AdvanceTime(kLease);
  EXPECT_EQ(Claim(Identity(1), "owner-2").verdict, ClaimVerdict::kLookFirst)
      << "the lease ended without a look";
}

TEST_P(OperationDoubt, ALookThatDidNotEndIsOwedWhenTheDoubtIsOver) {
  FailOver();
  LeaveUndecided(Identity(1));
  world_->AdvanceTime(kFailoverDoubt);

  const ClaimResult result = Claim(Identity(1));

  EXPECT_EQ(result.verdict, ClaimVerdict::kLookFirst);
  EXPECT_FALSE(result.doubtful);
  EXPECT_EQ(result.doubtful_left.count(), 0);
  EXPECT_GE(result.doubtful_for, kFailoverDoubt) << "the first quarantine is over";
  ASSERT_EQ(Finish(Result(Identity(1), operations::v1::OPERATION_STATE_NOT_EXECUTED, 2)),
            FinishVerdict::kRecorded);
  EXPECT_EQ(Claim(Identity(1)).verdict, ClaimVerdict::kClaimed) << "absence was established";
}

TEST_P(OperationDoubt, AbsenceThatWasEstablishedIsNotLookedForAgain) {
  world_->LoseMemory();
  Claim(Identity(1));
  ASSERT_EQ(Finish(Result(Identity(1), operations::v1::OPERATION_STATE_NOT_EXECUTED)),
            FinishVerdict::kRecorded);
  EXPECT_EQ(Claim(Identity(1)).verdict, ClaimVerdict::kClaimed);
}

TEST_P(OperationDoubt, NotExecutedFromBeforeTheDoubtIsLookedForAndFromAfterItIsNot) {
  Claim(Identity(1));
  ASSERT_EQ(Finish(Result(Identity(1), operations::v1::OPERATION_STATE_NOT_EXECUTED)),
            FinishVerdict::kRecorded);
  world_->AdvanceTime(Millis(1'000));
  FailOver();
  const ClaimResult result = Claim(Identity(1));
  EXPECT_EQ(result.verdict, ClaimVerdict::kLookFirst);
  EXPECT_EQ(result.attempt, 2U);
  ASSERT_EQ(Finish(Result(Identity(1), operations::v1::OPERATION_STATE_NOT_EXECUTED, 2)),
            FinishVerdict::kRecorded);
  EXPECT_EQ(Claim(Identity(1)).verdict, ClaimVerdict::kClaimed);
}

TEST_P(OperationDoubt, WhatStandsThereIsAnsweredWithoutALook) {
  Claim(Identity(1));
  Claim(Identity(2));
  ASSERT_EQ(Finish(Result(Identity(1), operations::v1::OPERATION_STATE_DONE)),
            FinishVerdict::kRecorded);
  ASSERT_EQ(Finish(Result(Identity(2), operations::v1::OPERATION_STATE_UNKNOWN)),
            FinishVerdict::kRecorded);
  FailOver();
  EXPECT_EQ(Claim(Identity(1)).verdict, ClaimVerdict::kDone);
  EXPECT_EQ(Claim(Identity(2)).verdict, ClaimVerdict::kPending);
}

TEST_P(OperationDoubt, AFurtherStepIsRefusedInAnotherEpoch) {
  Claim(Identity(1));
  FailOver();
  EXPECT_EQ(BeginStep(Identity(1), 1, "owner-1").code(), absl::StatusCode::kFailedPrecondition);
  world_->LoseMemory();
  EXPECT_EQ(BeginStep(Identity(1), 1, "owner-1").code(), absl::StatusCode::kFailedPrecondition);
}

TEST_P(OperationDoubt, AnUnknownIdIsMemoryLostWhileDoubtfulAndNotFoundElse) {
  const absl::Status known = TryRead(Id(9)).status();
  EXPECT_THAT(known, FailsWith(StatusCode::kNotFound, domain::reason::kOperationNotFound));
  FailOver();  // nobody has claimed since
  EXPECT_EQ(domain::ReasonOf(TryRead(Id(9)).status()), domain::reason::kMemoryLost);
  world_->AdvanceTime(kFailoverDoubt);
  EXPECT_EQ(TryRead(Id(9)).status().code(), absl::StatusCode::kNotFound);
  world_->LoseMemory();
  const absl::Status lost = TryRead(Id(9)).status();
  EXPECT_THAT(lost, FailsWith(StatusCode::kUnavailable, domain::reason::kMemoryLost));
}

TEST_P(OperationDoubt, ASuccessOfAnOlderEpochIsAcceptedWhereNothingWasSentSince) {
  Claim(Identity(1));
  Claim(Identity(2));
  const FinishRequest running = Result(Identity(1), operations::v1::OPERATION_STATE_DONE);
  const FinishRequest undecided = Result(Identity(2), operations::v1::OPERATION_STATE_DONE);
  world_->LoseMemory();
  ASSERT_EQ(Claim(Identity(1), "owner-2").verdict, ClaimVerdict::kLookFirst);
  LeaveUndecided(Identity(2));

  EXPECT_EQ(Finish(running), FinishVerdict::kRecorded);
  EXPECT_EQ(Finish(undecided), FinishVerdict::kRecorded);

  EXPECT_EQ(Claim(Identity(1)).outcome, "sealed");
  EXPECT_EQ(Claim(Identity(2)).outcome, "sealed");
}

TEST_P(OperationDoubt, ASuccessOfAnOlderEpochIsALateEffectOnceSomethingWasSentSince) {
  Claim(Identity(1));
  const FinishRequest older = Result(Identity(1), operations::v1::OPERATION_STATE_DONE);
  world_->LoseMemory();
  ASSERT_EQ(Claim(Identity(1), "owner-2").verdict, ClaimVerdict::kLookFirst);
  ASSERT_TRUE(BeginStep(Identity(1), 1, "owner-2").ok());

  EXPECT_EQ(Finish(older), FinishVerdict::kLateEffect);

  EXPECT_EQ(Read(Identity(1)).state(), operations::v1::OPERATION_STATE_RUNNING);
  EXPECT_EQ(Survey().needs_review.at("LATE_EFFECT"), 1U);
}

TEST_P(OperationDoubt, AnEffectThatWasRecoveredIsNotALateEffectWhenItsAnswerComes) {
  Claim(Identity(1));
  const FinishRequest answer = Result(Identity(1), operations::v1::OPERATION_STATE_DONE);
  world_->LoseMemory();
  ASSERT_EQ(Claim(Identity(1), "owner-2").verdict, ClaimVerdict::kLookFirst);
  FinishRequest found = Result(Identity(1), operations::v1::OPERATION_STATE_DONE, 1, "owner-2");
  found.knowledge = operations::v1::KNOWLEDGE_RECOVERED;
  ASSERT_EQ(Finish(found), FinishVerdict::kRecorded);

  EXPECT_EQ(Finish(answer), FinishVerdict::kAlreadyClosed);

  EXPECT_EQ(Read(Identity(1)).knowledge(), operations::v1::KNOWLEDGE_RECOVERED);
  EXPECT_TRUE(Survey().needs_review.empty());
}

TEST_P(OperationDoubt, AnIndefiniteAnswerOfAnOlderEpochChangesNothing) {
  Claim(Identity(1));
  const FinishRequest older = Result(Identity(1), operations::v1::OPERATION_STATE_UNKNOWN);
  world_->LoseMemory();
  Claim(Identity(1));
  EXPECT_EQ(Finish(older), FinishVerdict::kNotOurs);
  EXPECT_EQ(Read(Identity(1)).state(), operations::v1::OPERATION_STATE_RUNNING);
}

TEST_P(OperationDoubt, AnAttemptFromBeforeAFailoverThatEndsAfterItIsLookedAtFirst) {
  const ClaimResult before = Claim(Identity(1));
  FailOver();
  ASSERT_NE(Claim(Identity(2)).epoch, before.epoch);
  // Known for this attempt, while a later one may have gone with the failover.
  FinishRequest request = Result(Identity(1), operations::v1::OPERATION_STATE_NOT_EXECUTED);
  request.epoch = before.epoch;
  ASSERT_EQ(Finish(request), FinishVerdict::kRecorded);

  EXPECT_EQ(Claim(Identity(1)).verdict, ClaimVerdict::kLookFirst);
}

TEST_P(OperationDoubt, AResultOfAClaimThatAFailoverLostIsRecorded) {
  // The record as the replica had it: of the first attempt, in the first epoch.
  Claim(Identity(1));
  ASSERT_EQ(Finish(Result(Identity(1), operations::v1::OPERATION_STATE_NOT_EXECUTED)),
            FinishVerdict::kRecorded);
  FailOver();
  ASSERT_NE(Claim(Identity(2)).epoch, "");

  EXPECT_EQ(Finish(Result(Identity(1), operations::v1::OPERATION_STATE_DONE, 1, "owner-2")),
            FinishVerdict::kRecorded);

  EXPECT_EQ(Claim(Identity(1)).verdict, ClaimVerdict::kDone);
  EXPECT_TRUE(Survey().needs_review.empty());
}

/// What was not executed here may have been elsewhere since.
TEST_P(OperationDoubt, AKeyFromBeforeItsProjectLeftIsLookedFor) {
  Claim(Identity(1));
  ASSERT_EQ(Finish(Result(Identity(1), operations::v1::OPERATION_STATE_NOT_EXECUTED)),
            FinishVerdict::kRecorded);
  ASSERT_EQ(world_->Ask({"HDEL", TestKeyspace().epoch_key(), ShopKeys()}).integer, 1);
  world_->AdvanceTime(Millis(1'000));
  EXPECT_EQ(Claim(Identity(1)).verdict, ClaimVerdict::kLookFirst);
}

TEST_P(OperationDoubt, AnAttemptFromBeforeItsProjectLeftIsLookedAtFirst) {
  Claim(Identity(1));
  ASSERT_EQ(world_->Ask({"HDEL", TestKeyspace().epoch_key(), ShopKeys()}).integer, 1);
  world_->AdvanceTime(Millis(1'000));
  Claim(Identity(9));  // comes back
  ASSERT_EQ(Finish(Result(Identity(1), operations::v1::OPERATION_STATE_NOT_EXECUTED)),
            FinishVerdict::kRecorded);
  EXPECT_EQ(Claim(Identity(1)).verdict, ClaimVerdict::kLookFirst);
}

TEST_P(OperationDoubt, AProjectThatLeftTheStoreComesBackInDoubt) {
  Claim(Identity(1));
  ASSERT_EQ(world_->Ask({"HDEL", TestKeyspace().epoch_key(), ShopKeys()}).integer, 1);
  // What was begun before goes no further: another store may serve the project now.
  EXPECT_TRUE(absl::IsFailedPrecondition(BeginStep(Identity(1), 1, "owner-1")));

  const ClaimResult result = Claim(Identity(2));
  EXPECT_EQ(result.verdict, ClaimVerdict::kLookFirst);
  EXPECT_GT(result.doubtful_left, kMemoryLostDoubt - std::chrono::minutes(1));
  EXPECT_GT(Survey().doubtful_left, kMemoryLostDoubt - std::chrono::minutes(1));
  EXPECT_EQ(Claim(Identity(1)).verdict, ClaimVerdict::kInProgress) << "it is known";

  EXPECT_FALSE(*Run(world_->operations().InitializeEpoch(Uuid::V4({9}), Within())));
  EXPECT_EQ(Claim(Identity(4)).verdict, ClaimVerdict::kLookFirst) << "init-store ends no doubt";

  ports::OperationIdentity of_another = Identity(3);
  of_another.project = "stall";
  EXPECT_EQ(Claim(of_another).verdict, ClaimVerdict::kClaimed);
}

}  // namespace
}  // namespace tollbridge::test
