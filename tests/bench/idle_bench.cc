// ./dev bench idle: what a gateway takes that nobody calls, and how soon it serves.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tests/bench/measures.h"
#include "tests/support/gateway_process.h"
#include "tests/support/process.h"
#include "tests/support/stack.h"

namespace tollbridge::bench {
namespace {

using std::chrono::steady_clock;

constexpr int kStarts = 11;
constexpr std::chrono::seconds kSettles{5};
constexpr std::chrono::seconds kWatched{30};

/// The number behind `name` in a file of /proc/PID/status' form.
std::int64_t Field(const std::filesystem::path& file, std::string_view name) {
  std::ifstream status(file);
  for (std::string word; status >> word;) {
    std::int64_t value = 0;
    if (word == name && status >> value) return value;
  }
  throw std::runtime_error(file.string() + " does not say " + std::string(name));
}

std::filesystem::path ProcOf(pid_t pid) { return "/proc/" + std::to_string(pid); }

/// How often its threads have begun to run again after they had waited for something.
std::int64_t WakeUps(pid_t pid) {
  std::int64_t all = 0;
  for (const auto& thread : std::filesystem::directory_iterator(ProcOf(pid) / "task")) {
    all += Field(thread.path() / "status", "voluntary_ctxt_switches:");
  }
  return all;
}

void WaitFor(std::chrono::seconds time) {
  const auto begin = steady_clock::now();
  test::Eventually([&] { return steady_clock::now() >= begin + time; });
}

int Run(const std::filesystem::path& folder) {
  // Tests look for what is unresolved more often than anybody else.
  test::Stack stack(
      test::StackOptions{.settings = {{"process", {{"log_level", "info"}}},
                                      {"operations", {{"resolver_interval", "1s"}}},
                                      {"webhooks", {{"public_url", "https://gateway.example"}}}}});
  std::vector<double> starts;
  for (int i = 0; i < kStarts; ++i) {
    const auto begin = steady_clock::now();
    const auto one = stack.OneMoreGateway({}, {"rpc"});
    const std::chrono::duration<double, std::milli> took = steady_clock::now() - begin;
    starts.push_back(took.count());
  }
  stack.gateway().Signal(SIGTERM);
  stack.gateway().WaitForExit();
  const auto idle = stack.OneMoreGateway({}, {"rpc"});
  WaitFor(kSettles);
  const pid_t pid = idle->process().pid();
  const std::int64_t before = WakeUps(pid);
  const auto begin = steady_clock::now();
  WaitFor(kWatched);
  const std::chrono::duration<double> watched = steady_clock::now() - begin;
  const auto woken = static_cast<double>(WakeUps(pid) - before);
  const auto resident = static_cast<double>(Field(ProcOf(pid) / "status", "VmRSS:"));
  const Measures measures = {
      {.name = "from its start to serving", .value = Median(starts), .unit = "ms", .at_most = 100},
      {.name = "resident memory", .value = resident / 1024, .unit = "MiB", .at_most = 30},
      {.name = "wake-ups a second", .value = woken / watched.count(), .at_most = 5}};
  PrintTable(measures);
  WriteJson(measures, folder / "idle.json");
  return std::ranges::all_of(measures, &Measure::holds) ? 0 : 1;
}

}  // namespace
}  // namespace tollbridge::bench

int main(int argc, char** argv) {
  try {
    if (argc != 2) throw std::runtime_error("usage: idle_bench FOLDER");
    return tollbridge::bench::Run(argv[1]);
  } catch (const std::exception& error) {
    std::cerr << "idle_bench: " << error.what() << "\n";
    return 1;
  }
}
