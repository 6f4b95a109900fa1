#include "services/domain/timestamps.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace tollbridge::domain {
namespace {

google::protobuf::Timestamp At(std::int64_t seconds, std::int32_t nanos = 0) {
  google::protobuf::Timestamp timestamp;
  timestamp.set_seconds(seconds);
  timestamp.set_nanos(nanos);
  return timestamp;
}

TEST(TimestampsTest, DropWhatIsBelowAMillisecond) {
  EXPECT_EQ(ToWallTime(At(7, 123'999'999)), WallTime(std::chrono::milliseconds(7'123)));
  EXPECT_EQ(ToWallTime(ToTimestamp(WallTime(std::chrono::milliseconds(-1)))),
            WallTime(std::chrono::milliseconds(-1)));
}

TEST(TimestampsTest, WhatIsNoTimestampCountsAsTheNearestThatIsOne) {
  using Seconds = std::numeric_limits<std::int64_t>;
  using Nanos = std::numeric_limits<std::int32_t>;
  EXPECT_EQ(ToRfc3339(ToWallTime(At(Seconds::max(), Nanos::max()))), "9999-12-31T23:59:59.999Z");
  EXPECT_EQ(ToRfc3339(ToWallTime(At(Seconds::min(), Nanos::min()))), "0001-01-01T00:00:00Z");
}

}  // namespace
}  // namespace tollbridge::domain
