#include "services/events/due_schedule.h"

#include <algorithm>
#include <iterator>

#include "services/domain/timestamps.h"

namespace tollbridge::events {

using common::v1::Order;
using ports::Millis;

namespace {

constexpr std::chrono::hours kAfterTheEnd[] = {std::chrono::hours(1), std::chrono::hours(24),
                                               std::chrono::hours(24 * 7), kLastLook};

/// How many times the longest interval of a young order that of an old one may be.
constexpr int kOldOrders = 24;

Millis IntervalAt(Millis age, const Settings& settings) {
  const Millis young =
      std::clamp(age / 2, settings.shortest_read_interval, settings.longest_read_interval);
  return std::max(young, std::min(age / 4, LongestInterval(settings)));
}

}  // namespace

Millis LongestInterval(const Settings& settings) {
  return settings.longest_read_interval * kOldOrders;
}

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
  // What is not known of an order that could not be read: no longer ago than this.
  std::optional<WallTime> newest;
  for (const OrderAge& order : orders) {
    const std::optional<WallTime>& last = order.final ? order.ended : order.created;
    if (last) newest = std::max(newest.value_or(*last), *last);
  }
  const Millis otherwise =
      newest ? std::max(settings.longest_read_interval, IntervalAt(now - *newest, settings))
             : settings.longest_read_interval;
  std::optional<WallTime> earliest;
  std::optional<WallTime> latest_end;
  for (const OrderAge& order : orders) {
    if (order.final) {
      const WallTime end = std::min(order.ended.value_or(now), now);
      latest_end = std::max(latest_end.value_or(end), end);
      continue;
    }
    // One that cannot be read is not waited for longer than what banks do late.
    const bool unread = !order.created && !order.ended;
    if (unread && newest && now - *newest >= kLastLook) continue;
    const Millis interval = order.created ? IntervalAt(now - *order.created, settings) : otherwise;
    earliest = std::min(earliest.value_or(now + interval), now + interval);
  }
  if (earliest || !latest_end) return earliest;
  for (const std::chrono::hours after : kAfterTheEnd) {
    if (*latest_end + after > now) return *latest_end + after;
  }
  return std::nullopt;
}

}  // namespace tollbridge::events
