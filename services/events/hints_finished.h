#ifndef TOLLBRIDGE_SERVICES_EVENTS_HINTS_FINISHED_H_
#define TOLLBRIDGE_SERVICES_EVENTS_HINTS_FINISHED_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/core/wall_time.h"
#include "services/ports/heartbeat_log.h"

namespace tollbridge::events {

/// Finds the time before which every hint that was appended is finished, with all that it was
/// passed on as, from looks at the whole hints topic (docs/design/events.md#heartbeats). Pure: no
/// clock, no log.
///
/// A look that shows a partition beyond what the group has finished makes a candidate: its time,
/// and the ends that have to be finished first. When they are, what was passed on meanwhile lies
/// before the ends of that look, which are to be finished next; so often as a hint can be passed
/// on.
class HintsFinished {
 public:
  /// Takes a look that was begun at `asked_at`. Candidates are dropped where a look contradicts
  /// them: another number of partitions, a log that has gone back, a clock that was set back.
  void Take(WallTime asked_at, const std::vector<ports::HintsProgress>& look);
  /// Every hint appended before this time is finished; nullopt while none is known. Never goes
  /// back.
  std::optional<WallTime> before() const { return before_; }
  /// Forgets candidates, as after a time without looks. What is known stays true.
  void Restart() { candidates_.clear(); }
  std::size_t candidates() const { return candidates_.size(); }

 private:
  struct Candidate {
    WallTime asked_at;
    std::uint32_t passed_on = 0;     ///< how often, of hints that the ends cover
    std::vector<std::int64_t> ends;  ///< by partition; finished up to there, the next begins
  };

  /// Moves the candidate on as far as the look allows. True: nothing of it is left.
  static bool Advance(Candidate& candidate, const std::vector<ports::HintsProgress>& look);

  std::vector<Candidate> candidates_;  ///< oldest first
  std::size_t partitions_ = 0;
  std::vector<std::int64_t> last_ends_;
  std::optional<WallTime> before_;
};

}  // namespace tollbridge::events

#endif  // TOLLBRIDGE_SERVICES_EVENTS_HINTS_FINISHED_H_
