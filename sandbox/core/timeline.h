#ifndef TOLLBRIDGE_SANDBOX_CORE_TIMELINE_H_
#define TOLLBRIDGE_SANDBOX_CORE_TIMELINE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <vector>

#include "sandbox/core/clock.h"

namespace tollbridge::sandbox {

/// What will happen, on the sandbox's clock: orders that expire, webhooks that are repeated,
/// effects that come late. Entries cannot be taken back: an entry asks, when its time has come,
/// whether it still applies.
class Timeline {
 public:
  using Action = std::function<void()>;

  explicit Timeline(Clock* clock) : clock_(clock) {}

  /// Runs `action` at `when`, or at the next occasion where that is past. Entries of the same
  /// instant run in the order in which they were put in.
  void At(Time when, Action action);
  void After(Millis delay, Action action) { At(clock_->Now() + delay, std::move(action)); }

  /// Runs what is due now, what that puts in for now included.
  void RunDue();
  /// Moves the clock to the next entry that is due by `until` and runs the entries of that instant.
  /// False when there is none: the clock is then at `until`.
  bool StepTowards(Time until);

  /// When the next entry is due.
  std::optional<Time> NextDue() const;
  std::size_t size() const { return entries_.size(); }
  /// Forgets all entries.
  void Clear();

 private:
  struct Entry {
    Time when;
    std::uint64_t number;
    Action action;
  };
  struct Later {
    bool operator()(const Entry& a, const Entry& b) const {
      return a.when != b.when ? a.when > b.when : a.number > b.number;
    }
  };

  Clock* clock_;
  std::uint64_t next_number_ = 0;
  std::priority_queue<Entry, std::vector<Entry>, Later> entries_;
};

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_CORE_TIMELINE_H_
