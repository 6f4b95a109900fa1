#ifndef TOLLBRIDGE_SERVICES_RECONCILE_SEEN_ORDER_H_
#define TOLLBRIDGE_SERVICES_RECONCILE_SEEN_ORDER_H_

#include <optional>
#include <string>

#include "base/core/uuid.h"
#include "services/ports/clock.h"
#include "services/ports/known_orders.h"
#include "tollbridge/common/v1/order.pb.h"

namespace tollbridge::reconcile {

/// What a search or the report shows of one order. Never the truth: the index behind them lags.
struct SeenOrder {
  Uuid id;
  common::v1::OrderStatus status = common::v1::ORDER_STATUS_UNSPECIFIED;
  /// The status as it came, where it is one that we do not know.
  std::string status_text;
  std::optional<WallTime> created;
  std::optional<WallTime> completed;
  std::optional<WallTime> modified;

  /// The last time that something of it is known to have changed.
  std::optional<WallTime> LastChange() const;
};

/// nullopt when the order's id is none.
std::optional<SeenOrder> Seen(const common::v1::Order& order);

/// What was seen, beside what a snapshot shows.
enum class Comparison {
  kMissing,    ///< there is no snapshot of it
  kSame,       ///< the snapshot shows the same
  kOlder,      ///< what was seen is older than the snapshot
  kDifferent,  ///< the snapshot may be out of date
};
/// Compares by `modified` where both have it; else by the status, of which no order comes back from
/// an end to what is none.
Comparison Compare(const SeenOrder& seen, const ports::KnownOrder& known);

}  // namespace tollbridge::reconcile

#endif  // TOLLBRIDGE_SERVICES_RECONCILE_SEEN_ORDER_H_
