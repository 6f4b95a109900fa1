#ifndef TOLLBRIDGE_BASE_CORE_STEADY_TIME_H_
#define TOLLBRIDGE_BASE_CORE_STEADY_TIME_H_

#include <chrono>

#include "base/core/boot_clock.h"

namespace tollbridge {

/// A deadline on the clock that timers use; BootTime::max() stays what never comes.
inline std::chrono::steady_clock::time_point SteadyTime(BootTime deadline) {
  if (deadline == BootTime::max()) return std::chrono::steady_clock::time_point::max();
  return std::chrono::steady_clock::now() + (deadline - BootClock::now());
}

}  // namespace tollbridge

#endif  // TOLLBRIDGE_BASE_CORE_STEADY_TIME_H_
