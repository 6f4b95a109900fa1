#ifndef TOLLBRIDGE_SERVICES_PORTS_CLOCK_H_
#define TOLLBRIDGE_SERVICES_PORTS_CLOCK_H_

#include <chrono>

#include <boost/asio/awaitable.hpp>

#include "base/core/boot_clock.h"
#include "base/core/tick.h"
#include "base/core/wall_time.h"

namespace tollbridge::ports {

using Millis = std::chrono::milliseconds;

/// Time, as the core sees it. Any thread may read; Sleep runs on the awaiting shard.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual WallTime WallNow() const = 0;
  /// Boot time, for deadlines and the send window.
  virtual BootTime BootNow() const = 0;
  /// Suspends the coroutine. Ends early only when the coroutine is cancelled.
  virtual boost::asio::awaitable<void> Sleep(Millis duration) = 0;
  /// The same until the next whole multiple of `interval`, which is more than nothing: who looks
  /// again and again wakes with others.
  boost::asio::awaitable<void> SleepUntilTick(Millis interval) {
    return Sleep(UntilNextTick(BootNow(), interval));
  }
};

}  // namespace tollbridge::ports

#endif  // TOLLBRIDGE_SERVICES_PORTS_CLOCK_H_
