#ifndef TOLLBRIDGE_SERVICES_PORTS_DUE_QUEUE_H_
#define TOLLBRIDGE_SERVICES_PORTS_DUE_QUEUE_H_

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "base/core/async.h"
#include "services/ports/clock.h"
#include "services/ports/context.h"
#include "services/ports/family.h"

namespace tollbridge::ports {

/// An order that is to be read.
struct DueOrder {
  FamilyKey key;
  WallTime due;
  /// Counts how often it was taken since somebody else set its time: so many hints were written of
  /// it that nobody has read.
  std::size_t taken = 0;
};

/// When an order that was never read was first noticed.
struct Noticed {
  WallTime at;
  /// Somebody whom we trust has seen it at the payment service: it is not made up.
  bool seen = false;

  bool operator==(const Noticed&) const = default;
};

/// Keeps when each family is to be read next (docs/design/events.md#reconciliation). Times are of
/// the caller's wall clock. Per shard. UNAVAILABLE (reason STORE_UNAVAILABLE) when the store cannot
/// be asked.
class DueQueue {
 public:
  virtual ~DueQueue() = default;
  /// Up to `limit` families of the project due at `now`, oldest first. Each one's time is moved in
  /// the same step, so that a taker that dies loses nothing: only the reader sets the next due
  /// time. It is moved to `now` and one of `moves`, of which there is one at least: the first, and
  /// one further on each time that it was taken before and nobody has set its time since. A family
  /// whose outbox has been pending for longer than the first move becomes due within one.
  virtual Async<std::vector<DueOrder>> Take(const std::string& project, WallTime now,
                                            std::span<const Millis> moves, std::size_t limit,
                                            const Context& context) = 0;
  /// Enters the family, or moves it to the earlier of its time and `due`. Always to a time that
  /// nobody has seen, so that who takes out what it saw leaves it in: an earlier time becomes a
  /// millisecond later.
  virtual AsyncStatus Enter(const FamilyKey& key, WallTime due, const Context& context) = 0;
  /// Moves the family to `due` if its time still is `seen`; nullopt stands for none. Else somebody
  /// has set another one meanwhile, and the earlier of both counts.
  virtual AsyncStatus Set(const FamilyKey& key, WallTime due, std::optional<WallTime> seen,
                          const Context& context) = 0;
  /// Keeps when an order was noticed until it is read, or taken out of the queue, since the hints
  /// that follow say only when it was due: of several times the earliest. Once it was seen it stays
  /// so. Nothing is kept of an order that has a snapshot or a root, or that an operation made.
  virtual AsyncStatus Note(const FamilyKey& key, const Noticed& noticed,
                           const Context& context) = 0;
  /// Removes it if its time still is `seen`: an operation may have set it to now.
  virtual AsyncStatus RemoveIf(const FamilyKey& key, WallTime seen, const Context& context) = 0;
  /// Up to `limit` families of the project with the earliest times, due or not. Changes nothing.
  virtual Async<std::vector<DueOrder>> First(const std::string& project, std::size_t limit,
                                             const Context& context) = 0;
};

}  // namespace tollbridge::ports

#endif  // TOLLBRIDGE_SERVICES_PORTS_DUE_QUEUE_H_
