#ifndef TOLLBRIDGE_SERVICES_DOMAIN_TIMESTAMPS_H_
#define TOLLBRIDGE_SERVICES_DOMAIN_TIMESTAMPS_H_

#include <google/protobuf/timestamp.pb.h>

#include <chrono>
#include <string>

namespace tollbridge::domain {

/// Civil time in milliseconds; the same type as ports::WallTime.
using Instant = std::chrono::sys_time<std::chrono::milliseconds>;

/// Digits below a millisecond are dropped.
Instant ToInstant(const google::protobuf::Timestamp& timestamp);
google::protobuf::Timestamp ToTimestamp(Instant instant);
/// RFC 3339 in UTC, for example "2026-01-02T03:04:05.678Z".
std::string ToRfc3339(Instant instant);

}  // namespace tollbridge::domain

#endif  // TOLLBRIDGE_SERVICES_DOMAIN_TIMESTAMPS_H_
