#include "services/events/hints_finished.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "services/events/settings.h"

namespace tollbridge::events {
namespace {

/// The second of a look, from some day on.
WallTime At(int second) { return WallTime(std::chrono::seconds(1'767'225'600 + second)); }

class HintsFinishedTest : public ::testing::Test {
 protected:
  HintsFinished hints_;
};

TEST_F(HintsFinishedTest, BeforeAnyLookNothingIsKnown) { EXPECT_EQ(hints_.before(), std::nullopt); }

TEST_F(HintsFinishedTest, WhereNothingIsLeftAllBeforeTheLookIsFinished) {
  hints_.Take(At(1), {{7, 7}, {0, 0}});
  EXPECT_EQ(hints_.before(), At(1));
  hints_.Take(At(2), {{9, 9}, {0, 0}});
  EXPECT_EQ(hints_.before(), At(2));
}

TEST_F(HintsFinishedTest, OneLaggingPartitionHoldsBackTheTimeOfAll) {
  hints_.Take(At(1), {{5, 5}, {5, 5}, {5, 5}});
  for (int second = 2; second < 60; ++second) {
    // The first and the last go on, and finish all that they have.
    hints_.Take(At(second), {{5 + second, 5 + second}, {5, 6}, {5 + second, 5 + second}});
    EXPECT_EQ(hints_.before(), At(1)) << second;
  }
  hints_.Take(At(60), {{65, 65}, {6, 6}, {65, 65}});
  EXPECT_EQ(hints_.before(), At(60));
}

TEST_F(HintsFinishedTest, APartitionThatNobodyHasReadYetHoldsItBack) {
  // Without an offset of the group, the first that is kept counts as reached.
  for (int second = 1; second < 20; ++second) hints_.Take(At(second), {{second, second}, {0, 3}});
  EXPECT_EQ(hints_.before(), std::nullopt);
  hints_.Take(At(20), {{20, 20}, {3, 3}});
  EXPECT_EQ(hints_.before(), At(20));
}

TEST_F(HintsFinishedTest, WhatWasPassedOnMeanwhileIsWaitedForToo) {
  hints_.Take(At(1), {{0, 1}, {0, 0}});
  // The first hint is finished: it was passed on to the second partition.
  hints_.Take(At(2), {{1, 1}, {0, 1}});
  EXPECT_EQ(hints_.before(), std::nullopt) << "its root's hint is not finished";
  // And that one on to the first again, while others come.
  hints_.Take(At(3), {{1, 2}, {1, 1}});
  EXPECT_EQ(hints_.before(), std::nullopt);
  hints_.Take(At(4), {{2, 2}, {1, 1}});
  EXPECT_EQ(hints_.before(), At(4));
}

TEST_F(HintsFinishedTest, ATopicThatIsNeverQuietIsVouchedForOnceNothingCanBePassedOnFurther) {
  // At each look a hint has come that is not finished; the one before is.
  int second = 1;
  for (; second <= static_cast<int>(kMaxForwards) + 1; ++second) {
    hints_.Take(At(second), {{second - 1, second}});
    EXPECT_EQ(hints_.before(), std::nullopt) << second;
  }
  hints_.Take(At(second), {{second - 1, second}});
  EXPECT_EQ(hints_.before(), At(1));
  hints_.Take(At(second + 1), {{second, second + 1}});
  EXPECT_EQ(hints_.before(), At(2));
}

TEST_F(HintsFinishedTest, AClockThatIsSetBackTakesNothingBackAndPromisesNothingNew) {
  hints_.Take(At(100), {{1, 1}});
  hints_.Take(At(101), {{1, 2}});
  // An hour back: what is noticed now is noticed before 101.
  hints_.Take(At(101 - 3600), {{1, 2}});
  hints_.Take(At(102 - 3600), {{2, 2}});
  EXPECT_EQ(hints_.before(), At(100));
  hints_.Take(At(101), {{2, 2}});
  EXPECT_EQ(hints_.before(), At(101));
}

TEST_F(HintsFinishedTest, WithAnotherNumberOfPartitionsItBeginsAnew) {
  hints_.Take(At(1), {{1, 1}});
  hints_.Take(At(2), {{1, 2}});
  // What was appended to the new one before it was seen is not covered by the first look.
  hints_.Take(At(3), {{2, 2}, {0, 1}});
  EXPECT_EQ(hints_.before(), At(1));
  EXPECT_EQ(hints_.candidates(), 1U);
  hints_.Take(At(4), {{2, 2}, {1, 1}});
  EXPECT_EQ(hints_.before(), At(4));
}

TEST_F(HintsFinishedTest, OffsetsOfALogThatWasThereBeforeSayNothing) {
  hints_.Take(At(1), {{900, 900}});
  // Made anew: the group's offset is of the old one.
  hints_.Take(At(2), {{900, 3}});
  hints_.Take(At(3), {{900, 4}});
  EXPECT_EQ(hints_.before(), At(1));
  hints_.Take(At(4), {{0, 4}});
  EXPECT_EQ(hints_.before(), At(1));
  hints_.Take(At(5), {{4, 4}});
  EXPECT_EQ(hints_.before(), At(5));
}

TEST_F(HintsFinishedTest, WhoIsFarBehindIsFollowedInCoarserSteps) {
  // Each look shows one hint more, and finished what was there a hundred looks before.
  constexpr int kBehind = 100;
  constexpr int kLooks = 20'000;
  for (int second = 1; second <= kLooks; ++second) {
    hints_.Take(At(second), {{std::max(0, second - kBehind), second}});
    ASSERT_LE(hints_.candidates(), 512U) << second;
  }
  // What may be passed on takes that long each time, and the steps are not much coarser than that.
  const auto turns = static_cast<int>(kMaxForwards) + 1;
  ASSERT_TRUE(hints_.before().has_value());
  EXPECT_LE(*hints_.before(), At(kLooks - turns * kBehind));
  EXPECT_GE(*hints_.before(), At(kLooks - 2 * turns * kBehind));
}

}  // namespace
}  // namespace tollbridge::events
