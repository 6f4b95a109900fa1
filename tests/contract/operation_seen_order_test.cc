// An order that a reader sees with an operation's mark while its result is not known: no absence is
// concluded over it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/contract/operation_store_fixture.h"

namespace tollbridge::test {
namespace {

using operations::v1::OPERATION_STATE_DONE;
using operations::v1::OPERATION_STATE_NEEDS_REVIEW;
using operations::v1::OPERATION_STATE_NOT_EXECUTED;
using operations::v1::OPERATION_STATE_UNKNOWN;
using ports::ClaimVerdict;
using ports::FinishRequest;
using ports::FinishVerdict;
using ports::MarkVerdict;

class OperationSeenOrder : public OperationStoreContractTest {
 protected:
  using Orders = std::vector<std::string>;

  void LeaveUnknown() {
    Claim(Identity(1));
    ASSERT_EQ(Finish(Result(Identity(1), OPERATION_STATE_UNKNOWN)), FinishVerdict::kRecorded);
  }
  void See(const std::string& order) {
    EXPECT_EQ(Judge(Identity(1), 1, order), MarkVerdict::kOurs);
  }
  /// The orders seen of what is due; nullopt: nothing is.
  std::optional<Orders> Take(const std::string& token = "token-1") {
    ports::DueOperations due = TakeDue(1, token);
    if (due.to_look_at.empty()) return std::nullopt;
    return std::move(due.to_look_at[0].seen_orders);
  }
  FinishVerdict FinishSeen(ports::OperationState to, Orders seen,
                           const std::string& token = "token-1") {
    FinishRequest request = Conclusion(Identity(1), to, token);
    request.by_absence = to == OPERATION_STATE_NOT_EXECUTED;
    request.seen_orders = std::move(seen);
    return Finish(request);
  }
  /// The store comes to be doubted. The epoch of the mark stays.
  void Doubt() {
    const std::string before = epoch_;
    world_->AdvanceTime(ports::Millis(10));
    world_->Stop();
    world_->Restart();
    Claim(Identity(2));  // learns of it
    epoch_ = before;
  }
  ports::OperationState State() { return Read(Identity(1)).state(); }
};

INSTANTIATE_TEST_SUITE_P(Stores, OperationSeenOrder,
                         testing::Values(FakeWorldKind(), RedisWorldKind()), KindName);

TEST_P(OperationSeenOrder, WhatIsSeenAfterTheLookOutweighsItsAbsence) {
  for (const ports::OperationState to :
       {OPERATION_STATE_NOT_EXECUTED, OPERATION_STATE_NEEDS_REVIEW}) {
    LeaveUnknown();
    ASSERT_EQ(Take(), Orders());
    See(kOrder);
    EXPECT_EQ(FinishSeen(to, {}), FinishVerdict::kNotOurs);
    EXPECT_EQ(State(), OPERATION_STATE_UNKNOWN);
    ASSERT_EQ(Take("token-2"), Orders{kOrder}) << "looked at again at once";
    // One more, while that look is under way.
    See(kOtherOrder);
    EXPECT_EQ(FinishSeen(to, {kOrder}, "token-2"), FinishVerdict::kNotOurs);
    const Orders both{kOrder, kOtherOrder};
    ASSERT_EQ(Take(), both);
    See(kOrder);
    // What the look knew of is no news: absence may be that of a later step.
    EXPECT_EQ(FinishSeen(to, both), FinishVerdict::kRecorded);
    EXPECT_EQ(State(), to);
    world_->LoseMemory();
  }
}

TEST_P(OperationSeenOrder, SoManyThatItCannotBeHeldOpenForEver) {
  LeaveUnknown();
  for (int refused = 0;; ++refused) {
    ASSERT_LT(refused, 20);
    const std::optional<Orders> taken = Take();
    ASSERT_TRUE(taken.has_value());
    See(Uuid::V4({0xbb, static_cast<std::uint8_t>(refused)}).ToString());
    if (FinishSeen(OPERATION_STATE_NOT_EXECUTED, *taken) == FinishVerdict::kRecorded) break;
  }
  EXPECT_EQ(State(), OPERATION_STATE_NOT_EXECUTED);
}

TEST_P(OperationSeenOrder, AnEffectIsRecordedWhateverWasSeen) {
  LeaveUnknown();
  ASSERT_EQ(Take(), Orders());
  See(kOrder);
  FinishRequest found = Conclusion(Identity(1), OPERATION_STATE_DONE);
  found.step = Step(kOrder);
  EXPECT_EQ(Finish(found), FinishVerdict::kRecorded);
  EXPECT_EQ(State(), OPERATION_STATE_DONE);
}

TEST_P(OperationSeenOrder, WhatWaitsForItsNextLookIsDueAtOnceAndOnlyOnce) {
  LeaveUnknown();
  const auto wait = [this] {
    const ports::DueOperations due = TakeDue();
    ASSERT_EQ(due.to_look_at.size(), 1U);
    ASSERT_TRUE(Reschedule(due.to_look_at[0], kLease));
  };
  wait();
  EXPECT_EQ(Take(), std::nullopt);
  See(kOrder);
  wait();
  See(kOrder);
  EXPECT_EQ(Take(), std::nullopt) << "a reader that comes again and again costs one look";
}

TEST_P(OperationSeenOrder, ALookThatDidNotKnowOfItIsFollowedByOneAtOnce) {
  LeaveUnknown();
  const ports::DueOperations due = TakeDue();
  ASSERT_EQ(due.to_look_at.size(), 1U);
  See(kOrder);
  ASSERT_TRUE(Reschedule(due.to_look_at[0], kLease, 1));
  const ports::DueOperations again = TakeDue();
  ASSERT_EQ(again.to_look_at.size(), 1U);
  EXPECT_EQ(again.to_look_at[0].misses, 1U);
  EXPECT_EQ(again.to_look_at[0].seen_orders, Orders{kOrder});
}

TEST_P(OperationSeenOrder, IsKnownAfterTheOwnerOfARunningOneIsGone) {
  Claim(Identity(1));
  See(kOrder);
  world_->AdvanceTime(kLease * 2);
  EXPECT_EQ(Take(), Orders{kOrder});
}

TEST_P(OperationSeenOrder, ItsOwnersProofStandsAndTheNextAttemptKnowsNothingOfIt) {
  Claim(Identity(1));
  See(kOrder);
  ASSERT_EQ(Finish(Result(Identity(1), OPERATION_STATE_NOT_EXECUTED)), FinishVerdict::kRecorded);
  EXPECT_EQ(Judge(Identity(1), 1, kOrder), MarkVerdict::kOrphan);
  ASSERT_EQ(Claim(Identity(1)).attempt, 2U);
  ASSERT_EQ(Finish(Result(Identity(1), OPERATION_STATE_UNKNOWN, 2)), FinishVerdict::kRecorded);
  EXPECT_EQ(Judge(Identity(1), 1, kOrder), MarkVerdict::kOrphan) << "not of this attempt";
  EXPECT_EQ(Take(), Orders());
}

TEST_P(OperationSeenOrder, IsKeptForTheNextAttemptThatLooksFirst) {
  LeaveUnknown();
  Doubt();
  ASSERT_EQ(Take(), Orders());
  // Closed by absence, over what may have gone with the server: an order may be adopted yet.
  ASSERT_EQ(FinishSeen(OPERATION_STATE_NOT_EXECUTED, {}), FinishVerdict::kRecorded);
  See(kOrder);
  evidence_shows_ = true;
  const ports::ClaimResult again = Claim(Identity(1));
  ASSERT_EQ(again.verdict, ClaimVerdict::kLookFirst);
  EXPECT_EQ(BeginStep(Identity(1), again.attempt, "owner-1").code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(Finish(Result(Identity(1), OPERATION_STATE_NOT_EXECUTED, again.attempt)),
            FinishVerdict::kRecorded);
  EXPECT_EQ(State(), OPERATION_STATE_UNKNOWN);
  EXPECT_EQ(Take(), Orders{kOrder});
}

/// An order of a first attempt that was judged an orphan, and the same key in a doubtful store.
class SeenOrphan : public OperationSeenOrder {
 protected:
  void NoteOrphan() {
    Claim(Identity(1));
    ASSERT_EQ(Finish(Result(Identity(1), OPERATION_STATE_NOT_EXECUTED)), FinishVerdict::kRecorded);
    ASSERT_EQ(JudgeFirst(), MarkVerdict::kOrphan);
  }
  /// The look did not end.
  void LeaveUndecided(std::uint32_t attempt) {
    FinishRequest undecided = Result(Identity(1), OPERATION_STATE_UNKNOWN, attempt);
    undecided.keep_look_first = true;
    ASSERT_EQ(Finish(undecided), FinishVerdict::kRecorded);
  }
  MarkVerdict JudgeFirst(bool paid = false) { return Judge(Identity(1), 1, kOrder, paid); }
};

INSTANTIATE_TEST_SUITE_P(Stores, SeenOrphan, testing::Values(FakeWorldKind(), RedisWorldKind()),
                         KindName);

TEST_P(SeenOrphan, StaysOneWhileItMayBeAdopted) {
  NoteOrphan();
  Doubt();
  evidence_shows_ = true;
  const ports::ClaimResult again = Claim(Identity(1));
  ASSERT_EQ(again.verdict, ClaimVerdict::kLookFirst);
  EXPECT_EQ(JudgeFirst(), MarkVerdict::kOrphan);
  LeaveUndecided(again.attempt);
  EXPECT_EQ(JudgeFirst(), MarkVerdict::kOrphan);
  EXPECT_EQ(JudgeFirst(true), MarkVerdict::kOurs) << "it is paid: the look adopts it";
  EXPECT_EQ(Take(), Orders{kOrder});
  FinishRequest adopted = Result(Identity(1), OPERATION_STATE_DONE, again.attempt);
  adopted.step = Step(kOrder);
  ASSERT_EQ(Finish(adopted), FinishVerdict::kRecorded);
  EXPECT_EQ(JudgeFirst(), MarkVerdict::kOurs);
}

TEST_P(SeenOrphan, StaysOneAfterAnAbsenceUntilALaterAttemptMayBeForgotten) {
  NoteOrphan();
  const ports::ClaimResult second = Claim(Identity(1));
  ASSERT_EQ(Finish(Result(Identity(1), OPERATION_STATE_UNKNOWN, second.attempt)),
            FinishVerdict::kRecorded);
  Doubt();
  ASSERT_EQ(Take(), Orders());
  FinishRequest absent = Conclusion(Identity(1), OPERATION_STATE_NOT_EXECUTED, "token-1");
  absent.attempt = second.attempt;
  absent.by_absence = true;
  ASSERT_EQ(Finish(absent), FinishVerdict::kRecorded);
  EXPECT_EQ(JudgeFirst(), MarkVerdict::kOrphan);
  Doubt();
  EXPECT_EQ(JudgeFirst(), MarkVerdict::kOurs) << "an attempt that is forgotten may have adopted it";
}

TEST_P(SeenOrphan, IsNoneOnceAPersonIsWaitedFor) {
  NoteOrphan();
  Doubt();
  evidence_shows_ = true;
  const ports::ClaimResult again = Claim(Identity(1));
  ASSERT_EQ(again.verdict, ClaimVerdict::kLookFirst);
  LeaveUndecided(again.attempt);
  EXPECT_EQ(JudgeFirst(), MarkVerdict::kOrphan);
  ASSERT_EQ(Take(), Orders()) << "nothing of it was told";
  FinishRequest review = Conclusion(Identity(1), OPERATION_STATE_NEEDS_REVIEW, "token-1");
  review.attempt = again.attempt;
  review.keep_look_first = true;
  ASSERT_EQ(Finish(review), FinishVerdict::kRecorded);
  EXPECT_EQ(JudgeFirst(), MarkVerdict::kOurs) << "who knows how long that takes";
}

/// A run that the store has forgotten, and the same key again.
class ForgottenSeenOrder : public OperationSeenOrder {
 protected:
  void Forget() {
    evidence_shows_ = true;
    Claim(Identity(1));
    before_ = epoch_;
    world_->LoseMemory();
    ASSERT_EQ(Claim(Identity(1)).verdict, ClaimVerdict::kLookFirst);
  }
  void SeeForgotten() {
    const domain::Mark mark{.operation = Id(1), .epoch = before_, .attempt = 1};
    EXPECT_EQ(Run(world_->registry().JudgeMark(mark, Entry(kOrder).key, true, Within()))
                  .value_or(MarkVerdict::kOrphan),
              MarkVerdict::kOurs);
  }

 private:
  std::string before_;
};

INSTANTIATE_TEST_SUITE_P(Stores, ForgottenSeenOrder,
                         testing::Values(FakeWorldKind(), RedisWorldKind()), KindName);

TEST_P(ForgottenSeenOrder, KeepsTheSameKeyFromSending) {
  Forget();
  SeeForgotten();
  EXPECT_EQ(BeginStep(Identity(1), 1, "owner-1").code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(Finish(Result(Identity(1), OPERATION_STATE_NOT_EXECUTED)), FinishVerdict::kRecorded);
  EXPECT_EQ(State(), OPERATION_STATE_UNKNOWN) << "nobody says that nothing was done";
  EXPECT_EQ(Finish(Result(Identity(1), OPERATION_STATE_NOT_EXECUTED)), FinishVerdict::kRecorded);
  EXPECT_EQ(State(), OPERATION_STATE_UNKNOWN) << "nor when the first answer got lost";
  EXPECT_EQ(Claim(Identity(1)).verdict, ClaimVerdict::kPending);
  EXPECT_EQ(Take(), Orders{kOrder});
}

TEST_P(ForgottenSeenOrder, IsNotDisprovedByAnOwnerWhoseLeaseIsOver) {
  Forget();
  world_->AdvanceTime(kLease * 2);
  ASSERT_EQ(Take(), Orders()) << "UNKNOWN now, and taken";
  SeeForgotten();
  EXPECT_EQ(Finish(Result(Identity(1), OPERATION_STATE_NOT_EXECUTED)), FinishVerdict::kRecorded);
  EXPECT_EQ(State(), OPERATION_STATE_UNKNOWN);
  EXPECT_EQ(FinishSeen(OPERATION_STATE_NOT_EXECUTED, {}), FinishVerdict::kNotOurs);
  EXPECT_EQ(Take(), Orders{kOrder});
}

TEST_P(ForgottenSeenOrder, IsTheResolversToRead) {
  Forget();
  FinishRequest doubtful = Result(Identity(1), OPERATION_STATE_UNKNOWN);
  doubtful.keep_look_first = true;
  ASSERT_EQ(Finish(doubtful), FinishVerdict::kRecorded);
  SeeForgotten();
  EXPECT_EQ(Claim(Identity(1)).verdict, ClaimVerdict::kPending);
  EXPECT_EQ(Take(), Orders{kOrder});
}

}  // namespace
}  // namespace tollbridge::test
