#ifndef TOLLBRIDGE_BASE_CORE_TICK_H_
#define TOLLBRIDGE_BASE_CORE_TICK_H_

#include <chrono>

#include "base/core/boot_clock.h"

namespace tollbridge {

/// The first whole multiple of `interval` behind `now`: loops of a shard that wait for it wake
/// together, which is one wake-up of an idle process in place of one for each. `interval`: more
/// than nothing.
constexpr BootTime NextTick(BootTime now, BootClock::duration interval) {
  return now + (interval - now.time_since_epoch() % interval);
}

/// How long it is until then; a part of a millisecond counts as one.
constexpr std::chrono::milliseconds UntilNextTick(BootTime now, BootClock::duration interval) {
  return std::chrono::ceil<std::chrono::milliseconds>(NextTick(now, interval) - now);
}

}  // namespace tollbridge

#endif  // TOLLBRIDGE_BASE_CORE_TICK_H_
