#include "services/reconcile/topic_reach.h"

#include <algorithm>

#include "services/reconcile/snapshot_facts.h"

namespace tollbridge::reconcile {

WallTime TopicReach::Of(const ports::EventPartition& partition) const {
  // What was removed is not known to have been there.
  if (partition.first > 0) return partition.first_written.value_or(scope_.begun);
  // Nothing was: the topic is as old as what lies longest on it.
  WallTime oldest = scope_.begun;
  for (const ports::EventPartition& each : partitions_) {
    if (each.topic == partition.topic && each.first_written) {
      oldest = std::min(oldest, *each.first_written);
    }
  }
  return scope_.from ? std::min(oldest, *scope_.from) : oldest;
}

const MarkedTopic* TopicReach::TopicOf(const ports::FamilyState& family) const {
  const auto found = scope_.topics.find(family.entry.key.project);
  if (found == scope_.topics.end() || family.snapshot.stream().empty()) return nullptr;
  const auto own = std::ranges::find(found->second, family.snapshot.topic(), &MarkedTopic::mark);
  return own == found->second.end() ? nullptr : &*own;
}

std::vector<const ports::EventPartition*> TopicReach::PlacesOf(
    const ports::FamilyState& family) const {
  const auto found = scope_.topics.find(family.entry.key.project);
  // It stays on one for as long as that is its project's.
  const MarkedTopic* own = TopicOf(family);
  std::vector<const ports::EventPartition*> places;
  for (const std::size_t number : topic_->PartitionsOf(family.entry.key.root.ToString())) {
    const ports::EventPartition& each = partitions_.at(number);
    const bool may_be = own != nullptr
                            ? own->name == each.topic
                            : found == scope_.topics.end() ||
                                  std::ranges::find(found->second, each.topic,
                                                    &MarkedTopic::name) != found->second.end();
    if (may_be) places.push_back(&each);
  }
  return places;
}

const ports::EventPartition* TopicReach::PlaceOf(const ports::FamilyState& family) const {
  const std::vector<const ports::EventPartition*> places = PlacesOf(family);
  return places.empty() ? nullptr : places.back();
}

WallTime TopicReach::Of(const ports::FamilyState& family) const {
  // Where it is not known on which of them a family is: what one of them does not reach back to may
  // have been there.
  WallTime latest = WallTime::min();
  for (const ports::EventPartition* each : PlacesOf(family)) latest = std::max(latest, Of(*each));
  return latest;
}

bool TopicReach::HasAllOf(const ports::FamilyState& family) const {
  const WallTime reach = Of(family);
  const WallTime life = LifeOf(family);
  if (life >= reach) return true;
  // The first events of a topic are of lives that began before it: hints waited for the reader.
  // Not of a stream that lies elsewhere, or tells what another one told before.
  if (TopicOf(family) == nullptr || !AllIsInPresentStream(family.snapshot)) return false;
  return life + scope_.baseline_window >= reach &&
         std::ranges::all_of(PlacesOf(family), [](const auto* each) { return each->first == 0; });
}

}  // namespace tollbridge::reconcile
