#ifndef TOLLBRIDGE_SERVICES_RECONCILE_TOPIC_REACH_H_
#define TOLLBRIDGE_SERVICES_RECONCILE_TOPIC_REACH_H_

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/core/wall_time.h"
#include "services/ports/clock.h"
#include "services/ports/event_topic.h"
#include "services/ports/snapshot_store.h"

namespace tollbridge::reconcile {

/// A topic that events go to.
struct MarkedTopic {
  std::string name;
  std::string mark;  ///< as storage.v1.Snapshot.topic has it
};

/// How far back the topics of events go, for each family
/// (docs/adr/0050-told-again-by-the-reader.md).
class TopicReach {
 public:
  struct Scope {
    /// Where the events of a project go, by its name; on any topic, of one that is not here.
    std::map<std::string, std::vector<MarkedTopic>, std::less<>> topics;
    /// A topic of which nothing was removed is to go back to then.
    std::optional<WallTime> from;
    ports::Millis baseline_window{};
    /// A topic without records goes no further back.
    WallTime begun;
  };
  /// `topic` outlives it, and was looked at.
  TopicReach(const ports::EventTopic& topic, std::vector<ports::EventPartition> partitions,
             Scope scope)
      : topic_(&topic), partitions_(std::move(partitions)), scope_(std::move(scope)) {}

  const std::vector<ports::EventPartition>& partitions() const { return partitions_; }
  void set_partitions(std::vector<ports::EventPartition> now) { partitions_ = std::move(now); }

  /// What was written of the family since then is there.
  WallTime Of(const ports::FamilyState& family) const;
  /// Whether that goes for all that was told of the family in its snapshot's life.
  bool HasAllOf(const ports::FamilyState& family) const;
  /// Where the family's events may be; nullptr where that is not known.
  const ports::EventPartition* PlaceOf(const ports::FamilyState& family) const;

 private:
  WallTime Of(const ports::EventPartition& partition) const;
  /// The topic that its stream is on, of those of its project; nullptr: none of them.
  const MarkedTopic* TopicOf(const ports::FamilyState& family) const;
  std::vector<const ports::EventPartition*> PlacesOf(const ports::FamilyState& family) const;

  const ports::EventTopic* topic_;
  std::vector<ports::EventPartition> partitions_;
  Scope scope_;
};

}  // namespace tollbridge::reconcile

#endif  // TOLLBRIDGE_SERVICES_RECONCILE_TOPIC_REACH_H_
