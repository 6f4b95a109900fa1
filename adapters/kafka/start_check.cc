#include "adapters/kafka/start_check.h"

namespace tollbridge::kafka {

std::int64_t StartCheck::Begin(std::int32_t partition, std::int64_t next_offset,
                               std::int32_t leader_epoch) {
  fronts_.erase(partition);
  if (next_offset <= 0 || leader_epoch < 0) return next_offset;
  fronts_[partition] = {.offset = next_offset - 1, .leader_epoch = leader_epoch};
  return next_offset - 1;
}

StartCheck::Verdict StartCheck::Look(std::int32_t partition, std::int64_t offset,
                                     std::int32_t leader_epoch) {
  const auto found = fronts_.find(partition);
  if (found == fronts_.end()) return Verdict::kTake;
  const Front front = found->second;
  fronts_.erase(found);
  // Before it: reading has begun anew since the log ends before the offset. Behind it: the log
  // begins there, and has thrown away what is in front.
  if (offset != front.offset) return Verdict::kTake;
  const bool same = leader_epoch < 0 || leader_epoch == front.leader_epoch;
  return same ? Verdict::kPass : Verdict::kRestart;
}

StartCheck::Verdict StartCheck::LookAtEnd(std::int32_t partition, std::int64_t end) {
  const auto found = fronts_.find(partition);
  if (found == fronts_.end() || end > found->second.offset) return Verdict::kTake;
  fronts_.erase(found);
  return Verdict::kRestart;
}

}  // namespace tollbridge::kafka
