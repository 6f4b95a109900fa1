#ifndef TOLLBRIDGE_SERVICES_EVENTS_FINISHED_AHEAD_H_
#define TOLLBRIDGE_SERVICES_EVENTS_FINISHED_AHEAD_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "services/ports/hint_log.h"

namespace tollbridge::events {

/// Which records of a partition are finished behind one that is not. It travels with the stored
/// offset as its note, so that who has the partition next reads none of them again: one order whose
/// read hangs would else cost thousands of reads each time that the partition changes hands.
class FinishedAhead {
 public:
  FinishedAhead() = default;
  /// Of records from `base` on, with the highest epoch of their leaders. None behind kMost is kept.
  FinishedAhead(std::int64_t base, std::int32_t leader_epoch,
                const std::vector<std::int64_t>& offsets);
  /// Of a note as Note made it; of any other text: nothing is finished.
  static FinishedAhead Of(std::string_view note);

  /// Empty when nothing is.
  std::string Note() const;
  /// Whether it is finished. Not of a record whose leader is a later one: it may stand where
  /// another one was that the log has lost.
  bool Holds(const ports::HintRecord& record) const;
  bool empty() const { return bits_.empty(); }

  /// Offsets behind `base` that a note has room for.
  static constexpr std::size_t kMost = 16'384;

 private:
  std::int64_t base_ = 0;
  std::int32_t leader_epoch_ = -1;
  /// One for each offset from base_ on, in bytes, lowest bit first.
  std::string bits_;
};

}  // namespace tollbridge::events

#endif  // TOLLBRIDGE_SERVICES_EVENTS_FINISHED_AHEAD_H_
