#include "services/events/family_due.h"

#include <chrono>
#include <set>
#include <string>
#include <vector>

#include "services/domain/family_diff.h"
#include "services/domain/statuses.h"
#include "services/domain/timestamps.h"
#include "services/events/due_schedule.h"

namespace tollbridge::events {
namespace {

constexpr std::chrono::hours kOld{24};

/// nullopt where nothing is known of when it ended.
std::optional<OrderAge> AgeAtLastRead(const storage::v1::OrderState& state) {
  std::optional<WallTime> modified;
  if (state.has_modified()) modified = domain::ToWallTime(state.modified());
  const bool final = domain::IsFinal(state);
  if (final && !modified) return std::nullopt;
  return OrderAge{.final = final, .created = modified, .ended = modified};
}

}  // namespace

std::optional<WallTime> NextDue(const FamilyRound& family, Uuid root,
                                const storage::v1::Snapshot& next, WallTime now,
                                const Settings& settings) {
  std::vector<OrderAge> ages;
  std::set<std::string> looked_at;
  for (const FamilyOrder& each : family.orders()) {
    looked_at.insert(each.id.ToBytes());
    const storage::v1::OrderState* state = domain::FindState(next, root, each.id);
    if (each.order) {
      const bool own_checkout = state != nullptr && state->own_checkout();
      ages.push_back(AgeOf(*each.order, domain::Decide(*each.order, own_checkout).final));
    } else if (each.outcome != ReadOutcome::kNotFound || (state && domain::WasRead(*state))) {
      ages.push_back({});
    }
  }
  for (const storage::v1::OrderState& member : next.members()) {
    if (looked_at.contains(member.order_id())) continue;
    if (const std::optional<OrderAge> age = AgeAtLastRead(member)) ages.push_back(*age);
  }
  return NextDue(ages, now, settings);
}

bool IsOld(const common::v1::Order& order, WallTime noticed, WallTime now) {
  if (order.has_created()) return now - domain::ToWallTime(order.created()) >= kOld;
  // The sweep counts what it finds as noticed when the day that it reads began.
  return noticed > WallTime() && now - noticed >= 2 * kOld;
}

bool IsSettled(const ports::FamilyState& state, WallTime now, const Settings& settings) {
  // Somebody wants all of it told.
  if (state.tell_again) return false;
  if (state.version == 0) return state.noticed && now - state.noticed->at >= kLastLook;
  std::vector<OrderAge> ages;
  const std::optional<OrderAge> root = AgeAtLastRead(state.snapshot.root());
  if (!root) return false;
  ages.push_back(*root);
  for (const storage::v1::OrderState& member : state.snapshot.members()) {
    if (const auto age = AgeAtLastRead(member)) ages.push_back(*age);
  }
  return !NextDue(ages, now, settings);
}

}  // namespace tollbridge::events
