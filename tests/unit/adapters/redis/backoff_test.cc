#include "adapters/redis/backoff.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <vector>

namespace tollbridge::redis {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirst{50};
constexpr milliseconds kLongest{2000};

TEST(BackoffTest, EachWaitLiesBetweenHalfAndTheWholeOfTwiceTheOneBeforeUpToTheLongest) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    JitteredBackoff backoff(kFirst, kLongest, seed);
    milliseconds whole = kFirst;
    for (int i = 0; i < 100; ++i) {
      const milliseconds wait = backoff.Next();
      EXPECT_GE(wait, whole / 2);
      EXPECT_LE(wait, whole);
      whole = std::min(whole * 2, kLongest);
    }
  }
}

TEST(BackoffTest, WaitsOfProcessesThatFailedTogetherAreSpread) {
  std::set<milliseconds> waits;
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    JitteredBackoff backoff(kLongest, kLongest, seed * 7919);
    waits.insert(backoff.Next());
  }
  EXPECT_GT(waits.size(), 50U);
}

TEST(BackoffTest, AfterResetTheFirstWaitIsShortAgain) {
  JitteredBackoff backoff(kFirst, kLongest, 1);
  for (int i = 0; i < 10; ++i) backoff.Next();
  backoff.Reset();
  EXPECT_LE(backoff.Next(), kFirst);
}

}  // namespace
}  // namespace tollbridge::redis
