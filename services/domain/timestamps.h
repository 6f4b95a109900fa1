#ifndef TOLLBRIDGE_SERVICES_DOMAIN_TIMESTAMPS_H_
#define TOLLBRIDGE_SERVICES_DOMAIN_TIMESTAMPS_H_

#include <google/protobuf/timestamp.pb.h>

#include <string>

#include "base/core/wall_time.h"

namespace tollbridge::domain {

/// Digits below a millisecond are dropped. What lies before the year 1 or behind 9999, which is no
/// Timestamp and which nothing that reads the message refuses, counts as the nearest that is one.
WallTime ToWallTime(const google::protobuf::Timestamp& timestamp);
google::protobuf::Timestamp ToTimestamp(WallTime time);
/// RFC 3339 in UTC, for example "2026-01-02T03:04:05.678Z".
std::string ToRfc3339(WallTime time);

}  // namespace tollbridge::domain

#endif  // TOLLBRIDGE_SERVICES_DOMAIN_TIMESTAMPS_H_
