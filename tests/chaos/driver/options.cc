#include "tests/chaos/driver/options.h"

#include <stdexcept>

#include "tests/chaos/lines/arguments.h"

namespace tollbridge::chaos {
namespace {

std::string Text(Millis value) { return std::to_string(value.count()) + "ms"; }

}  // namespace

Options ReadOptions(const std::vector<std::string>& arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& name = arguments[i];
    if (name == "--late-beyond-bound") {
      options.late_beyond_bound = true;
      continue;
    }
    if (i + 1 == arguments.size()) throw std::runtime_error(name + ": needs a value");
    const std::string& value = arguments[++i];
    if (name == "--operations") {
      options.operations = ReadNumber<std::size_t>(name, value);
    } else if (name == "--seed") {
      options.seed = ReadNumber<std::uint64_t>(name, value);
    } else if (name == "--folder") {
      options.folder = value;
    } else if (name == "--planted") {
#ifdef TOLLBRIDGE_TEST_HOOKS
      const PlantedBug& bug = PlantedBugOf(value);
      options.planted = bug.name;
      options.showing = bug.showing;
#else
      throw std::runtime_error("--planted: not in this build, which has no test hooks");
#endif
    } else if (name == "--other-program") {
      options.other_program = value;
    } else if (name == "--topology") {
      if (value != "single" && value != "sentinel") {
        throw std::runtime_error("--topology: there is single and sentinel");
      }
      options.sentinels = value == "sentinel";
    } else {
      throw std::runtime_error(
          name +
          ": there is --operations N, --seed N, --late-beyond-bound, "
          "--topology single|sentinel, --planted NAME, --other-program PATH and --folder PATH");
    }
  }
  if (options.operations == 0) throw std::runtime_error("--operations: must be 1 at least");
  return options;
}

Millis Intervals::quarantine() const {
  return send_window + attempt_deadline + late_execution_bound + search_index_lag +
         absence_reads * absence_read_interval;
}

Intervals IntervalsFor(const Options& options) {
  Intervals intervals;
  if (!options.late_beyond_bound) return intervals;
  intervals.late_execution_bound = Millis(1'000);
  intervals.search_index_lag = Millis(1'500);
  intervals.absence_read_interval = Millis(300);
  intervals.shortest_delay_s = 12;
  intervals.longest_delay_s = 15;
  return intervals;
}

test::StackSettings SettingsFor(const Intervals& intervals) {
  return {
      {"process", {{"log_level", "info"}}},
      {"operations",
       {{"send_window", Text(intervals.send_window)},
        {"attempt_deadline", Text(intervals.attempt_deadline)},
        {"lease", Text(intervals.lease)},
        {"store_timeout", Text(intervals.store_timeout)},
        {"lease_margin", "500ms"},
        {"resolver_interval", "100ms"},
        {"resolver_lease", "3s"},
        {"late_execution_bound", Text(intervals.late_execution_bound)},
        {"search_index_lag", Text(intervals.search_index_lag)},
        {"absence_reads", std::to_string(intervals.absence_reads)},
        {"absence_read_interval", Text(intervals.absence_read_interval)},
        {"look_backoff", "[\"200ms\", \"500ms\", \"1s\", \"2s\"]"},
        {"look_again", "[\"10s\", \"20s\"]"},
        {"look_timeout", "1s"},
        {"pending_retry_after", "500ms"}}},
      {"redis",
       {{"memory_lost_doubt", Text(intervals.doubt)}, {"failover_doubt", Text(intervals.doubt)}}}};
}

}  // namespace tollbridge::chaos
