#ifndef TOLLBRIDGE_SERVICES_SANDBOX_CLOCK_H_
#define TOLLBRIDGE_SERVICES_SANDBOX_CLOCK_H_

#include <chrono>
#include <string>

namespace tollbridge::sandbox {

using Millis = std::chrono::milliseconds;
using Time = std::chrono::sys_time<Millis>;

/// The sandbox's civil time. Everything that the interface dates is dated by it.
class Clock {
 public:
  Time Now() const;
};

/// ISO 8601 in UTC with milliseconds: `2026-11-21T08:00:00.000Z`.
std::string FormatTime(Time time);

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SERVICES_SANDBOX_CLOCK_H_
