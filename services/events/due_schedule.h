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

/// So long after the end of an order it is looked at for the last time.
inline constexpr std::chrono::hours kLastLook{24 * 30};

OrderAge AgeOf(const common::v1::Order& order, bool final);

/// The longest time between two reads of an order that is not final, or that cannot be read:
/// 24 times `longest_read_interval`.
ports::Millis LongestInterval(const Settings& settings);

/// Says when a family is to be read again although nobody hints at it
/// (docs/design/events.md#reconciliation): while an order is not final, after half its age within
/// the settings, or a quarter of it where that is more, at most LongestInterval; all final, 1 h, 24
/// h, 7 d and 30 d after the latest end, for late refunds and chargebacks; then nullopt. An order
/// that could not be read counts as being as old as the youngest one known of its family, and is
/// not waited for when that is 30 d.
std::optional<WallTime> NextDue(std::span<const OrderAge> orders, WallTime now,
                                const Settings& settings);

}  // namespace tollbridge::events

#endif  // TOLLBRIDGE_SERVICES_EVENTS_DUE_SCHEDULE_H_
