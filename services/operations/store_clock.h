#ifndef TOLLBRIDGE_SERVICES_OPERATIONS_STORE_CLOCK_H_
#define TOLLBRIDGE_SERVICES_OPERATIONS_STORE_CLOCK_H_

#include <optional>

#include "base/core/boot_clock.h"
#include "services/ports/clock.h"

namespace tollbridge::operations {

/// Watches the store's clock against the process' own. Ages are by the store's clock, and one that
/// is set forward makes what was sent a moment ago look old: absence counts only where the process
/// itself has seen so much time pass (docs/design/operations.md#rule-4). Of one loop.
class StoreClock {
 public:
  /// Beyond this it is a step. Shorter ones, and the time of a round trip, make a quarantine so
  /// much shorter at most.
  static constexpr ports::Millis kTolerance{2'000};

  /// The store has just shown `shown`. True when its clock was set since it was watched.
  bool Show(WallTime shown, BootTime now);

  /// For how long its clock has gone as the process' own does; at first, and after a step, 0.
  ports::Millis SteadyFor(BootTime now) const;

 private:
  struct Seen {
    WallTime shown;
    BootTime at;
  };
  std::optional<Seen> since_;
};

}  // namespace tollbridge::operations

#endif  // TOLLBRIDGE_SERVICES_OPERATIONS_STORE_CLOCK_H_
