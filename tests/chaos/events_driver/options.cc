#include "tests/chaos/events_driver/options.h"

#include <stdexcept>

#include "tests/chaos/driver/options.h"
#include "tests/chaos/lines/arguments.h"

namespace tollbridge::pipeline {

Options ReadOptions(const std::vector<std::string>& arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& name = arguments[i];
    if (i + 1 == arguments.size()) throw std::runtime_error(name + ": needs a value");
    const std::string& value = arguments[++i];
    if (name == "--orders") {
      options.orders = chaos::ReadNumber<std::size_t>(name, value);
    } else if (name == "--seed") {
      options.seed = chaos::ReadNumber<std::uint64_t>(name, value);
    } else if (name == "--folder") {
      options.folder = value;
    } else {
      throw std::runtime_error(name + ": there is --orders N, --seed N and --folder PATH");
    }
  }
  if (options.orders == 0) throw std::runtime_error("--orders: must be 1 at least");
  return options;
}

test::StackSettings SettingsFor(const Intervals& intervals) {
  // Operations go by the intervals of their own chaos.
  test::StackSettings settings = chaos::SettingsFor(chaos::IntervalsFor({}));
  settings["operations"]["search_index_lag"] =
      std::to_string(intervals.index_lag.count() + 1) + "s";
  settings["kafka"]["partitions"] = "6";
  settings["kafka"]["session_timeout"] = "3s";
  // All clocks are one, and a hint is not under way for long: a short margin finds more.
  settings["events"] = {{"shortest_read_interval", "1s"},
                        {"longest_read_interval", "20s"},
                        {"heartbeat_interval", "500ms"},
                        {"heartbeat_margin", "1s"}};
  settings["reconcile"] = {{"poll_interval", "200ms"},        {"take_again_after", "5s"},
                           {"max_hints_per_second", "500"},   {"drain_interval", "200ms"},
                           {"sweep_interval", "3s"},          {"sweep_day_interval", "15s"},
                           {"sweep_pages_per_second", "100"}, {"sweep_hints_per_second", "1000"}};
  settings["webhooks"]["max_per_second"] = "100000";
  settings["payment_service"]["breaker_open"] = "1s";
  settings["payment_service"]["retry_budget_percent"] = "50";
  settings["payment_service"]["rate_limit_longest_pause"] = "3s";
  return settings;
}

}  // namespace tollbridge::pipeline
