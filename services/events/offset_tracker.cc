#include "services/events/offset_tracker.h"

#include <algorithm>

namespace tollbridge::events {

void OffsetTracker::Begin(std::int64_t offset, WallTime noticed_at, std::int32_t leader_epoch) {
  records_.push_back({offset, noticed_at, leader_epoch, false});
  newest_ = offset;
}

FinishedAhead OffsetTracker::ahead() const {
  if (records_.empty()) return {};
  FinishedAhead ahead(records_.front().offset);
  for (const Record& record : records_) {
    if (record.offset - records_.front().offset >= std::int64_t{FinishedAhead::kMost}) break;
    if (record.finished) ahead.Add(record.offset, record.leader_epoch);
  }
  return ahead;
}

std::optional<std::int64_t> OffsetTracker::first() const {
  if (records_.empty()) return std::nullopt;
  return records_.front().offset;
}

std::optional<WallTime> OffsetTracker::oldest() const {
  if (records_.empty()) return std::nullopt;
  return records_.front().noticed_at;
}

std::optional<std::int64_t> OffsetTracker::Finish(std::int64_t offset) {
  const auto found = std::lower_bound(
      records_.begin(), records_.end(), offset,
      [](const Record& record, std::int64_t sought) { return record.offset < sought; });
  if (found != records_.end() && found->offset == offset) found->finished = true;
  std::optional<std::int64_t> next;
  while (!records_.empty() && records_.front().finished) {
    next = records_.front().offset + 1;
    records_.pop_front();
  }
  return next;
}

}  // namespace tollbridge::events
