#include "services/domain/timestamps.h"

#include <google/protobuf/util/time_util.h>

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace tollbridge::domain {

using google::protobuf::Timestamp;
using google::protobuf::util::TimeUtil;

WallTime ToWallTime(const Timestamp& timestamp) {
  constexpr std::int64_t kFirst = TimeUtil::kTimestampMinSeconds;
  constexpr std::int64_t kLast = TimeUtil::kTimestampMaxSeconds;
  const std::int64_t seconds = std::clamp<std::int64_t>(timestamp.seconds(), kFirst, kLast);
  const int millis = std::clamp(timestamp.nanos() / 1'000'000, 0, 999);
  return WallTime(std::chrono::seconds(seconds) + std::chrono::milliseconds(millis));
}

Timestamp ToTimestamp(WallTime time) {
  return TimeUtil::MillisecondsToTimestamp(time.time_since_epoch().count());
}

std::string ToRfc3339(WallTime time) { return TimeUtil::ToString(ToTimestamp(time)); }

}  // namespace tollbridge::domain
