#include "adapters/kafka/event_gate.h"

#include "adapters/kafka/record_place.h"

namespace tollbridge::kafka {
namespace {

constexpr std::size_t kTryAtATime = 2;

}  // namespace

EventGate::Partition& EventGate::Of(const std::string& topic, std::string_view key) {
  return places_[{topic, PartitionOfKey(key, partitions_)}];
}

bool EventGate::Enter(const std::string& topic, std::string_view key) {
  Partition& partition = Of(topic, key);
  if (partition.in_vain && partition.under_way >= kTryAtATime) return false;
  ++partition.under_way;
  return true;
}

void EventGate::Leave(const std::string& topic, std::string_view key, const absl::Status& status) {
  Partition& partition = Of(topic, key);
  --partition.under_way;
  // A record that is never taken says nothing of others.
  if (status.ok() || absl::IsUnavailable(status)) partition.in_vain = !status.ok();
}

}  // namespace tollbridge::kafka
