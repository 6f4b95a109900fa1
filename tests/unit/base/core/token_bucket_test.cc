#include "base/core/token_bucket.h"

#include <gtest/gtest.h>

#include <chrono>

namespace tollbridge {
namespace {

using std::chrono::milliseconds;

TEST(TokenBucketTest, LetsTheBurstThroughAndThenTheRate) {
  TokenBucket bucket(/*per_second=*/2, /*burst=*/3);
  BootTime now{std::chrono::hours(5)};
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(bucket.Take(now));
  EXPECT_FALSE(bucket.Take(now));
  now += milliseconds(499);
  EXPECT_FALSE(bucket.Take(now));
  now += milliseconds(2);
  EXPECT_TRUE(bucket.Take(now));
  EXPECT_FALSE(bucket.Take(now));
  now += std::chrono::hours(1);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(bucket.Take(now));
  EXPECT_FALSE(bucket.Take(now)) << "no more than the burst is saved up";
}

TEST(TokenBucketTest, TellsHowLongTheNextOneTakesAndWhetherItIsFull) {
  TokenBucket bucket(/*per_second=*/2, /*burst=*/1);
  BootTime now{std::chrono::hours(5)};
  EXPECT_TRUE(bucket.IsFull(now));
  EXPECT_EQ(bucket.Wait(now), BootTime::duration::zero());
  EXPECT_TRUE(bucket.Take(now));
  EXPECT_FALSE(bucket.IsFull(now));
  EXPECT_EQ(bucket.Wait(now), milliseconds(500));
  now += bucket.Wait(now);
  EXPECT_TRUE(bucket.IsFull(now));
  EXPECT_TRUE(bucket.Take(now));
}

TEST(TokenBucketTest, AChangeHoldsFromNowOnAndKeepsWhatItHeld) {
  TokenBucket bucket(/*per_second=*/1, /*burst=*/10);
  BootTime now{std::chrono::hours(5)};
  for (int i = 0; i < 8; ++i) EXPECT_TRUE(bucket.Take(now));
  now += std::chrono::seconds(1);
  bucket.Change(/*per_second=*/100, /*burst=*/20, now);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(bucket.Take(now)) << "two were left, and one was added";
  EXPECT_FALSE(bucket.Take(now)) << "the time before the change has the rate of before";
  now += milliseconds(10);
  EXPECT_TRUE(bucket.Take(now));
  now += std::chrono::hours(1);
  bucket.Change(/*per_second=*/100, /*burst=*/2, now);
  EXPECT_TRUE(bucket.Take(now));
  EXPECT_TRUE(bucket.Take(now));
  EXPECT_FALSE(bucket.Take(now)) << "there is no room for more than the new burst";
}

}  // namespace
}  // namespace tollbridge
