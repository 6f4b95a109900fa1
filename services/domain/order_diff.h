#ifndef TOLLBRIDGE_SERVICES_DOMAIN_ORDER_DIFF_H_
#define TOLLBRIDGE_SERVICES_DOMAIN_ORDER_DIFF_H_

#include <vector>

#include "base/core/wall_time.h"
#include "services/domain/family_diff.h"
#include "tollbridge/events/v1/events.pb.h"
#include "tollbridge/storage/v1/storage.pb.h"

namespace tollbridge::domain {

/// What the orders of one round have in common.
struct FamilyFacts {
  WallTime now;
  /// Of an order that is first seen, what happened before is recorded silently.
  WallTime baseline;
  /// Outcomes that were told, of this time or later, are told again; max(): none.
  WallTime again_from;
  WallTime again_to = WallTime::max();
  /// All that was told of an order, not only what it shows now; but not of one of which an earlier
  /// round has told it.
  bool all_again = false;
  bool captured_or_voided = false;
  /// What the root was told as; UNSPECIFIED: not told yet.
  events::v1::EventKind root_kind = events::v1::EVENT_KIND_UNSPECIFIED;
};

/// What became of one order.
struct OrderDiff {
  storage::v1::OrderState state;
  std::vector<DecidedEvent> events;
  std::vector<Untold> untold;
};

/// Compares an order that was read with what is known of it, which may be nothing: the events that
/// follow, and its state from now on.
OrderDiff CompareOrder(const FamilyFacts& family, const OrderRead& read, bool is_root,
                       const storage::v1::OrderState& previous);

}  // namespace tollbridge::domain

#endif  // TOLLBRIDGE_SERVICES_DOMAIN_ORDER_DIFF_H_
