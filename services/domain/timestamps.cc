#include "services/domain/timestamps.h"

#include <google/protobuf/util/time_util.h>

namespace tollbridge::domain {

using google::protobuf::Timestamp;
using google::protobuf::util::TimeUtil;

WallTime ToWallTime(const Timestamp& timestamp) {
  return WallTime(std::chrono::seconds(timestamp.seconds()) +
                  std::chrono::milliseconds(timestamp.nanos() / 1'000'000));
}

Timestamp ToTimestamp(WallTime time) {
  return TimeUtil::MillisecondsToTimestamp(time.time_since_epoch().count());
}

std::string ToRfc3339(WallTime time) { return TimeUtil::ToString(ToTimestamp(time)); }

}  // namespace tollbridge::domain
