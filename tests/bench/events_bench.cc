// ./dev bench events: what a webhook costs, from the ingress to its event. docs/performance.md
// explains how to read it.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <filesystem>
#include <functional>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tests/bench/child_process.h"
#include "tests/bench/events_sections.h"
#include "tests/bench/measures.h"

namespace tollbridge::bench {
namespace {

struct Section {
  std::string_view name;
  Measures (*measure)(const EventsBench&);
  /// The server has a processor of its own.
  bool pinned;
};

// In the reader's all parts work at once, as many as there are processors for. It is first, since
// what was once kept to a processor stays there.
constexpr Section kSections[] = {{"reader", MeasureReader, false},
                                 {"ingest", MeasureIngest, true},
                                 {"snapshots", MeasureSnapshots, true},
                                 {"slow", MeasureSlowConnections, true}};

/// Keeps the broker, this thread, and whatever it starts from here on, where the servers are not.
void KeepOffTheServer(const EventsBench& bench) {
  PinProcess(0, bench.other_cpu);
  PinProcess(bench.kafka->pid(), bench.other_cpu);
}

struct Options {
  std::string folder;
  std::vector<std::string> only = {"ingest", "reader", "snapshots", "slow"};
  std::vector<std::string> settings;
  bool is_short = false;
};

EventsBench BenchOf(const Options& options) {
  EventsBench bench{.is_short = options.is_short};
  for (const std::string& setting : options.settings) {
    const std::size_t dot = setting.find('.');
    const std::size_t equals = setting.find('=');
    if (dot == std::string::npos || equals == std::string::npos || dot > equals) {
      throw std::runtime_error("not SECTION.NAME=VALUE: " + setting);
    }
    bench.settings[setting.substr(0, dot)][setting.substr(dot + 1, equals - dot - 1)] =
        setting.substr(equals + 1);
  }
  const std::vector<int> processors = AllowedProcessors();
  if (processors.size() >= 2) {
    bench.server_cpu = processors[0];
    bench.other_cpu = processors[1];
  } else if (!options.is_short) {
    throw std::runtime_error("needs two processors, for the server and for all else");
  }
  return bench;
}

int Main(const Options& options) {
  EventsBench bench = BenchOf(options);
  Measures measures;
  test::KafkaBroker kafka(test::KafkaBroker::Machine::kServer, test::KafkaBroker::kLongSession);
  bench.kafka = &kafka;
  for (const auto& [name, measure, pinned] : kSections) {
    if (std::ranges::find(options.only, name) == options.only.end()) continue;
    if (pinned) KeepOffTheServer(bench);
    const Measures section = measure(bench);
    PrintTable(section);
    std::cout << std::endl;
    measures.insert(measures.end(), section.begin(), section.end());
  }
  std::filesystem::create_directories(options.folder);
  WriteJson(measures, std::filesystem::path(options.folder) / "events.json");
  return options.is_short || std::ranges::all_of(measures, &Measure::holds) ? 0 : 1;
}

}  // namespace
}  // namespace tollbridge::bench

int main(int argc, char** argv) {
  tollbridge::bench::Options options;
  CLI::App app("Measures the way from a webhook to its event.");
  app.add_option("folder", options.folder, "where events.json is written")->required();
  app.add_option("--only", options.only, "sections: ingest, reader, snapshots, slow")
      ->delimiter(',')
      ->check(CLI::IsMember({"ingest", "reader", "snapshots", "slow"}));
  app.add_option("--set", options.settings, "a setting of the gateway, SECTION.NAME=VALUE");
  app.add_flag("--short", options.is_short, "small numbers, no bounds");
  CLI11_PARSE(app, argc, argv);
  try {
    return tollbridge::bench::Main(options);
  } catch (const std::exception& problem) {
    std::cerr << "events_bench: " << problem.what() << "\n";
    return 2;
  }
}
