#include "services/events/due_schedule.h"

#include <algorithm>

#include "services/domain/timestamps.h"

namespace tollbridge::events {

using common::v1::Order;
using ports::Millis;
using ports::WallTime;

namespace {

constexpr std::chrono::hours kAfterTheEnd[] = {std::chrono::hours(1), std::chrono::hours(24),
                                               std::chrono::hours(24 * 7),
                                               std::chrono::hours(24 * 30)};

WallTime EndOf(const Order& order, WallTime now) {
  if (order.has_completed()) return domain::ToInstant(order.completed());
  if (order.has_modified()) return domain::ToInstant(order.modified());
  return order.has_created() ? domain::ToInstant(order.created()) : now;
}

Millis IntervalAt(Millis age, const Settings& settings) {
  return std::clamp(age / 2, settings.shortest_read_interval, settings.longest_read_interval);
}

}  // namespace

std::optional<WallTime> NextDue(const Order& order, bool final, WallTime now,
                                const Settings& settings) {
  if (!final) {
    if (!order.has_created()) return now + settings.longest_read_interval;
    return now + IntervalAt(now - domain::ToInstant(order.created()), settings);
  }
  const WallTime end = std::min(EndOf(order, now), now);
  for (const std::chrono::hours after : kAfterTheEnd) {
    if (end + after > now) return end + after;
  }
  return std::nullopt;
}

}  // namespace tollbridge::events
