#include "base/core/tick.h"

#include <gtest/gtest.h>

namespace tollbridge {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(TickTest, IsTheNextWholeMultipleOfTheInterval) {
  const BootTime begin = BootTime(seconds(7));
  EXPECT_EQ(NextTick(begin + milliseconds(1), seconds(1)), begin + seconds(1));
  EXPECT_EQ(NextTick(begin + milliseconds(999), seconds(1)), begin + seconds(1));
  EXPECT_EQ(NextTick(begin, seconds(2)), begin + seconds(1));
}

TEST(TickTest, IsAnIntervalAwayFromATick) {
  EXPECT_EQ(NextTick(BootTime(seconds(7)), seconds(1)), BootTime(seconds(8)));
}

TEST(TickTest, WhoSleepsUntilThenDoesNotWakeBefore) {
  const BootTime now = BootTime(seconds(7)) + microseconds(1);
  EXPECT_EQ(UntilNextTick(now, seconds(1)), milliseconds(1'000));
  EXPECT_EQ(UntilNextTick(now + microseconds(1'998), milliseconds(2)), milliseconds(1));
  EXPECT_EQ(UntilNextTick(BootTime(seconds(7)), milliseconds(10)), milliseconds(10));
}

}  // namespace
}  // namespace tollbridge
