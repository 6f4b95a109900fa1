#include "adapters/kafka/start_check.h"

#include <chrono>

namespace tollbridge::kafka {
namespace {

constexpr std::chrono::seconds kAgain{1};

}  // namespace

std::int64_t StartCheck::Begin(std::int32_t partition, std::int64_t next_offset,
                               std::int32_t leader_epoch) {
  fronts_.erase(partition);
  if (next_offset <= 0 || leader_epoch < 0) return next_offset;
  fronts_[partition] = {.offset = next_offset - 1, .leader_epoch = leader_epoch};
  return next_offset - 1;
}

StartCheck::Verdict StartCheck::Look(std::int32_t partition, std::int64_t offset,
                                     std::int32_t leader_epoch, BootTime now) {
  const auto found = fronts_.find(partition);
  if (found == fronts_.end()) return Verdict::kTake;
  Front& front = found->second;
  if (front.is_another_log && offset > front.offset) {
    // Read before the log was found to be another.
    if (now - front.told < kAgain) return Verdict::kPass;
    front.told = now;
    return Verdict::kRestart;
  }
  // Before it: reading has begun anew since the log ends before the offset. Behind it: the log
  // begins there, and has thrown away what is in front.
  if (front.is_another_log || offset != front.offset) {
    fronts_.erase(found);
    return Verdict::kTake;
  }
  if (leader_epoch < 0 || leader_epoch == front.leader_epoch) {
    fronts_.erase(found);
    return Verdict::kPass;
  }
  front.is_another_log = true;
  front.told = now;
  return Verdict::kRestart;
}

}  // namespace tollbridge::kafka
