#include "services/domain/occurred_at.h"

#include <algorithm>
#include <optional>
#include <string_view>

namespace tollbridge::domain {

using common::v1::Order;
using events::v1::EventWhat;

namespace {

/// The records' names are mostly statuses (docs/interface.md#event-record).
bool StandsFor(std::string_view name, EventWhat what) {
  switch (what) {
    case events::v1::EVENT_WHAT_PROCESSING:
      return name == "processing" || name == "accepted" || name == "pending";
    case events::v1::EVENT_WHAT_COMPLETED:
      return name == "completed";
    case events::v1::EVENT_WHAT_CANCELLED:
      return name == "cancelled";
    case events::v1::EVENT_WHAT_EXPIRED:
      return name == "expired";
    case events::v1::EVENT_WHAT_FAILED:
      return name == "declined" || name == "error";
    default:
      return false;
  }
}

std::optional<WallTime> NewestRecord(const Order& order, EventWhat what) {
  std::optional<WallTime> newest;
  for (const auto& transaction : order.transactions()) {
    for (const auto& record : transaction.events()) {
      if (!record.has_occurred() || !StandsFor(record.event(), what)) continue;
      const WallTime occurred = ToWallTime(record.occurred());
      newest = newest ? std::max(*newest, occurred) : occurred;
    }
  }
  return newest;
}

}  // namespace

WallTime OccurredAt(const Order& order, EventWhat what, WallTime now) {
  if (what == events::v1::EVENT_WHAT_CREATED) {
    return order.has_created() ? ToWallTime(order.created()) : now;
  }
  if (const std::optional<WallTime> record = NewestRecord(order, what)) return *record;
  if (what == events::v1::EVENT_WHAT_COMPLETED && order.has_completed()) {
    return ToWallTime(order.completed());
  }
  return order.has_modified() ? ToWallTime(order.modified()) : now;
}

}  // namespace tollbridge::domain
