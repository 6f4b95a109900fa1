#include "services/reconcile/event_index.h"

#include <algorithm>
#include <cstring>
#include <tuple>

namespace tollbridge::reconcile {

// EventsAudit::Settings::most_events is chosen by these.
static_assert(sizeof(IndexedEvent) <= 64);
static_assert(sizeof(IndexedFamily) <= 32);
static_assert(sizeof(IndexedOutcome) <= 32);

std::uint64_t ShortOf(const Uuid& id) {
  std::uint64_t halves[2];
  static_assert(sizeof(halves) == sizeof(id.bytes));
  std::memcpy(halves, id.bytes.data(), sizeof(halves));
  return halves[0] ^ halves[1];
}

bool EventIndex::IsIn(const Uuid& root, std::size_t slice, std::size_t slices) {
  return slices == 1 || ShortOf(root) % slices == slice;
}

void EventIndex::Sort() {
  std::ranges::sort(events, {}, [](const IndexedEvent& event) {
    return std::tuple(event.root, event.project, event.stream, event.sequence, event.partition,
                      event.offset);
  });
  // A family that was come by twice: as it was the later time.
  std::ranges::sort(families, {}, [](const IndexedFamily& family) {
    return std::tuple(family.root, family.project, ~family.sequence);
  });
  const auto same_family = std::ranges::unique(families, {}, [](const IndexedFamily& family) {
    return std::tuple(family.root, family.project);
  });
  families.erase(same_family.begin(), same_family.end());
  std::ranges::sort(outcomes, {}, [](const IndexedOutcome& each) {
    return std::tuple(each.root, each.project, each.id, each.owed);
  });
  const auto same_outcome = std::ranges::unique(outcomes, {}, [](const IndexedOutcome& each) {
    return std::tuple(each.root, each.project, each.id);
  });
  outcomes.erase(same_outcome.begin(), same_outcome.end());
}

}  // namespace tollbridge::reconcile
