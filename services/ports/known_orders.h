#ifndef TOLLBRIDGE_SERVICES_PORTS_KNOWN_ORDERS_H_
#define TOLLBRIDGE_SERVICES_PORTS_KNOWN_ORDERS_H_

#include <optional>
#include <string>
#include <vector>

#include "base/core/async.h"
#include "base/core/uuid.h"
#include "services/ports/clock.h"
#include "services/ports/context.h"
#include "tollbridge/common/v1/order.pb.h"

namespace tollbridge::ports {

/// What the snapshots say of one order, and what is under way for its family.
struct KnownOrder {
  /// Root of its family; the order itself when it is a root or nothing is known of it.
  Uuid root;
  /// A snapshot that can be understood shows the order. The next three are of its last read.
  bool recorded = false;
  common::v1::OrderStatus status = common::v1::ORDER_STATUS_UNSPECIFIED;
  /// The status as it came, where it is one that we do not know.
  std::string status_text;
  /// Absent where the service sends none.
  std::optional<WallTime> modified;
  /// It was never read, and somebody has seen it (DueQueue::Note).
  bool noted_as_seen = false;
  /// When the family is read next, as the due queue has it.
  std::optional<WallTime> due;
  /// Events of the family are decided and not yet proven published.
  bool publishing = false;
};

/// Looks at many orders at a time, roots or members of families. Changes nothing. Per shard.
/// UNAVAILABLE (reason STORE_UNAVAILABLE) when the store cannot be asked.
class KnownOrders {
 public:
  virtual ~KnownOrders() = default;
  /// One for each of `orders`, in their order. Each is of one instant; together they need not be.
  virtual Async<std::vector<KnownOrder>> LookAt(const std::string& project,
                                                const std::vector<Uuid>& orders,
                                                const Context& context) = 0;
};

}  // namespace tollbridge::ports

#endif  // TOLLBRIDGE_SERVICES_PORTS_KNOWN_ORDERS_H_
