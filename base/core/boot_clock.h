#ifndef TOLLBRIDGE_BASE_CORE_BOOT_CLOCK_H_
#define TOLLBRIDGE_BASE_CORE_BOOT_CLOCK_H_

#include <chrono>

namespace tollbridge {

/// Time since the machine started, counted on while the process is stopped or the machine sleeps
/// (CLOCK_BOOTTIME). Deadlines and the send window use it: a process that was suspended must find
/// on waking that its window is over, which a monotonic clock would not tell.
struct BootClock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<BootClock>;
  static constexpr bool is_steady = true;
  static time_point now() noexcept;
};

using BootTime = BootClock::time_point;

}  // namespace tollbridge

#endif  // TOLLBRIDGE_BASE_CORE_BOOT_CLOCK_H_
