#ifndef TOLLBRIDGE_TESTS_CHAOS_DRIVER_OPTIONS_H_
#define TOLLBRIDGE_TESTS_CHAOS_DRIVER_OPTIONS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/chaos/driver/planted.h"
#include "tests/support/stack.h"

namespace tollbridge::chaos {

using Millis = std::chrono::milliseconds;

/// What the ids of records begin with that the run itself put into the store, and that no version
/// can read.
inline constexpr const char* kUnreadableBytes = "~~";
inline constexpr const char* kUnreadableId = "7e7e";

struct Options {
  std::size_t operations = 5'000;
  std::uint64_t seed = 1;
  /// Effects later than the service is assumed to be able to.
  bool late_beyond_bound = false;
  /// Redis is a primary with two replicas and three Sentinels, and what goes wrong with it are
  /// failovers.
  bool sentinels = false;
  /// The `tollbridge` of another commit, which the last gateway runs; empty: all run that of this
  /// build.
  std::string other_program;
  /// Of a bug that the gateways have (planted.h), in builds with test hooks; empty: none.
  std::string planted;
  /// What that bug needs so that it shows.
  Showing showing;
  /// Where the run's files go, kept when it fails; empty: a new one.
  std::string folder;
};

/// Throws std::runtime_error naming what is wrong.
Options ReadOptions(const std::vector<std::string>& arguments);

/// The intervals of a run. All follow from these, so that they fit together.
struct Intervals {
  Millis send_window{500};
  Millis attempt_deadline{1'500};
  Millis lease{3'000};
  Millis store_timeout{2'000};
  Millis late_execution_bound{4'000};
  Millis search_index_lag{2'000};
  Millis absence_read_interval{500};
  int absence_reads = 3;
  /// How long Redis is doubted after it lost its memory or its last writes.
  Millis doubt{60'000};
  /// How long after its first use a caller still comes back with a key: shorter than `doubt`, as
  /// callers' keys live shorter than the store's doubt (docs/design/operations.md#rule-12).
  Millis key_life{40'000};
  /// How old what search shows is, and reads under the fault read_lag.
  Millis index_lag{1'000};
  /// Planted delays, in seconds: below late_execution_bound, or beyond all that is waited for.
  int shortest_delay_s = 1;
  int longest_delay_s = 2;

  /// From the moment of sending to when absence has been established.
  Millis quarantine() const;
};

Intervals IntervalsFor(const Options& options);

/// The gateways' settings for these intervals.
test::StackSettings SettingsFor(const Intervals& intervals);

}  // namespace tollbridge::chaos

#endif  // TOLLBRIDGE_TESTS_CHAOS_DRIVER_OPTIONS_H_
