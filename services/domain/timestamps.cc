#include "services/domain/timestamps.h"

#include <google/protobuf/util/time_util.h>

namespace tollbridge::domain {

using google::protobuf::Timestamp;
using google::protobuf::util::TimeUtil;

Instant ToInstant(const Timestamp& timestamp) {
  return Instant(std::chrono::seconds(timestamp.seconds()) +
                 std::chrono::milliseconds(timestamp.nanos() / 1'000'000));
}

Timestamp ToTimestamp(Instant instant) {
  return TimeUtil::MillisecondsToTimestamp(instant.time_since_epoch().count());
}

std::string ToRfc3339(Instant instant) { return TimeUtil::ToString(ToTimestamp(instant)); }

}  // namespace tollbridge::domain
