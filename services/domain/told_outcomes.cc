#include "services/domain/told_outcomes.h"

#include <optional>

#include "services/domain/event_id.h"
#include "services/domain/published.h"
#include "services/domain/statuses.h"

namespace tollbridge::domain {
namespace {

void AppendOutcomes(const Project& project, const Uuid& order, const storage::v1::OrderState& state,
                    std::vector<ToldOutcome>* outcomes) {
  for (const auto& [what, times] : PublishedOf(state)) {
    if (!IsOutcome(what)) continue;
    outcomes->push_back({.order = order,
                         .what = what,
                         .id = EventId(project.id, order, state.kind(), what, times),
                         .state = &state});
  }
}

}  // namespace

std::vector<ToldOutcome> ToldOutcomes(const Project& project, const Uuid& root,
                                      const storage::v1::Snapshot& snapshot) {
  std::vector<ToldOutcome> outcomes;
  AppendOutcomes(project, root, snapshot.root(), &outcomes);
  for (const storage::v1::OrderState& member : snapshot.members()) {
    const std::optional<Uuid> id = Uuid::FromBytes(member.order_id());
    if (id) AppendOutcomes(project, *id, member, &outcomes);
  }
  return outcomes;
}

events::v1::EventWhat ReviewIsAbout(const common::v1::Order& order,
                                    const storage::v1::OrderState& state) {
  const bool ended = order.status() != common::v1::ORDER_STATUS_SEE_TRANSACTIONS &&
                     state.last_outcome() != events::v1::EVENT_WHAT_UNSPECIFIED;
  return ended ? state.last_outcome() : events::v1::EVENT_WHAT_NEEDS_REVIEW;
}

bool ToldAnOutcome(const storage::v1::OrderState& state) {
  return std::ranges::any_of(PublishedOf(state),
                             [](const Published& each) { return IsOutcome(each.what); });
}

}  // namespace tollbridge::domain
