#ifndef TOLLBRIDGE_SERVICES_EVENTS_FINISHED_AHEAD_H_
#define TOLLBRIDGE_SERVICES_EVENTS_FINISHED_AHEAD_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "services/ports/hint_log.h"

namespace tollbridge::events {

/// Which records of a partition are finished behind one that is not. It travels with the stored
/// offset as its note, so that who has the partition next reads none of them again: one order whose
/// read hangs would else cost thousands of reads each time that the partition changes hands.
///
/// A record is known by its offset and the epoch of its leader: a leader takes one record for an
/// offset, and no other has its epoch.
class FinishedAhead {
 public:
  FinishedAhead() = default;
  /// Of records from `base` on; none yet.
  explicit FinishedAhead(std::int64_t base) : base_(base) {}
  /// Of a note as Note made it, that was stored with this offset; nothing is finished of any other
  /// text, and of one that was stored with another: who set the offset to have records read again,
  /// or took it over to another log, knows nothing of notes.
  static FinishedAhead Of(std::string_view note, std::int64_t next_offset);

  /// This one is finished. Offsets rise. Not kept: of which the leader is not known, so that it
  /// cannot be said later that it is the same; kMost behind the base; after kMostEpochs leaders.
  void Add(std::int64_t offset, std::int32_t leader_epoch);
  /// To be stored with this offset. Empty when nothing is finished.
  std::string Note(std::int64_t next_offset) const;
  /// Whether it is finished.
  bool Holds(const ports::HintRecord& record) const;
  bool empty() const { return bits_.empty(); }

  /// Offsets behind `base` that a note has room for.
  static constexpr std::size_t kMost = 16'384;
  /// Leaders whose records a note has room for.
  static constexpr std::size_t kMostEpochs = 8;

 private:
  /// Of the records from a place on, up to the next one's.
  struct Epoch {
    std::size_t place = 0;
    std::int32_t epoch = -1;
  };

  std::int64_t base_ = 0;
  std::vector<Epoch> epochs_;
  /// One for each offset from base_ on, in bytes, lowest bit first.
  std::string bits_;
};

}  // namespace tollbridge::events

#endif  // TOLLBRIDGE_SERVICES_EVENTS_FINISHED_AHEAD_H_
