#include "services/reconcile/seen_order.h"

#include <algorithm>

#include "services/domain/statuses.h"
#include "services/domain/timestamps.h"

namespace tollbridge::reconcile {

std::optional<WallTime> SeenOrder::LastChange() const {
  return std::max({created, completed, modified});
}

std::optional<SeenOrder> Seen(const common::v1::Order& order) {
  const std::optional<Uuid> id = Uuid::Parse(order.id());
  if (!id) return std::nullopt;
  SeenOrder seen{.id = *id, .status = order.status(), .status_text = order.status_text()};
  if (order.has_created()) seen.created = domain::ToWallTime(order.created());
  if (order.has_completed()) seen.completed = domain::ToWallTime(order.completed());
  if (order.has_modified()) seen.modified = domain::ToWallTime(order.modified());
  return seen;
}

Comparison Compare(const SeenOrder& seen, const ports::KnownOrder& known) {
  if (!known.recorded) return Comparison::kMissing;
  const bool same = seen.status == known.status && seen.status_text == known.status_text;
  if (seen.modified && known.modified) {
    if (*seen.modified < *known.modified) return Comparison::kOlder;
    if (*seen.modified > *known.modified) return Comparison::kDifferent;
  }
  if (same) return Comparison::kSame;
  const bool comes_back = domain::IsFinalOrSeeTransactions(known.status) &&
                          !domain::IsFinalOrSeeTransactions(seen.status);
  return comes_back ? Comparison::kOlder : Comparison::kDifferent;
}

}  // namespace tollbridge::reconcile
