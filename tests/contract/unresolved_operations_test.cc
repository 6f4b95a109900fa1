#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/contract/operation_store_fixture.h"
#include "tests/support/operation_records.h"
#include "tests/support/test_keyspace.h"

namespace tollbridge::test {
namespace {

using ports::ClaimVerdict;
using ports::DueOperation;
using ports::DueOperations;
using ports::FinishRequest;
using ports::FinishVerdict;
using ports::Millis;
using ports::UnresolvedSurvey;

class UnresolvedOperations : public OperationStoreContractTest {
 protected:
  static constexpr Millis kLook{2'000};

  void LeaveUnknown(const ports::OperationIdentity& identity, Millis next_look = kLook) {
    Claim(identity);
    FinishRequest request = Result(identity, operations::v1::OPERATION_STATE_UNKNOWN);
    request.next_look = next_look;
    ASSERT_EQ(Finish(request), FinishVerdict::kRecorded);
  }
  void CloseByAbsence(const ports::OperationIdentity& identity, Millis next_look) {
    LeaveUnknown(identity, Millis(0));
    ASSERT_EQ(TakeDue().to_look_at.size(), 1U);
    FinishRequest request = Conclusion(identity, operations::v1::OPERATION_STATE_NOT_EXECUTED);
    request.by_absence = true;
    request.next_look = next_look;
    ASSERT_EQ(Finish(request), FinishVerdict::kRecorded);
  }
  std::vector<DueOperation> Take(const std::string& token = "token-1") {
    return TakeDue(100, token).to_look_at;
  }
};

INSTANTIATE_TEST_SUITE_P(Stores, UnresolvedOperations,
                         testing::Values(FakeWorldKind(), RedisWorldKind()), KindName);

TEST_P(UnresolvedOperations, UnknownIsDueAtItsNextLook) {
  LeaveUnknown(Identity(1));
  EXPECT_TRUE(Take().empty());
  world_->AdvanceTime(kLook);
  EXPECT_EQ(Take().size(), 1U);
}

TEST_P(UnresolvedOperations, WhatIsTakenSaysAllThatTheRecordKeeps) {
  const ports::OperationIdentity identity = Identity(1, kOrder);
  Claim(identity);
  ports::StepTarget step = Step(kOrder);
  step.transaction_id = "t-1";
  step.marked = true;
  FinishRequest request = Result(identity, operations::v1::OPERATION_STATE_UNKNOWN);
  request.step = step;
  ASSERT_EQ(Finish(request), FinishVerdict::kRecorded);
  world_->AdvanceTime(Millis(1'500));

  const std::vector<DueOperation> taken = Take();

  ASSERT_EQ(taken.size(), 1U);
  const DueOperation& due = taken[0];
  EXPECT_EQ(due.identity.id, identity.id);
  EXPECT_EQ(due.identity.rpc, identity.rpc);
  EXPECT_EQ(due.identity.project, identity.project);
  ASSERT_EQ(due.identity.fingerprints.size(), 1U);
  EXPECT_EQ(due.identity.fingerprints[0].key_id, "k1");
  EXPECT_EQ(due.identity.fingerprints[0].digest, "digest");
  EXPECT_EQ(due.identity.capture_mode, "manual");
  EXPECT_EQ(due.identity.traceparent, identity.traceparent);
  EXPECT_EQ(due.identity.gate_order, kOrder);
  EXPECT_EQ(due.attempt, 1U);
  EXPECT_EQ(due.epoch, epoch_);
  EXPECT_EQ(due.state, operations::v1::OPERATION_STATE_UNKNOWN);
  EXPECT_EQ(due.misses, 0U);
  EXPECT_EQ(due.passes, 0U);
  EXPECT_GE(due.now - due.since, Millis(1'500));
  ASSERT_EQ(due.steps.size(), 1U);
  EXPECT_EQ(due.steps[0].target, step);
  EXPECT_EQ(due.steps[0].state, operations::v1::STEP_STATE_UNKNOWN);
  EXPECT_LE(due.steps[0].sent_at, due.since);
  EXPECT_GT(due.steps[0].sent_at, due.since - Millis(60'000));
}

TEST_P(UnresolvedOperations, EachTakeTellsTheStoresTime) {
  const WallTime before = world_->Now();
  const WallTime told = TakeDue().now;
  EXPECT_GE(told, before);
  EXPECT_LE(told, world_->Now());
  world_->AdvanceTime(Millis(3'600'000));
  EXPECT_GE(TakeDue().now, told + Millis(3'600'000)) << "with nothing to take, too";
}

TEST_P(UnresolvedOperations, AnEndedLeaseWithAStepSentIsTakenAtOnce) {
  Claim(Identity(1));
  world_->AdvanceTime(kLease);
  const DueOperations due = TakeDue();
  ASSERT_EQ(due.expired.size(), 1U);
  EXPECT_EQ(due.expired[0].became, operations::v1::OPERATION_STATE_UNKNOWN);
  ASSERT_EQ(due.to_look_at.size(), 1U);
  EXPECT_EQ(due.to_look_at[0].identity.id, Id(1));
}

TEST_P(UnresolvedOperations, AnEndedLeaseWithNothingSentIsNotExecuted) {
  world_->LoseMemory();
  ASSERT_EQ(Claim(Identity(1)).verdict, ClaimVerdict::kLookFirst);
  world_->AdvanceTime(kLease);
  const DueOperations due = TakeDue();
  ASSERT_EQ(due.expired.size(), 1U);
  EXPECT_EQ(due.expired[0].became, operations::v1::OPERATION_STATE_NOT_EXECUTED);
  EXPECT_TRUE(due.to_look_at.empty());
  EXPECT_EQ(Claim(Identity(1)).verdict, ClaimVerdict::kLookFirst);
}

TEST_P(UnresolvedOperations, WhatIsTakenIsLeftAloneUntilTheTakersLeaseEnds) {
  LeaveUnknown(Identity(1), Millis(0));
  ASSERT_EQ(Take().size(), 1U);
  EXPECT_TRUE(Take("token-2").empty());
  world_->AdvanceTime(kLease - Millis(1'000));
  EXPECT_TRUE(Take("token-2").empty());
  world_->AdvanceTime(Millis(1'000));
  EXPECT_EQ(Take("token-2").size(), 1U);
  // What the first taker concludes comes too late.
  EXPECT_EQ(Finish(Conclusion(Identity(1), operations::v1::OPERATION_STATE_NOT_EXECUTED)),
            FinishVerdict::kNotOurs);
  EXPECT_EQ(
      Finish(Conclusion(Identity(1), operations::v1::OPERATION_STATE_NOT_EXECUTED, "token-2")),
      FinishVerdict::kRecorded);
}

TEST_P(UnresolvedOperations, LongestDueFirstUpToTheLimit) {
  for (const std::uint8_t number : std::initializer_list<std::uint8_t>{3, 1, 2}) {
    LeaveUnknown(Identity(number));
    world_->AdvanceTime(Millis(100));
  }
  world_->AdvanceTime(kLook);
  const std::vector<DueOperation> first = TakeDue(2).to_look_at;
  ASSERT_EQ(first.size(), 2U);
  EXPECT_EQ(first[0].identity.id, Id(3));
  EXPECT_EQ(first[1].identity.id, Id(1));
  EXPECT_EQ(TakeDue(2).to_look_at.size(), 1U);
}

TEST_P(UnresolvedOperations, RescheduleSaysWhenToLookNextAndCountsTheLook) {
  LeaveUnknown(Identity(1), Millis(0));
  const std::vector<DueOperation> first = Take();
  ASSERT_EQ(first.size(), 1U);

  EXPECT_TRUE(Reschedule(first[0], Millis(5'000), 2));

  EXPECT_EQ(Read(Identity(1)).misses(), 2U);
  EXPECT_TRUE(Take().empty());
  world_->AdvanceTime(Millis(5'000));
  const std::vector<DueOperation> second = Take();
  ASSERT_EQ(second.size(), 1U);
  EXPECT_EQ(second[0].misses, 2U);
  EXPECT_EQ(second[0].passes, 1U);
}

TEST_P(UnresolvedOperations, RescheduleKeepsWhetherTheTargetWasMissing) {
  LeaveUnknown(Identity(1), Millis(0));
  for (const bool missing : {true, false, true}) {
    const std::vector<DueOperation> taken = Take();
    ASSERT_EQ(taken.size(), 1U);
    ASSERT_TRUE(Reschedule(taken[0], {.after = Millis(0), .misses = 1, .target_missing = missing}));
    const std::vector<DueOperation> again = Take();
    ASSERT_EQ(again.size(), 1U);
    EXPECT_EQ(again[0].target_missing, missing);
    ASSERT_TRUE(Reschedule(again[0], {.target_missing = missing}));
  }
  // A new attempt begins without any of it.
  ASSERT_EQ(Finish(Result(Identity(1), operations::v1::OPERATION_STATE_NOT_EXECUTED)),
            FinishVerdict::kRecorded);
  ASSERT_EQ(Claim(Identity(1)).attempt, 2U);
  FinishRequest unknown = Result(Identity(1), operations::v1::OPERATION_STATE_UNKNOWN, 2);
  unknown.next_look = Millis(0);
  ASSERT_EQ(Finish(unknown), FinishVerdict::kRecorded);
  const std::vector<DueOperation> fresh = Take();
  ASSERT_EQ(fresh.size(), 1U);
  EXPECT_FALSE(fresh[0].target_missing);
}

TEST_P(UnresolvedOperations, RescheduleNeedsTheTokenTheStateAndTheAttempt) {
  LeaveUnknown(Identity(1), Millis(0));
  const std::vector<DueOperation> taken = Take();
  ASSERT_EQ(taken.size(), 1U);
  EXPECT_FALSE(Reschedule(taken[0], kLook, 0, "token-2"));
  DueOperation other = taken[0];
  other.attempt = 2;
  EXPECT_FALSE(Reschedule(other, kLook));
  other = taken[0];
  other.epoch = "ffffffff";
  EXPECT_FALSE(Reschedule(other, kLook));
  other = taken[0];
  other.state = operations::v1::OPERATION_STATE_NOT_EXECUTED;
  EXPECT_FALSE(Reschedule(other, kLook));
  ASSERT_EQ(Finish(Result(Identity(1), operations::v1::OPERATION_STATE_DONE)),
            FinishVerdict::kRecorded);
  EXPECT_FALSE(Reschedule(taken[0], kLook));
  EXPECT_FALSE(Reschedule({.identity = Identity(9), .attempt = 1, .epoch = epoch_}, kLook));
}

TEST_P(UnresolvedOperations, AResolverConcludesOnlyWhatItHasTaken) {
  LeaveUnknown(Identity(1), Millis(0));
  EXPECT_EQ(Finish(Conclusion(Identity(1), operations::v1::OPERATION_STATE_NOT_EXECUTED)),
            FinishVerdict::kNotOurs);
  ASSERT_EQ(Take().size(), 1U);
  EXPECT_EQ(Finish(Conclusion(Identity(1), operations::v1::OPERATION_STATE_NEEDS_REVIEW)),
            FinishVerdict::kRecorded);
  EXPECT_EQ(Finish(Conclusion(Identity(1), operations::v1::OPERATION_STATE_NEEDS_REVIEW)),
            FinishVerdict::kRecorded)
      << "the same write again";
  EXPECT_EQ(Finish(Conclusion(Identity(1), operations::v1::OPERATION_STATE_NOT_EXECUTED)),
            FinishVerdict::kNotOurs);
}

TEST_P(UnresolvedOperations, AResolverIsNotTakenForTheClaimsOwner) {
  LeaveUnknown(Identity(1), Millis(0));
  ASSERT_EQ(Take("owner-1").size(), 1U);
  ASSERT_EQ(Take("owner-1").size(), 0U);
  FinishRequest request =
      Result(Identity(1), operations::v1::OPERATION_STATE_NOT_EXECUTED, 1, "token-9");
  EXPECT_EQ(Finish(request), FinishVerdict::kNotOurs);
  request.by_resolver = true;
  EXPECT_EQ(Finish(request), FinishVerdict::kNotOurs);
}

TEST_P(UnresolvedOperations, TheClaimsOwnerMayStillProveThatNothingWasSentWhileAResolverLooks) {
  LeaveUnknown(Identity(1), Millis(0));
  ASSERT_EQ(Take().size(), 1U);
  EXPECT_EQ(Finish(Result(Identity(1), operations::v1::OPERATION_STATE_NOT_EXECUTED)),
            FinishVerdict::kRecorded);
}

TEST_P(UnresolvedOperations, NotExecutedByAbsenceIsLookedAtAgainAndOthersAreNot) {
  Claim(Identity(1));
  ASSERT_EQ(Finish(Result(Identity(1), operations::v1::OPERATION_STATE_NOT_EXECUTED)),
            FinishVerdict::kRecorded);
  CloseByAbsence(Identity(2), std::chrono::minutes(10));
  EXPECT_TRUE(Take().empty());
  world_->AdvanceTime(std::chrono::minutes(10));

  const std::vector<DueOperation> taken = Take();

  ASSERT_EQ(taken.size(), 1U);
  EXPECT_EQ(taken[0].identity.id, Id(2));
  EXPECT_EQ(taken[0].state, operations::v1::OPERATION_STATE_NOT_EXECUTED);
  EXPECT_EQ(taken[0].passes, 0U);
  EXPECT_TRUE(Reschedule(taken[0], std::chrono::minutes(60), 1));
  world_->AdvanceTime(std::chrono::minutes(60));
  const std::vector<DueOperation> last = Take();
  ASSERT_EQ(last.size(), 1U);
  EXPECT_EQ(last[0].misses, 1U);
  EXPECT_TRUE(Reschedule(last[0], Millis(-1), 2));
  world_->AdvanceTime(std::chrono::hours(24));
  EXPECT_TRUE(Take().empty());
}

TEST_P(UnresolvedOperations, AnEffectFoundAfterAbsenceIsInReview) {
  CloseByAbsence(Identity(1, kOrder), Millis(0));
  ASSERT_EQ(Take().size(), 1U);
  EXPECT_EQ(Finish(Conclusion(Identity(1, kOrder), operations::v1::OPERATION_STATE_DONE)),
            FinishVerdict::kLateEffect);
  EXPECT_EQ(Read(Identity(1)).review_reason(), "LATE_EFFECT");
  world_->AdvanceTime(std::chrono::hours(24));
  EXPECT_TRUE(Take().empty());
}

TEST_P(UnresolvedOperations, TheNextAttemptEndsTheLooksAtTheOneBefore) {
  CloseByAbsence(Identity(1), std::chrono::minutes(10));
  ASSERT_EQ(Claim(Identity(1)).attempt, 2U);
  ASSERT_EQ(Finish(Result(Identity(1), operations::v1::OPERATION_STATE_DONE, 2)),
            FinishVerdict::kRecorded);
  world_->AdvanceTime(std::chrono::minutes(10));
  EXPECT_TRUE(Take().empty());
}

TEST_P(UnresolvedOperations, PullDueMakesAllUnknownDueButThoseThatAreBeingLookedAt) {
  LeaveUnknown(Identity(1), Millis(0));
  ASSERT_EQ(Take().size(), 1U);
  for (std::uint8_t number = 2; number <= 5; ++number) {
    LeaveUnknown(Identity(number), std::chrono::minutes(1));
  }
  CloseByAbsence(Identity(6), std::chrono::minutes(10));
  Claim(Identity(7));

  ASSERT_TRUE(Run(world_->unresolved().PullDue("shop", Within())).ok());

  EXPECT_EQ(Take("token-2").size(), 4U);
}

TEST_P(UnresolvedOperations, PullDueReachesMoreThanOneScriptDoes) {
  constexpr std::size_t kMany = 1'005;
  for (std::size_t i = 0; i < kMany; ++i) {
    ports::OperationIdentity identity = Identity(1);
    identity.id =
        Uuid::V4({0xcc, static_cast<std::uint8_t>(i >> 8U), static_cast<std::uint8_t>(i & 0xFFU)});
    FinishRequest request = Result(identity, operations::v1::OPERATION_STATE_UNKNOWN);
    request.next_look = std::chrono::minutes(1);
    ASSERT_EQ(Finish(request), FinishVerdict::kRecorded);
  }
  ASSERT_TRUE(Run(world_->unresolved().PullDue("shop", Within())).ok());
  EXPECT_EQ(TakeDue(2 * kMany).to_look_at.size(), kMany);
}

TEST_P(UnresolvedOperations, TheSurveyCountsWhatThereIs) {
  EXPECT_EQ(Survey().oldest_unknown.count(), 0);
  EXPECT_EQ(Survey().oldest_review.count(), 0);
  Claim(Identity(1));
  LeaveUnknown(Identity(2));
  world_->AdvanceTime(Millis(7'000));
  for (std::uint8_t number = 3; number <= 5; ++number) {
    Claim(Identity(number));
    FinishRequest request = Result(Identity(number), operations::v1::OPERATION_STATE_NEEDS_REVIEW);
    if (number == 5) request.review_reason = ports::review::kAmountDiffers;
    ASSERT_EQ(Finish(request), FinishVerdict::kRecorded);
  }

  const UnresolvedSurvey survey = Survey();

  EXPECT_EQ(survey.running, 1U);
  EXPECT_EQ(survey.unknown, 1U);
  EXPECT_EQ(survey.needs_review.size(), 2U);
  EXPECT_EQ(survey.needs_review.at("AMBIGUOUS_EVIDENCE"), 2U);
  EXPECT_EQ(survey.needs_review.at("AMOUNT_DIFFERS"), 1U);
  EXPECT_GE(survey.oldest_unknown, Millis(7'000));
  EXPECT_LT(survey.oldest_review, Millis(7'000));
  EXPECT_GE(survey.oldest_record, Millis(7'000));
  ASSERT_EQ(Finish(Result(Identity(3), operations::v1::OPERATION_STATE_DONE)),
            FinishVerdict::kRecorded);
  ASSERT_EQ(Finish(Result(Identity(5), operations::v1::OPERATION_STATE_NOT_EXECUTED)),
            FinishVerdict::kRecorded);
  EXPECT_EQ(Survey().needs_review, (std::map<std::string, std::size_t>{{"AMBIGUOUS_EVIDENCE", 1}}));
}

/// A record in a state that a later version knows.
class RecordsOfALaterVersion : public UnresolvedOperations {
 protected:
  void MakeLater(const ports::OperationIdentity& identity, const std::string& field = "s",
                 const std::string& value = "X") {
    world_->Ask(test::SetField(RecordKey(identity.id), field, value));
  }
};

INSTANTIATE_TEST_SUITE_P(Stores, RecordsOfALaterVersion,
                         testing::Values(FakeWorldKind(), RedisWorldKind()), KindName);

TEST_P(RecordsOfALaterVersion, DoNotKeepOthersFromBeingTaken) {
  LeaveUnknown(Identity(1), Millis(0));
  LeaveUnknown(Identity(2), Millis(0));
  LeaveUnknown(Identity(3), Millis(0));
  MakeLater(Identity(1));
  MakeLater(Identity(3), "p", "?");
  for (int pass = 1; pass <= 2; ++pass) {
    const DueOperations due = TakeDue();
    ASSERT_EQ(due.to_look_at.size(), 1U) << pass;
    EXPECT_EQ(due.to_look_at[0].identity.id, Id(2));
    EXPECT_THAT(due.unreadable, testing::UnorderedElementsAre(Id(1), Id(3)));
    EXPECT_TRUE(TakeDue().unreadable.empty()) << "it is its taker's until the lease ends";
    world_->AdvanceTime(kLease + Millis(1));
  }
}

TEST_P(RecordsOfALaterVersion, HoldTheirGateAndTheirKey) {
  LeaveUnknown(Identity(1, kOrder));
  MakeLater(Identity(1));
  EXPECT_EQ(Claim(Identity(2, kOrder)).verdict, ClaimVerdict::kOrderBusy);
  const ports::ClaimResult same = Claim(Identity(1, kOrder));
  EXPECT_EQ(same.verdict, ClaimVerdict::kPending);
  EXPECT_EQ(same.state, operations::v1::OPERATION_STATE_UNKNOWN);
}

TEST_P(RecordsOfALaterVersion, AreListedByTheirIdAlone) {
  LeaveUnknown(Identity(1));
  LeaveUnknown(Identity(2));
  MakeLater(Identity(1));
  const auto page = Run(world_->registry().List({.project = "shop"}, Within()));
  ASSERT_TRUE(page.ok()) << page.status();
  ASSERT_EQ(page->operations.size(), 2U);
  EXPECT_EQ(page->operations[0].id(), Id(1).ToString());
  EXPECT_EQ(page->operations[0].state(), operations::v1::OPERATION_STATE_UNSPECIFIED);
  EXPECT_EQ(page->operations[1].state(), operations::v1::OPERATION_STATE_UNKNOWN);
}

}  // namespace
}  // namespace tollbridge::test
