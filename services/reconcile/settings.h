#ifndef TOLLBRIDGE_SERVICES_RECONCILE_SETTINGS_H_
#define TOLLBRIDGE_SERVICES_RECONCILE_SETTINGS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "services/ports/clock.h"

namespace tollbridge::config {
class Section;
}  // namespace tollbridge::config

namespace tollbridge::reconcile {

/// How often the time doubles after which an order comes again that nobody reads.
inline constexpr int kTakeAgainDoublings = 6;

struct PollerSettings {
  /// How often the due queue is asked.
  ports::Millis interval = std::chrono::seconds(1);
  /// How far a taken order's time is moved: when nobody reads it, it comes again after this, and
  /// then after twice as long each time, up to 64 times as long.
  ports::Millis take_again_after = std::chrono::minutes(1);
  /// Hints written in one second at most, for each project.
  std::int64_t max_hints_per_second = 200;
  /// Hints that are under way at the same time: none waits for another's acknowledgement.
  std::size_t at_once = 16;
};

struct DrainerSettings {
  /// How often the outbox is asked.
  ports::Millis interval = std::chrono::milliseconds(500);
  /// Transitions taken at a time, and operations retired at a time.
  std::size_t per_pass = 500;
  /// Operations whose records are under way at the same time.
  std::size_t at_once = 32;
  /// How long other processes leave a project alone after one has taken some of it, which may have
  /// died. What was not drained by then comes again: as exact copies.
  ports::Millis lease = std::chrono::seconds(10);
};

struct SweepSettings {
  /// The time from the beginning of one pass over a project to that of the next. The next one asks
  /// again for as long a time before the cursor.
  ports::Millis interval = std::chrono::minutes(10);
  /// The time between passes that have the last 24 hours in them.
  ports::Millis day_interval = std::chrono::hours(1);
  /// How far the search index may be behind (operations.search_index_lag): no period ends later
  /// than this ago.
  ports::Millis index_lag{};
  /// How far back the first pass goes, beside orders that are not final.
  ports::Millis first_period = std::chrono::hours(24 * 90);
  /// The first pass leaves alone orders that came to an end longer ago: what happened to them would
  /// not be published (events.baseline_window).
  ports::Millis baseline_window{};
  /// All projects together read so many.
  std::int64_t pages_per_second = 5;
  std::int64_t hints_per_second = 50;
  /// When an order whose hint nobody has read is due (reconcile.take_again_after).
  ports::Millis take_again_after{};
  /// How long a project is kept from other processes, by one that does not move.
  ports::Millis lease = std::chrono::seconds(30);
};

struct Settings {
  PollerSettings poller;
  DrainerSettings drainer;
  SweepSettings sweep;
};

/// Binds what a configuration may set, with its bounds.
void Describe(config::Section& section, Settings* settings);

}  // namespace tollbridge::reconcile

#endif  // TOLLBRIDGE_SERVICES_RECONCILE_SETTINGS_H_
