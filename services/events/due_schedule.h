#ifndef TOLLBRIDGE_SERVICES_EVENTS_DUE_SCHEDULE_H_
#define TOLLBRIDGE_SERVICES_EVENTS_DUE_SCHEDULE_H_

#include <optional>
#include <span>

#include "services/events/settings.h"
#include "services/ports/clock.h"
#include "tollbridge/common/v1/order.pb.h"

namespace tollbridge::events {

/// What of an order decides when its family is read again.
struct OrderAge {
  /// Whether the order is final, as domain::Decide says.
  bool final = false;
  /// nullopt when it is not known.
  std::optional<WallTime> created;
  /// When a final order ended, as far as is known.
  std::optional<WallTime> ended;
};

OrderAge AgeOf(const common::v1::Order& order, bool final);

/// Says when a family is to be read again although nobody hints at it
/// (docs/design/events.md#reconciliation): while an order is not final, at intervals that grow with
/// its age within the settings; all final, 1 h, 24 h, 7 d and 30 d after the latest end, for late
/// refunds and chargebacks; then nullopt.
std::optional<WallTime> NextDue(std::span<const OrderAge> orders, WallTime now,
                                const Settings& settings);

}  // namespace tollbridge::events

#endif  // TOLLBRIDGE_SERVICES_EVENTS_DUE_SCHEDULE_H_
