#include "services/events/due_schedule.h"

#include <algorithm>

#include "services/domain/timestamps.h"

namespace tollbridge::events {

using common::v1::Order;
using ports::Millis;

namespace {

constexpr std::chrono::hours kAfterTheEnd[] = {std::chrono::hours(1), std::chrono::hours(24),
                                               std::chrono::hours(24 * 7),
                                               std::chrono::hours(24 * 30)};

Millis IntervalAt(Millis age, const Settings& settings) {
  return std::clamp(age / 2, settings.shortest_read_interval, settings.longest_read_interval);
}

}  // namespace

OrderAge AgeOf(const Order& order, bool final) {
  OrderAge age{.final = final, .created = std::nullopt, .ended = std::nullopt};
  if (order.has_created()) age.created = domain::ToWallTime(order.created());
  if (order.has_completed()) {
    age.ended = domain::ToWallTime(order.completed());
  } else if (order.has_modified()) {
    age.ended = domain::ToWallTime(order.modified());
  } else {
    age.ended = age.created;
  }
  return age;
}

std::optional<WallTime> NextDue(std::span<const OrderAge> orders, WallTime now,
                                const Settings& settings) {
  std::optional<WallTime> earliest;
  std::optional<WallTime> latest_end;
  for (const OrderAge& order : orders) {
    if (order.final) {
      const WallTime end = std::min(order.ended.value_or(now), now);
      latest_end = std::max(latest_end.value_or(end), end);
      continue;
    }
    const Millis interval =
        order.created ? IntervalAt(now - *order.created, settings) : settings.longest_read_interval;
    earliest = std::min(earliest.value_or(now + interval), now + interval);
  }
  if (earliest || !latest_end) return earliest;
  for (const std::chrono::hours after : kAfterTheEnd) {
    if (*latest_end + after > now) return *latest_end + after;
  }
  return std::nullopt;
}

}  // namespace tollbridge::events
