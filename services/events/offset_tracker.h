#ifndef TOLLBRIDGE_SERVICES_EVENTS_OFFSET_TRACKER_H_
#define TOLLBRIDGE_SERVICES_EVENTS_OFFSET_TRACKER_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "services/events/finished_ahead.h"
#include "services/ports/clock.h"

namespace tollbridge::events {

/// Finishes the offsets of one partition in order, whatever the order in which the work on them
/// ends: an offset is stored only when everything before it is finished.
class OffsetTracker {
 public:
  /// Whether a record of this offset can begin here: it lies behind all that have begun. Where it
  /// does not the log has gone back, and the record needs a tracker of its own.
  bool Follows(std::int64_t offset) const { return !newest_ || offset > *newest_; }
  /// Work on a record begins, whose cause was noticed then. Offsets rise; they may have gaps.
  void Begin(std::int64_t offset, WallTime noticed_at, std::int32_t leader_epoch = -1);
  /// Work on it has ended. The next offset to read, when everything before it is finished by this;
  /// nullopt when something older is still under way.
  std::optional<std::int64_t> Finish(std::int64_t offset);
  /// What is finished behind the oldest unfinished record.
  FinishedAhead ahead() const;
  /// The offset of the oldest unfinished record; nullopt when all are finished.
  std::optional<std::int64_t> first() const;
  /// Records from the oldest unfinished one to the newest.
  std::size_t span() const { return records_.size(); }
  /// Says when the cause of the oldest unfinished record was noticed; nullopt when all are
  /// finished.
  std::optional<WallTime> oldest() const;

 private:
  struct Record {
    std::int64_t offset;
    WallTime noticed_at;
    std::int32_t leader_epoch;
    bool finished;
  };
  std::deque<Record> records_;
  /// The last offset that has begun.
  std::optional<std::int64_t> newest_;
};

}  // namespace tollbridge::events

#endif  // TOLLBRIDGE_SERVICES_EVENTS_OFFSET_TRACKER_H_
