#include "tests/chaos/events_driver/options.h"

#include <stdexcept>

#include "tests/chaos/driver/options.h"
#include "tests/chaos/events_driver/planted.h"
#include "tests/chaos/lines/arguments.h"

namespace tollbridge::pipeline {
namespace {

std::string Text(TimeMs value) { return std::to_string(value) + "ms"; }

}  // namespace

Options ReadOptions(const std::vector<std::string>& arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& name = arguments[i];
    if (name == "--readers-away") {
      options.readers_away = true;
      continue;
    }
    if (i + 1 == arguments.size()) throw std::runtime_error(name + ": needs a value");
    const std::string& value = arguments[++i];
    if (name == "--orders") {
      options.orders = chaos::ReadNumber<std::size_t>(name, value);
    } else if (name == "--seed") {
      options.seed = chaos::ReadNumber<std::uint64_t>(name, value);
    } else if (name == "--folder") {
      options.folder = value;
    } else if (name == "--topology") {
      if (value != "single" && value != "cluster") {
        throw std::runtime_error("--topology: there is single and cluster");
      }
      options.cluster = value == "cluster";
    } else if (name == "--planted") {
#ifdef TOLLBRIDGE_TEST_HOOKS
      options.planted = chaos::BugOf(PlantedBugs(), value).name;
#else
      throw std::runtime_error("--planted: not in this build, which has no test hooks");
#endif
    } else if (name == "--other-program") {
      options.other_program = value;
    } else {
      throw std::runtime_error(name +
                               ": there is --orders N, --seed N, --topology single|cluster, "
                               "--readers-away, --planted NAME, --other-program PATH and "
                               "--folder PATH");
    }
  }
  if (options.orders == 0) throw std::runtime_error("--orders: must be 1 at least");
  if (options.is_long()) options.readers_away = true;
  return options;
}

Intervals IntervalsFor(const Options& options) {
  Intervals intervals;
  if (options.orders <= kManyOrders) return intervals;
  const auto times = static_cast<std::int64_t>((options.orders + kManyOrders - 1) / kManyOrders);
  intervals.between_flushes *= 2;
  // It takes longer until an order is noticed.
  intervals.baseline += std::chrono::seconds(60);
  intervals.readers_away += std::chrono::seconds(60);
  intervals.polls.longest *= times;
  // Well below the baseline, as in production.
  intervals.polls.sweep *= 2;
  intervals.take_again *= times;
  intervals.unknown_reads_per_second *= static_cast<int>(times);
  return intervals;
}

test::StackSettings SettingsFor(const Intervals& intervals) {
  // Operations go by the intervals of their own chaos.
  test::StackSettings settings = chaos::SettingsFor(chaos::IntervalsFor({}));
  settings["operations"]["search_index_lag"] =
      std::to_string(intervals.index_lag.count() + 1) + "s";
  settings["kafka"]["partitions"] = "6";
  settings["kafka"]["session_timeout"] = "3s";
  // All clocks are one, and a hint is not under way for long: a short heartbeat_margin finds more.
  settings["events"] = {
      {"shortest_read_interval", Text(intervals.polls.shortest)},
      {"longest_read_interval", Text(intervals.polls.longest)},
      {"max_unknown_reads_per_second", std::to_string(intervals.unknown_reads_per_second)},
      {"heartbeat_interval", "500ms"},
      {"heartbeat_margin", "1s"}};
  settings["reconcile"] = {
      {"poll_interval", "200ms"},        {"take_again_after", Text(intervals.take_again.count())},
      {"max_hints_per_second", "200"},   {"drain_interval", "200ms"},
      {"sweep_interval", "3s"},          {"sweep_day_interval", Text(intervals.polls.sweep)},
      {"sweep_pages_per_second", "100"}, {"sweep_hints_per_second", "1000"}};
  settings["webhooks"]["max_per_second"] = "100000";
  settings["payment_service"]["breaker_open"] = "1s";
  settings["payment_service"]["retry_budget_percent"] = "50";
  settings["payment_service"]["rate_limit_longest_pause"] = "3s";
  return settings;
}

}  // namespace tollbridge::pipeline
