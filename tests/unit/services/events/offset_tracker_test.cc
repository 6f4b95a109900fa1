#include "services/events/offset_tracker.h"

#include <gtest/gtest.h>

namespace tollbridge::events {
namespace {

WallTime At(std::int64_t second) { return WallTime(std::chrono::seconds(second)); }

TEST(OffsetTrackerTest, StoresAnOffsetOnlyWhenEverythingBeforeItIsFinished) {
  OffsetTracker tracker;
  for (const std::int64_t offset : {10, 11, 12, 13}) tracker.Begin(offset, At(offset));
  EXPECT_EQ(tracker.Finish(12), std::nullopt);
  EXPECT_EQ(tracker.Finish(11), std::nullopt);
  EXPECT_EQ(tracker.Finish(10), 13);
  EXPECT_EQ(tracker.span(), 1U);
  EXPECT_EQ(tracker.Finish(13), 14);
  EXPECT_EQ(tracker.span(), 0U);
}

TEST(OffsetTrackerTest, GapsInTheLogAreNoWork) {
  OffsetTracker tracker;
  tracker.Begin(5, At(5));
  tracker.Begin(9, At(9));
  EXPECT_EQ(tracker.Finish(5), 6);
  EXPECT_EQ(tracker.Finish(9), 10);
}

TEST(OffsetTrackerTest, KnowsTheOldestUnfinishedRecord) {
  OffsetTracker tracker;
  EXPECT_EQ(tracker.oldest(), std::nullopt);
  tracker.Begin(1, At(100));
  tracker.Begin(2, At(200));
  tracker.Finish(2);
  EXPECT_EQ(tracker.oldest(), At(100));
  tracker.Finish(1);
  EXPECT_EQ(tracker.oldest(), std::nullopt);
}

TEST(OffsetTrackerTest, TellsAnOffsetThatGoesBackFromOneThatFollows) {
  OffsetTracker tracker;
  EXPECT_TRUE(tracker.Follows(0)) << "nothing has begun";
  tracker.Begin(5, At(5));
  EXPECT_TRUE(tracker.Follows(6));
  EXPECT_FALSE(tracker.Follows(5));
  EXPECT_FALSE(tracker.Follows(2));
  tracker.Finish(5);
  EXPECT_FALSE(tracker.Follows(2)) << "finished, and of the log before all the same";
}

TEST(OffsetTrackerTest, AnOffsetThatWasNeverBegunChangesNothing) {
  OffsetTracker tracker;
  tracker.Begin(5, At(5));
  EXPECT_EQ(tracker.Finish(4), std::nullopt);
  EXPECT_EQ(tracker.Finish(6), std::nullopt);
  EXPECT_EQ(tracker.span(), 1U);
}

}  // namespace
}  // namespace tollbridge::events
