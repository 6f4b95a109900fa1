// ./dev bench rpc: what a call costs in the gateway, beside two floors (rpc_floor_main.cc,
// wire_floor_main.cc), Envoy's reverse transcoder and other gateways, on one upstream.
// docs/performance.md explains how to read it.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/bench/child_process.h"
#include "tests/bench/rpc_load.h"
#include "tests/bench/rpc_report.h"
#include "tests/bench/rpc_servers.h"

namespace tollbridge::bench {
namespace {

constexpr int kInFlight[] = {1, 64};
constexpr int kRounds = 5;
constexpr double kSeconds = 0.6;
constexpr double kShortSeconds = 0.1;
const std::vector<std::string> kServers = {"floor", "wire",   "envoy", "gateway",
                                           "tls",   "shards", "older"};

struct Options {
  std::string folder;
  std::string envoy;
  std::string older;
  std::vector<std::string> only = kServers;
  int shards = 1;
  std::vector<std::string> calls = {kGetOrder, kCreateOrder, kSearchOrders, kExportOrders};
  std::vector<std::string> settings;
  int rounds = kRounds;
  double seconds = 0;
  bool is_short = false;
};

ServerOptions ServersOf(const Options& options) {
  ServerOptions servers;
  const auto wanted = [&](std::string_view server) {
    return std::ranges::find(options.only, server) != options.only.end();
  };
  if (wanted("envoy") && !options.envoy.empty()) servers.envoy = options.envoy;
  if (wanted("older") && !options.older.empty()) servers.older = options.older;
  if (wanted("shards")) servers.shards = options.shards;
  servers.tls = wanted("tls");
  for (const std::string& setting : options.settings) {
    const std::size_t dot = setting.find('.');
    const std::size_t equals = setting.find('=');
    if (dot == std::string::npos || equals == std::string::npos || dot > equals) {
      throw std::runtime_error("not SECTION.NAME=VALUE: " + setting);
    }
    servers.settings[setting.substr(0, dot)][setting.substr(dot + 1, equals - dot - 1)] =
        setting.substr(equals + 1);
  }
  const std::vector<int> processors = AllowedProcessors();
  if (processors.size() >= 2) {
    servers.server_cpu = processors[0];
    servers.other_cpu = processors[1];
  } else if (!options.is_short) {
    throw std::runtime_error("needs two processors, for the server and for all else");
  }
  return servers;
}

/// A server with the connection to it.
struct Measured {
  const RpcServer* server = nullptr;
  std::unique_ptr<RpcClient> client;
};

std::chrono::milliseconds Milliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<int>(seconds * 1000));
}

/// The rounds: each asks every server in turn for the same, so that what the machine does besides
/// meets all of them; every second round in the opposite order, so that none always comes first.
Cells Measure(std::vector<Measured> measured, const Options& options) {
  const bool once = options.is_short || options.seconds > 0;
  const double seconds = options.seconds > 0 ? options.seconds
                         : options.is_short  ? kShortSeconds
                                             : kSeconds;
  Cells cells;
  for (int round = 0; round < (once ? 1 : options.rounds); ++round) {
    for (const std::string& call : options.calls) {
      for (const int in_flight : kInFlight) {
        for (const Measured& one : measured) {
          const RpcLoadResult result =
              one.client->Run({.target = &one.server->targets.at(call),
                               .in_flight = in_flight,
                               .warm_up = Milliseconds(std::min(seconds / 5, 0.2)),
                               .duration = Milliseconds(seconds),
                               .processes = {one.server->pid, one.server->redis}});
          cells[{call, in_flight, one.server->name}].Add(result);
        }
      }
    }
    std::ranges::reverse(measured);
  }
  return cells;
}

int Main(const Options& options) {
  const ServerOptions server_options = ServersOf(options);
  // Whatever is started from here on, and all threads, are kept where the servers are not.
  PinProcess(0, server_options.other_cpu);
  const RpcServers servers(server_options);
  std::vector<Measured> measured;
  for (const RpcServer& server : servers.all()) {
    if (std::ranges::find(options.only, server.name) == options.only.end()) continue;
    std::cout << server.name << ": process " << server.pid << std::endl;
    measured.push_back({&server, std::make_unique<RpcClient>(server.address)});
  }
  const Cells cells = Measure(std::move(measured), options);
  const std::vector<Bound> bounds = options.is_short ? std::vector<Bound>() : BoundsOf(cells);
  PrintReport(cells, servers.sizes());
  PrintBounds(bounds);
  std::filesystem::create_directories(options.folder);
  std::ofstream(std::filesystem::path(options.folder) / "rpc.json")
      << ReportJson(cells, servers.sizes(), bounds);
  return std::ranges::all_of(bounds, &Bound::holds) ? 0 : 1;
}

}  // namespace
}  // namespace tollbridge::bench

int main(int argc, char** argv) {
  tollbridge::bench::Options options;
  CLI::App app("Measures the RPCs of the gateway beside two floors, Envoy and other gateways.");
  app.add_option("folder", options.folder, "where rpc.json is written")->required();
  app.add_option("--envoy", options.envoy, "Envoy's program; without it Envoy is left out");
  app.add_option("--beside", options.older,
                 "an older tollbridge, which no call may be over 5 % dearer than")
      ->check(CLI::ExistingFile);
  app.add_option("--shards", options.shards,
                 "one more gateway, with so many shards and connections")
      ->check(CLI::Range(1, 16));
  app.add_option("--only", options.only, "servers: floor, wire, envoy, gateway, tls, shards, older")
      ->delimiter(',')
      ->check(CLI::IsMember(tollbridge::bench::kServers));
  app.add_option("--call", options.calls,
                 "calls: GetOrder, CreateOrder, SearchOrders, ExportOrders")
      ->delimiter(',')
      ->check(CLI::IsMember({"GetOrder", "CreateOrder", "SearchOrders", "ExportOrders"}));
  CLI::Option* rounds = app.add_option("--rounds", options.rounds, "how often all is measured")
                            ->check(CLI::Range(1, 1000))
                            ->capture_default_str();
  app.add_option("--seconds", options.seconds, "one round, in which each measurement takes this")
      ->excludes(rounds);
  app.add_option("--set", options.settings, "a setting of the gateway, SECTION.NAME=VALUE");
  app.add_flag("--short", options.is_short, "one round of a tenth of a second each, no bounds")
      ->excludes(rounds);
  CLI11_PARSE(app, argc, argv);
  try {
    return tollbridge::bench::Main(options);
  } catch (const std::exception& problem) {
    std::cerr << "rpc_bench: " << problem.what() << "\n";
    return 2;
  }
}
