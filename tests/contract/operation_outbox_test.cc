#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/contract/operation_store_fixture.h"
#include "tests/support/fails_with.h"
#include "tests/support/operation_records.h"
#include "tests/support/test_keyspace.h"

namespace tollbridge::test {
namespace {

using operations::v1::OperationRecord;
using ports::ClaimVerdict;
using ports::FinishVerdict;
using ports::Millis;
using ports::UndrainedRecord;

class OperationOutbox : public OperationStoreContractTest {
 protected:
  static constexpr Millis kDrainLease{20'000};
  using Records = std::vector<UndrainedRecord>;

  Records Take(std::size_t limit = 100) {
    absl::StatusOr<Records> taken =
        Run(world_->outbox().Take("shop", limit, kDrainLease, Within()));
    EXPECT_TRUE(taken.ok()) << taken.status();
    return taken.ok() ? *std::move(taken) : Records{};
  }
  void Drain(const Records& records) {
    const absl::Status drained = Run(world_->outbox().Drained("shop", records, Within()));
    ASSERT_TRUE(drained.ok()) << drained;
  }
  void DrainAll() {
    if (const Records taken = Take(); !taken.empty()) Drain(taken);
  }
  std::size_t Retire(std::size_t limit = 100) {
    const absl::StatusOr<std::size_t> retired =
        Run(world_->outbox().Retire("shop", limit, Within()));
    EXPECT_TRUE(retired.ok()) << retired.status();
    return retired.value_or(0);
  }
  void RunOnce(const ports::OperationIdentity& identity,
               ports::OperationState to = operations::v1::OPERATION_STATE_NOT_EXECUTED) {
    const ports::ClaimResult claimed = Claim(identity);
    ASSERT_EQ(claimed.verdict, ClaimVerdict::kClaimed);
    ASSERT_EQ(Finish(Result(identity, to, claimed.attempt)), FinishVerdict::kRecorded);
  }
  bool Exists(const std::string& key) { return world_->Ask({"EXISTS", key}).integer == 1; }
  /// What another process's drainer finds.
  std::size_t TakenByAnother() {
    const std::string key = ShopKeys() + "operations:drainer";
    const std::string mine = world_->Ask({"GET", key}).text;
    world_->Ask({"SET", key, mine + "-of-another"});
    const std::size_t taken = Take().size();
    world_->Ask({"SET", key, mine});
    return taken;
  }
};

INSTANTIATE_TEST_SUITE_P(Stores, OperationOutbox,
                         testing::Values(FakeWorldKind(), RedisWorldKind()), KindName);

TEST_P(OperationOutbox, EachTransitionIsARecordOfItsOwn) {
  const ports::OperationIdentity identity = Identity(1, kOrder);
  Claim(identity);
  ASSERT_EQ(Finish(Result(identity, operations::v1::OPERATION_STATE_NEEDS_REVIEW)),
            FinishVerdict::kRecorded);

  const Records taken = Take();

  ASSERT_EQ(taken.size(), 2U);
  const OperationRecord& first = taken[0].record;
  EXPECT_EQ(first.operation_id(), identity.id.ToString());
  EXPECT_EQ(first.rpc(), identity.rpc);
  EXPECT_EQ(first.project(), "shop");
  EXPECT_EQ(first.order_id(), kOrder);
  EXPECT_EQ(first.transition().number(), 1U);
  EXPECT_EQ(first.transition().attempt(), 1U);
  EXPECT_EQ(first.transition().to(), operations::v1::OPERATION_STATE_RUNNING);
  EXPECT_EQ(first.transition().owner(), "owner-1");
  EXPECT_TRUE(first.transition().has_time());
  EXPECT_FALSE(first.has_review_reason());
  EXPECT_FALSE(first.has_review_of());
  const OperationRecord& second = taken[1].record;
  EXPECT_EQ(second.transition().number(), 2U);
  EXPECT_EQ(second.transition().from(), operations::v1::OPERATION_STATE_RUNNING);
  EXPECT_EQ(second.transition().to(), operations::v1::OPERATION_STATE_NEEDS_REVIEW);
  EXPECT_EQ(second.transition().evidence(), "seen");
  EXPECT_EQ(second.review_reason(), "AMBIGUOUS_EVIDENCE");
}

TEST_P(OperationOutbox, ReviewRecordsAndOrphansSayWhatTheyAreAbout) {
  RunOnce(Identity(1));
  ASSERT_EQ(Judge(Identity(1), 1, kOrder, true), ports::MarkVerdict::kOrphan);
  const Records taken = Take();
  ASSERT_EQ(taken.size(), 4U);
  const OperationRecord& note = taken[2].record;
  EXPECT_EQ(note.orphan_order_id(), kOrder);
  EXPECT_EQ(note.transition().from(), note.transition().to());
  const OperationRecord& review = taken[3].record;
  EXPECT_EQ(review.review_of(), Id(1).ToString());
  EXPECT_EQ(review.review_reason(), "ORPHAN_PAID");
  EXPECT_EQ(review.order_id(), kOrder);
}

TEST_P(OperationOutbox, AnotherFindsNothingUntilTheLeaseEndsAndRepeatsAreExactCopies) {
  Claim(Identity(1));
  const Records first = Take();
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(TakenByAnother(), 0U);
  ports::FinishRequest done = Result(Identity(1), operations::v1::OPERATION_STATE_DONE);
  done.step = Step(kOrder);
  ASSERT_EQ(Finish(done), FinishVerdict::kRecorded);
  EXPECT_EQ(TakenByAnother(), 0U);
  EXPECT_EQ(Take().size(), 2U) << "whoever has it gets what was not drained, and what came since";
  world_->AdvanceTime(kDrainLease + Millis(1));
  EXPECT_EQ(TakenByAnother(), 2U);
  // The order that is known by now is not written back.
  EXPECT_EQ(Take().at(0).record.SerializeAsString(), first[0].record.SerializeAsString());
}

TEST_P(OperationOutbox, NobodyIsKeptAwayWhenNothingIsInHand) {
  EXPECT_TRUE(Take().empty());
  EXPECT_FALSE(Exists(ShopKeys() + "operations:drainer"));
  RunOnce(Identity(1));
  const Records taken = Take();
  EXPECT_TRUE(Exists(ShopKeys() + "operations:drainer"));
  Drain({taken[0]});
  EXPECT_FALSE(Exists(ShopKeys() + "operations:drainer"));
  EXPECT_EQ(Take().size(), 1U);
  EXPECT_EQ(TakenByAnother(), 0U);
  const std::string key = ShopKeys() + "operations:drainer";
  world_->Ask({"SET", key, world_->Ask({"GET", key}).text + "-of-another"});
  Drain({taken[1]});
  EXPECT_TRUE(Exists(key)) << "it is another's by now";
}

TEST_P(OperationOutbox, WhatIsDrainedIsNotTakenAgain) {
  RunOnce(Identity(1));
  const Records taken = Take();
  ASSERT_EQ(taken.size(), 2U);
  Drain({taken[0]});
  const Records rest = Take();
  ASSERT_EQ(rest.size(), 1U);
  EXPECT_EQ(rest[0].record.transition().number(), 2U);
  Drain(rest);
  EXPECT_TRUE(Take().empty());
  Drain(taken);
  EXPECT_TRUE(Take().empty()) << "a late repeat takes nothing back";
  EXPECT_EQ(Read(Identity(1)).transitions_size(), 2) << "the record still tells";
}

TEST_P(OperationOutbox, WhatWasTakenBeforeAReconnectIsNotDroppedBehindIt) {
  RunOnce(Identity(1));
  const Records before = Take();
  ASSERT_FALSE(before.empty());
  world_->Stop();
  world_->Restart();
  Drain(before);
  const Records again = Take();
  ASSERT_EQ(again.size(), before.size()) << "the places may be those of other records there";
  Drain(again);
  EXPECT_TRUE(Take().empty());
}

TEST_P(OperationOutbox, OldestFirstUpToTheLimit) {
  for (const std::uint8_t number : std::initializer_list<std::uint8_t>{3, 1, 2}) {
    Claim(Identity(number));
  }
  Records taken = Take(2);
  ASSERT_EQ(taken.size(), 2U);
  EXPECT_EQ(taken[0].record.operation_id(), Id(3).ToString());
  EXPECT_EQ(taken[1].record.operation_id(), Id(1).ToString());
  Drain(taken);
  taken = Take(2);
  ASSERT_EQ(taken.size(), 1U);
  EXPECT_EQ(taken[0].record.operation_id(), Id(2).ToString());
}

TEST_P(OperationOutbox, TheSurveySaysHowLongTheOldestTransitionWaits) {
  EXPECT_EQ(Survey().oldest_record.count(), 0);
  Claim(Identity(1));
  world_->AdvanceTime(Millis(10'000));
  ASSERT_EQ(Finish(Result(Identity(1), operations::v1::OPERATION_STATE_UNKNOWN)),
            FinishVerdict::kRecorded);
  const Records taken = Take();
  ASSERT_EQ(taken.size(), 2U);
  world_->AdvanceTime(Millis(5'000));
  EXPECT_GE(Survey().oldest_record, Millis(15'000)) << "a taker that fails does not hide it";
  Drain({taken[0]});
  EXPECT_GE(Survey().oldest_record, Millis(5'000));
  EXPECT_LT(Survey().oldest_record, Millis(15'000));
  Drain({taken[1]});
  EXPECT_EQ(Survey().oldest_record.count(), 0);
}

TEST_P(OperationOutbox, ARecordKeepsItsLastTransitions) {
  for (int i = 0; i < 20; ++i) RunOnce(Identity(1));
  const operations::v1::Operation found = Read(Identity(1));
  ASSERT_EQ(found.transitions_size(), 32);
  EXPECT_EQ(found.transitions(0).number(), 9U);
  EXPECT_EQ(found.transitions(31).number(), 40U);
  EXPECT_EQ(Take().size(), 40U) << "the outbox has all of them";
}

TEST_P(OperationOutbox, AnOutboxThatNobodyDrainsTakesNoMoreClaims) {
  RunOnce(Identity(1));
  const Records taken = Take();
  world_->SetMaxUndrained(2);
  EXPECT_EQ(Claim(Identity(1)).verdict, ClaimVerdict::kOutboxFull);
  EXPECT_EQ(Claim(Identity(2, kOrder)).verdict, ClaimVerdict::kOutboxFull);
  world_->SetMaxUndrained(3);
  ASSERT_EQ(Claim(Identity(3, kOrder)).verdict, ClaimVerdict::kClaimed) << "none took the gate";
  EXPECT_EQ(Finish(Result(Identity(3, kOrder), operations::v1::OPERATION_STATE_DONE)),
            FinishVerdict::kRecorded)
      << "a result is always taken";
  EXPECT_EQ(Claim(Identity(3, kOrder)).verdict, ClaimVerdict::kDone);
  Drain(taken);
  EXPECT_EQ(Claim(Identity(1)).attempt, 2U);
}

TEST_P(OperationOutbox, WhatWasClosedAndDrainedIsRetiredWhenItIsOldEnough) {
  Claim(Identity(1));
  ports::FinishRequest done = Result(Identity(1), operations::v1::OPERATION_STATE_DONE);
  done.step = Step(kOrder);
  ASSERT_EQ(Finish(done), FinishVerdict::kRecorded);
  world_->AdvanceTime(std::chrono::hours(100));
  EXPECT_EQ(Retire(), 0U) << "not drained";
  DrainAll();
  world_->AdvanceTime(std::chrono::hours(71));
  EXPECT_EQ(Retire(), 0U);
  EXPECT_EQ(Claim(Identity(1)).verdict, ClaimVerdict::kDone);
  world_->AdvanceTime(std::chrono::hours(1));
  EXPECT_EQ(Retire(), 1U);
  EXPECT_FALSE(Exists(RecordKey(Id(1))));
  EXPECT_FALSE(Exists(ShopKeys() + "i:" + kOrder)) << "nor is it in its order's list";
  EXPECT_EQ(Retire(), 0U);
}

/// A refund makes an order of its own.
TEST_P(OperationOutbox, OneThatMadeAnOrderFromAnotherLeavesTheListsOfBoth) {
  Claim(Identity(1, kOrder));
  ports::FinishRequest done = Result(Identity(1, kOrder), operations::v1::OPERATION_STATE_DONE);
  done.step = Step(kOtherOrder);
  done.order = Entry(kOtherOrder);
  done.created_order = true;
  ASSERT_EQ(Finish(done), FinishVerdict::kRecorded);
  EXPECT_TRUE(Exists(ShopKeys() + "i:" + kOrder));
  DrainAll();
  world_->AdvanceTime(std::chrono::hours(73));
  ASSERT_EQ(Retire(), 1U);
  for (const std::string order : {kOrder, kOtherOrder}) {
    EXPECT_FALSE(Exists(ShopKeys() + "i:" + order)) << order;
    const auto page =
        Run(world_->registry().List({.project = "shop", .order_id = order}, Within()));
    ASSERT_TRUE(page.ok()) << page.status();
    EXPECT_TRUE(page->operations.empty()) << order;
  }
}

TEST_P(OperationOutbox, OfARetiredOperationItsKeyIsKnown) {
  RunOnce(Identity(1));
  Claim(Identity(2));
  ports::FinishRequest done = Result(Identity(2), operations::v1::OPERATION_STATE_DONE);
  done.step = Step(kOrder);
  ASSERT_EQ(Finish(done), FinishVerdict::kRecorded);
  DrainAll();
  world_->AdvanceTime(std::chrono::hours(73));
  ASSERT_EQ(Retire(), 2U);

  const ports::ClaimResult done_before = Claim(Identity(2));
  EXPECT_EQ(done_before.verdict, ClaimVerdict::kNotKept);
  EXPECT_EQ(done_before.state, operations::v1::OPERATION_STATE_DONE);
  EXPECT_EQ(done_before.order_id, kOrder);
  const ports::ClaimResult not_executed = Claim(Identity(1));
  EXPECT_EQ(not_executed.verdict, ClaimVerdict::kNotKept);
  EXPECT_EQ(not_executed.state, operations::v1::OPERATION_STATE_NOT_EXECUTED);
  EXPECT_EQ(not_executed.order_id, "");

  ports::OperationIdentity other = Identity(2);
  other.fingerprints = {{.key_id = "k1", .digest = "another"}};
  EXPECT_EQ(Claim(other).verdict, ClaimVerdict::kKeyReused);
  other.fingerprints = {{.key_id = "k2", .digest = "digest"}};
  EXPECT_EQ(Claim(other).verdict, ClaimVerdict::kKeyUnknown);
  other.fingerprints.push_back({.key_id = "k1", .digest = "digest"});
  EXPECT_EQ(Claim(other).verdict, ClaimVerdict::kNotKept) << "the keys were rotated since";

  const operations::v1::Operation found = Read(Identity(2));
  EXPECT_EQ(found.state(), operations::v1::OPERATION_STATE_DONE);
  EXPECT_EQ(found.order_id(), kOrder);
  EXPECT_FALSE(found.has_created());
  EXPECT_THAT(
      Run(world_->registry().Close(
              {.project = "shop", .id = Id(2), .to = operations::v1::OPERATION_STATE_NOT_EXECUTED},
              Within()))
          .status(),
      FailsWith(StatusCode::kFailedPrecondition, domain::reason::kOperationNotInReview));
}

TEST_P(OperationOutbox, AKeyIsForgottenInTheEnd) {
  RunOnce(Identity(1));
  DrainAll();
  world_->AdvanceTime(std::chrono::hours(72));
  ASSERT_EQ(Retire(), 1U);
  world_->AdvanceTime(std::chrono::days(30) - Millis(60'000));
  EXPECT_EQ(Retire(), 0U);
  EXPECT_EQ(Claim(Identity(1)).verdict, ClaimVerdict::kNotKept);
  world_->AdvanceTime(Millis(60'000));
  EXPECT_EQ(Retire(), 1U);
  EXPECT_EQ(Claim(Identity(1)).attempt, 1U);
}

TEST_P(OperationOutbox, WhatRanAgainIsRetiredByItsLastEnd) {
  RunOnce(Identity(1));
  DrainAll();
  world_->AdvanceTime(std::chrono::hours(71));
  RunOnce(Identity(1), operations::v1::OPERATION_STATE_UNKNOWN);
  DrainAll();
  world_->AdvanceTime(std::chrono::hours(2));
  EXPECT_EQ(Retire(), 1U) << "the first end's place in the list";
  EXPECT_EQ(Read(Identity(1)).state(), operations::v1::OPERATION_STATE_UNKNOWN);
  world_->AdvanceTime(std::chrono::hours(200));
  EXPECT_EQ(Retire(), 0U) << "open ones stay";
  ASSERT_EQ(Finish(Result(Identity(1), operations::v1::OPERATION_STATE_DONE, 2)),
            FinishVerdict::kRecorded);
  DrainAll();
  world_->AdvanceTime(std::chrono::hours(72));
  EXPECT_EQ(Retire(), 1U);
  EXPECT_EQ(Claim(Identity(1)).verdict, ClaimVerdict::kNotKept);
}

/// Each with the first end's place in the list, which nobody looked at in time.
TEST_P(OperationOutbox, AnEarlierEndRetiresNeitherAResultNorWhatIsOpen) {
  RunOnce(Identity(1));
  RunOnce(Identity(2));
  DrainAll();
  world_->AdvanceTime(std::chrono::hours(1));
  RunOnce(Identity(1), operations::v1::OPERATION_STATE_UNKNOWN);
  world_->AdvanceTime(std::chrono::hours(70));
  RunOnce(Identity(2), operations::v1::OPERATION_STATE_DONE);
  DrainAll();
  world_->AdvanceTime(std::chrono::hours(10));
  EXPECT_EQ(Retire(), 2U);
  EXPECT_EQ(Read(Identity(1)).state(), operations::v1::OPERATION_STATE_UNKNOWN);
  EXPECT_EQ(Claim(Identity(1)).verdict, ClaimVerdict::kPending);
  EXPECT_EQ(Claim(Identity(2)).verdict, ClaimVerdict::kDone) << "its result is kept for 72 h";
}

TEST_P(OperationOutbox, ResultsThatComeAfterItWasRetired) {
  RunOnce(Identity(1));
  RunOnce(Identity(2), operations::v1::OPERATION_STATE_DONE);
  DrainAll();
  world_->AdvanceTime(std::chrono::hours(73));
  ASSERT_EQ(Retire(), 2U);
  EXPECT_EQ(Finish(Result(Identity(2), operations::v1::OPERATION_STATE_DONE)),
            FinishVerdict::kAlreadyClosed);
  // A success under what was not executed is written: it is never dropped.
  EXPECT_EQ(Finish(Result(Identity(1), operations::v1::OPERATION_STATE_DONE)),
            FinishVerdict::kRecorded);
  EXPECT_EQ(Claim(Identity(1)).verdict, ClaimVerdict::kDone);
}

/// What shows no effect changes nothing: its record would let the key run again.
TEST_P(OperationOutbox, AResultWithoutAnEffectLeavesATombstoneAlone) {
  RunOnce(Identity(1));
  DrainAll();
  world_->AdvanceTime(std::chrono::hours(73));
  ASSERT_EQ(Retire(), 1U);
  for (const auto to :
       {operations::v1::OPERATION_STATE_NOT_EXECUTED, operations::v1::OPERATION_STATE_UNKNOWN}) {
    EXPECT_EQ(Finish(Result(Identity(1), to)), FinishVerdict::kNotOurs);
  }
  EXPECT_EQ(Claim(Identity(1)).verdict, ClaimVerdict::kNotKept);
}

/// The first tombstone is on the list for its own time, and may not take the second along.
TEST_P(OperationOutbox, AKeyWithALateResultIsKnownForItsWholeTimeToo) {
  RunOnce(Identity(1));
  DrainAll();
  world_->AdvanceTime(std::chrono::hours(72));
  ASSERT_EQ(Retire(), 1U);
  world_->AdvanceTime(std::chrono::days(27));
  ASSERT_EQ(Finish(Result(Identity(1), operations::v1::OPERATION_STATE_DONE)),
            FinishVerdict::kRecorded);
  DrainAll();
  for (int day = 0; day < 29; ++day) {
    world_->AdvanceTime(std::chrono::days(1));
    Retire();
    const ClaimVerdict verdict = Claim(Identity(1)).verdict;
    ASSERT_TRUE(verdict == ClaimVerdict::kDone || verdict == ClaimVerdict::kNotKept) << day;
  }
}

/// Who cannot bring them to the topic keeps nobody else from it.
TEST_P(OperationOutbox, WhoDrainedNoneGivesTheLeaseUp) {
  RunOnce(Identity(1));
  ASSERT_EQ(Take().size(), 2U);
  EXPECT_EQ(TakenByAnother(), 0U);
  Drain({});
  EXPECT_FALSE(Exists(ShopKeys() + "operations:drainer"));
  EXPECT_EQ(Take().size(), 2U) << "and none has left the outbox";
}

TEST_P(OperationOutbox, ReviewRecordsLeaveNoTombstone) {
  RunOnce(Identity(1));
  ASSERT_EQ(Judge(Identity(1), 1, kOrder, true), ports::MarkVerdict::kOrphan);
  const Uuid review = *Uuid::Parse(Take().back().record.operation_id());
  ASSERT_TRUE(Run(world_->registry().Close(
                      {.project = "shop", .id = review, .to = operations::v1::OPERATION_STATE_DONE},
                      Within()))
                  .ok());
  DrainAll();
  world_->AdvanceTime(std::chrono::hours(73));
  EXPECT_EQ(Retire(), 2U);
  EXPECT_TRUE(TryRead(Id(1)).ok());
  EXPECT_FALSE(TryRead(review).ok());
  world_->AdvanceTime(std::chrono::days(31));
  EXPECT_EQ(Retire(), 1U);
}

TEST_P(OperationOutbox, UpToTheLimitIsRetiredAtATime) {
  for (std::uint8_t number = 1; number <= 5; ++number) RunOnce(Identity(number));
  DrainAll();
  world_->AdvanceTime(std::chrono::hours(73));
  EXPECT_EQ(Retire(3), 3U);
  EXPECT_EQ(Retire(3), 2U);
  EXPECT_EQ(Retire(3), 0U);
}

TEST_P(OperationOutbox, AnOperationWhoseRecordIsGoneIsNotRetired) {
  RunOnce(Identity(1));
  DrainAll();
  world_->Ask({"DEL", RecordKey(Id(1))});
  world_->AdvanceTime(std::chrono::hours(73));
  EXPECT_EQ(Retire(), 1U);
  EXPECT_EQ(Claim(Identity(1)).attempt, 1U);
}

}  // namespace
}  // namespace tollbridge::test
