#ifndef TOLLBRIDGE_SERVICES_PORTS_ORDER_CHANGES_H_
#define TOLLBRIDGE_SERVICES_PORTS_ORDER_CHANGES_H_

#include <functional>
#include <memory>

#include "services/ports/family.h"

namespace tollbridge::ports {

/// What a hint says.
enum class ChangeHint {
  kChanged,         ///< a snapshot of the family was saved, by any replica
  kMayHaveChanged,  ///< hints may have been lost until now
};

/// One family being watched; destroying it ends the watch.
class OrderWatch {
 public:
  virtual ~OrderWatch() = default;
};

/// Tells when the snapshot of a family was saved, by any replica. Per shard. Hints can be lost, be
/// late and come without a change: who must not miss one looks at the snapshot now and then too.
/// Who watches first and reads then misses no more than was lost on the way.
class OrderChanges {
 public:
  virtual ~OrderChanges() = default;
  /// Calls `on_hint` on the shard with each hint about the family, never inside Watch, until the
  /// watch is destroyed, which `on_hint` may do. Never fails: while there is nobody to tell,
  /// nothing is told, and kMayHaveChanged when there is again. The watch may outlive this.
  [[nodiscard]] virtual std::unique_ptr<OrderWatch> Watch(
      const FamilyKey& key, std::function<void(ChangeHint)> on_hint) = 0;
};

}  // namespace tollbridge::ports

#endif  // TOLLBRIDGE_SERVICES_PORTS_ORDER_CHANGES_H_
