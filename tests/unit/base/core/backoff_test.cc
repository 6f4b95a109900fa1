#include "base/core/backoff.h"

#include <gtest/gtest.h>

namespace tollbridge {
namespace {

using std::chrono::milliseconds;

TEST(BackoffTest, DoublesUpToTheLongestAndBeginsAgain) {
  Backoff backoff(milliseconds(200), milliseconds(1000));
  for (const int expected : {200, 400, 800, 1000, 1000}) {
    EXPECT_EQ(backoff.Next(), milliseconds(expected));
  }
  backoff.Reset();
  EXPECT_EQ(backoff.Next(), milliseconds(200));
}

TEST(BackoffTest, WaitsNeverLongerThanTheLongest) {
  Backoff backoff(milliseconds(200), milliseconds(50));
  EXPECT_EQ(backoff.Next(), milliseconds(50));
  backoff.Reset();
  EXPECT_EQ(backoff.Next(), milliseconds(50));
}

}  // namespace
}  // namespace tollbridge
