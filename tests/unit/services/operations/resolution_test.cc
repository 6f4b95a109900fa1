#include "services/operations/resolution.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tollbridge::operations {
namespace {

using ports::Millis;
using What = Resolution::What;

class ResolutionTest : public ::testing::Test {
 protected:
  ResolutionTest() {
    settings_.look_backoff = {Millis(2'000), Millis(5'000), Millis(60'000)};
    kind_.name = "capture";
    kind_.look = [](ports::PaymentService&, const LookRequest&) -> boost::asio::awaitable<Finding> {
      co_return Finding{};
    };
    operation_.steps.push_back({.target = {.name = "capture"},
                                .state = operations::v1::STEP_STATE_UNKNOWN,
                                .sent_at = kSent});
  }

  Resolution At(Millis age, Presence presence) {
    operation_.now = kSent + age;
    return Resolve(operation_, kind_, {.presence = presence, .reason = "seen"}, settings_);
  }

  static constexpr WallTime kSent{Millis(1'800'000'000'000)};
  Settings settings_;
  StepKind kind_;
  ports::DueOperation operation_;
};

TEST_F(ResolutionTest, PresenceCountsAtOnce) {
  const Resolution found = At(Millis(0), Presence::kPresent);
  EXPECT_EQ(found.what, What::kExecuted);
  EXPECT_EQ(found.reason, "found: seen");
}

TEST_F(ResolutionTest, AbsenceBeforeTheQuarantineEndsSaysNothing) {
  const Millis quarantine = Quarantine(settings_, false);
  const Resolution early = At(quarantine - Millis(1), Presence::kAbsent);
  EXPECT_EQ(early.what, What::kLookAgain);
  EXPECT_EQ(early.misses, 0U);
  EXPECT_EQ(early.next_look, Millis(1)) << "a look falls on the end of the quarantine";
}

TEST_F(ResolutionTest, MissesFromBeforeTheQuarantineAreNotCounted) {
  operation_.misses = 2;
  EXPECT_EQ(At(Millis(0), Presence::kAbsent).misses, 0U);
}

TEST_F(ResolutionTest, AbsenceTakesThreeReads) {
  const Millis after = Quarantine(settings_, false);
  for (std::uint32_t misses : {0U, 1U}) {
    operation_.misses = misses;
    const Resolution missed = At(after, Presence::kAbsent);
    EXPECT_EQ(missed.what, What::kLookAgain);
    EXPECT_EQ(missed.misses, misses + 1);
    EXPECT_EQ(missed.next_look, settings_.absence_read_interval);
  }
  operation_.misses = 2;
  const Resolution absent = At(after, Presence::kAbsent);
  EXPECT_EQ(absent.what, What::kNotExecuted);
  EXPECT_TRUE(absent.by_absence);
  EXPECT_EQ(absent.next_look, settings_.look_again.front());
}

TEST_F(ResolutionTest, WhatIsFoundBySearchWaitsForTheIndexToo) {
  kind_.by_search = true;
  operation_.misses = 2;
  EXPECT_EQ(At(Quarantine(settings_, false), Presence::kAbsent).what, What::kLookAgain);
  EXPECT_EQ(At(Quarantine(settings_, true), Presence::kAbsent).what, What::kNotExecuted);
}

TEST_F(ResolutionTest, AbsenceOfWhatMayNotRunAgainIsForAPerson) {
  kind_.on_absence = OnAbsence::kNeedsReview;
  operation_.misses = 2;
  const Resolution review = At(Quarantine(settings_, false), Presence::kAbsent);
  EXPECT_EQ(review.what, What::kNeedsReview);
  EXPECT_EQ(review.review_reason, ports::review::kAbsentNotRepeatable);
}

TEST_F(ResolutionTest, WhatCannotBeReadIsNeitherPresentNorAbsent) {
  operation_.misses = 2;
  const Resolution undecided = At(Quarantine(settings_, false), Presence::kUndecided);
  EXPECT_EQ(undecided.what, What::kLookAgain);
  EXPECT_EQ(undecided.misses, 2U);
}

TEST_F(ResolutionTest, WhatCannotBeReadForLongAfterTheQuarantineIsForAPerson) {
  const Millis longest = Quarantine(settings_, false) + settings_.review_unreadable_after;
  operation_.passes = 2;
  EXPECT_EQ(At(longest, Presence::kUndecided).what, What::kLookAgain) << "few looks";
  operation_.passes = 3;
  EXPECT_EQ(At(longest - Millis(1), Presence::kUndecided).what, What::kLookAgain);
  const Resolution review = At(longest, Presence::kUndecided);
  EXPECT_EQ(review.what, What::kNeedsReview);
  EXPECT_EQ(review.review_reason, ports::review::kUnreadable);
  EXPECT_EQ(review.reason, "seen");
  kind_.by_search = true;
  EXPECT_EQ(At(longest, Presence::kUndecided).what, What::kLookAgain) << "its quarantine is longer";
}

TEST_F(ResolutionTest, WhatNobodyHereKnowsIsForAPersonToo) {
  operation_.now = kSent + Quarantine(settings_, true);
  operation_.passes = 3;
  EXPECT_EQ(ResolveUnread(operation_, settings_).what, What::kLookAgain);
  operation_.now += settings_.review_unreadable_after;
  EXPECT_EQ(ResolveUnread(operation_, settings_).review_reason, ports::review::kUnreadable);
  operation_.steps.clear();
  operation_.since = operation_.now - Millis(1);
  EXPECT_EQ(ResolveUnread(operation_, settings_).what, What::kLookAgain) << "as old as its state";
  operation_.state = operations::v1::OPERATION_STATE_NOT_EXECUTED;
  EXPECT_EQ(ResolveUnread(operation_, settings_).what, What::kStopLooking);
}

TEST_F(ResolutionTest, NothingCanHaveHappenedToWhatIsNotThere) {
  kind_.on_absence = OnAbsence::kNeedsReview;
  EXPECT_EQ(At(Millis(0), Presence::kNoTarget).misses, 0U) << "only after the quarantine";
  const Millis after = Quarantine(settings_, false);
  for (std::uint32_t misses : {0U, 1U}) {
    operation_.misses = misses;
    const Resolution missed = At(after, Presence::kNoTarget);
    EXPECT_EQ(missed.what, What::kLookAgain);
    EXPECT_EQ(missed.misses, misses + 1);
    EXPECT_TRUE(missed.target_missing);
    operation_.target_missing = missed.target_missing;
  }
  operation_.misses = 2;
  const Resolution ended = At(after, Presence::kNoTarget);
  EXPECT_EQ(ended.what, What::kNotExecuted);
  EXPECT_TRUE(ended.by_absence);
}

TEST_F(ResolutionTest, OneReadThatShowsTheOrderMakesItPlainAbsence) {
  kind_.on_absence = OnAbsence::kNeedsReview;
  const Millis after = Quarantine(settings_, false);
  operation_.misses = 2;
  operation_.target_missing = false;
  EXPECT_EQ(At(after, Presence::kNoTarget).review_reason, ports::review::kAbsentNotRepeatable);
  operation_.target_missing = true;
  EXPECT_EQ(At(after, Presence::kAbsent).review_reason, ports::review::kAbsentNotRepeatable);
  operation_.misses = 1;
  EXPECT_FALSE(At(after, Presence::kAbsent).target_missing);
  EXPECT_FALSE(At(after, Presence::kUndecided).target_missing) << "it may have shown the order";
}

TEST_F(ResolutionTest, AFailedReadAmongThoseWithoutTheOrderBeginsAnew) {
  kind_.on_absence = OnAbsence::kNeedsReview;
  const Millis after = Quarantine(settings_, false);
  operation_.misses = 1;
  operation_.target_missing = true;
  const Resolution unread = At(after, Presence::kUndecided);
  EXPECT_EQ(unread.what, What::kLookAgain);
  EXPECT_EQ(unread.misses, 0U) << "so that in the end all of them are without it";
  EXPECT_EQ(unread.next_look, settings_.absence_read_interval);
  operation_.target_missing = false;
  EXPECT_EQ(At(after, Presence::kUndecided).misses, 1U);
}

TEST_F(ResolutionTest, LooksBackOffToTheLastInterval) {
  for (const auto& [passes, next] : {std::pair<std::uint32_t, Millis>{0, Millis(2'000)},
                                     {1, Millis(5'000)},
                                     {2, Millis(60'000)},
                                     {9, Millis(60'000)}}) {
    operation_.passes = passes;
    EXPECT_EQ(At(Millis(0), Presence::kUndecided).next_look, next) << passes;
  }
}

TEST_F(ResolutionTest, AmbiguousEvidenceIsForAPersonAtOnce) {
  const Resolution review = At(Millis(0), Presence::kAmbiguous);
  EXPECT_EQ(review.what, What::kNeedsReview);
  EXPECT_EQ(review.review_reason, ports::review::kAmbiguous);
}

TEST_F(ResolutionTest, PlanThatEndedBeforeItsLastStepDidNothing) {
  kind_.completes = false;
  const Resolution ended = At(Millis(0), Presence::kPresent);
  EXPECT_EQ(ended.what, What::kNotExecuted);
  EXPECT_FALSE(ended.by_absence);
}

class ClosedByAbsenceTest : public ResolutionTest {
 protected:
  ClosedByAbsenceTest() { operation_.state = operations::v1::OPERATION_STATE_NOT_EXECUTED; }
};

TEST_F(ClosedByAbsenceTest, IsLookedAtAgainAtItsTimesAndThenNoMore) {
  const Resolution again = At(Millis(700'000), Presence::kAbsent);
  EXPECT_EQ(again.what, What::kLookAgain);
  EXPECT_EQ(again.next_look, settings_.look_again[1] - settings_.look_again[0]);
  operation_.misses = again.misses;
  EXPECT_EQ(At(Millis(4'000'000), Presence::kAbsent).what, What::kStopLooking);
}

TEST_F(ClosedByAbsenceTest, PresenceIsTheEffectThatCameTooLate) {
  EXPECT_EQ(At(Millis(700'000), Presence::kPresent).what, What::kExecuted);
}

}  // namespace
}  // namespace tollbridge::operations
