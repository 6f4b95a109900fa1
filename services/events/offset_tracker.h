#ifndef TOLLBRIDGE_SERVICES_EVENTS_OFFSET_TRACKER_H_
#define TOLLBRIDGE_SERVICES_EVENTS_OFFSET_TRACKER_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

namespace tollbridge::events {

/// Finishes the offsets of one partition in order, whatever the order in which the work on them
/// ends: an offset is stored only when everything before it is finished.
class OffsetTracker {
 public:
  /// Work on a record begins. Offsets rise; they may have gaps.
  void Begin(std::int64_t offset);
  /// Work on it has ended. The next offset to read, when everything before it is finished by this;
  /// nullopt when something older is still under way.
  std::optional<std::int64_t> Finish(std::int64_t offset);
  /// Records from the oldest unfinished one to the newest.
  std::size_t span() const { return records_.size(); }

 private:
  struct Record {
    std::int64_t offset;
    bool finished;
  };
  std::deque<Record> records_;
};

}  // namespace tollbridge::events

#endif  // TOLLBRIDGE_SERVICES_EVENTS_OFFSET_TRACKER_H_
