#include "tests/bench/rpc_report.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cstdio>
#include <iterator>
#include <tuple>
#include <utility>

namespace tollbridge::bench {
namespace {

namespace json = boost::json;

constexpr const char* kGateway = "gateway";
constexpr const char* kOlder = "older";
constexpr const char* kTls = "tls";
constexpr const char* kShards = "shards";

constexpr const char* kCallsInOrder[] = {kGetOrder, kCreateOrder, kSearchOrders, kExportOrders};
constexpr const char* kServersInOrder[] = {"floor", "wire",  "envoy", kGateway,
                                           kTls,    kShards, kOlder};
/// Those that the gateway is compared with, and those that are compared with it.
constexpr const char* kComparedWith[] = {"floor", "wire", "envoy", kOlder};
constexpr const char* kCompared[] = {kTls, kShards};

/// In the order in which they are shown.
std::vector<std::pair<CellKey, const Cell*>> InOrder(const Cells& cells) {
  const auto rank = [](const auto& names, const std::string& name) {
    return std::ranges::find(names, name) - std::begin(names);
  };
  std::vector<std::pair<CellKey, const Cell*>> all;
  for (const auto& [key, cell] : cells) all.emplace_back(key, &cell);
  std::ranges::sort(all, {}, [&](const auto& entry) {
    return std::tuple(rank(kCallsInOrder, entry.first.call), entry.first.in_flight,
                      rank(kServersInOrder, entry.first.server));
  });
  return all;
}

/// What is compared: `call` at `in_flight`, a server with another.
struct Ratio {
  std::string call;
  int in_flight = 0;
  std::string server;
  std::string of;
  double processor = 0;
  double added_p50_ms = 0;
};

const Cell* Find(const Cells& cells, const CellKey& key) {
  const auto found = cells.find(key);
  return found == cells.end() ? nullptr : &found->second;
}

std::vector<Ratio> RatiosOf(const Cells& cells) {
  std::vector<Ratio> ratios;
  const auto compare = [&](const CellKey& key, const char* server, const char* of) {
    const Cell* const one = Find(cells, {key.call, key.in_flight, server});
    const Cell* const other = Find(cells, {key.call, key.in_flight, of});
    if (one == nullptr || other == nullptr) return;
    ratios.push_back({.call = key.call,
                      .in_flight = key.in_flight,
                      .server = server,
                      .of = of,
                      .processor = one->ProcessorRatioTo(*other),
                      .added_p50_ms = (one->p50_us() - other->p50_us()) / 1000});
  };
  for (const auto& [key, gateway] : InOrder(cells)) {
    if (key.server != kGateway) continue;
    for (const char* other : kComparedWith) compare(key, kGateway, other);
    for (const char* other : kCompared) compare(key, other, kGateway);
  }
  return ratios;
}

struct ProcessorBound {
  const char* call;
  const char* server;
  const char* of;
  double at_most;
};
constexpr int kLoadInFlight = 64;
constexpr ProcessorBound kProcessorBounds[] = {
    {kGetOrder, kGateway, "floor", 1.6},      {kGetOrder, kGateway, "envoy", 0.45},
    {kCreateOrder, kGateway, "floor", 3.0},   {kCreateOrder, kGateway, "envoy", 0.9},
    {kSearchOrders, kGateway, "envoy", 0.35}, {kExportOrders, kGateway, "envoy", 2.5},
    {kGetOrder, kTls, kGateway, 1.15},        {kCreateOrder, kTls, kGateway, 1.15},
    {kGetOrder, kShards, kGateway, 1.1},      {kCreateOrder, kShards, kGateway, 1.1}};

struct LatencyBound {
  const char* call;
  double at_most_ms;
};
/// Above the floor, at 1 in flight.
constexpr LatencyBound kAddedP50[] = {{kGetOrder, 0}, {kCreateOrder, 0.3}};
/// Of any call, in flight or not.
constexpr double kToOlder = 1.05;

json::object ToJson(const CellKey& key, const Cell& cell) {
  return {{"call", key.call},
          {"server", key.server},
          {"in_flight", key.in_flight},
          {"calls", cell.calls()},
          {"cpu_us_per_call", cell.processor_us()},
          {"redis_cpu_us_per_call", cell.redis_us()},
          {"p50_us", cell.p50_us()},
          {"p99_us", cell.p99_us()},
          {"calls_per_second", cell.calls_per_second()},
          {"calls_per_second_per_core", cell.calls_per_second_per_core()}};
}

}  // namespace

void Cell::Add(const RpcLoadResult& round) {
  const auto calls = static_cast<double>(round.calls);
  calls_ += calls;
  processor_us_.push_back(round.processor_time.at(0) / calls);
  redis_us_.push_back(round.processor_time.at(1) / calls);
  p50_us_.push_back(round.Percentile(0.5));
  p99_us_.push_back(round.Percentile(0.99));
  rates_.push_back(calls / round.seconds);
}

double Cell::ProcessorRatioTo(const Cell& other) const {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(processor_us_.size(), other.processor_us_.size()); ++i) {
    ratios.push_back(processor_us_[i] / other.processor_us_[i]);
  }
  return Median(std::move(ratios));
}

double Cell::Median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  return values[values.size() / 2];
}

std::vector<Bound> BoundsOf(const Cells& cells) {
  std::vector<Bound> bounds;
  for (const Ratio& ratio : RatiosOf(cells)) {
    const std::string name = ratio.call + ", processor time, " + ratio.server + " : " + ratio.of +
                             ", at " + std::to_string(ratio.in_flight) + " in flight";
    for (const ProcessorBound& bound : kProcessorBounds) {
      if (ratio.call != bound.call || ratio.server != bound.server || ratio.of != bound.of)
        continue;
      if (ratio.in_flight != kLoadInFlight) continue;
      bounds.push_back({.name = name, .value = ratio.processor, .at_most = bound.at_most});
    }
    if (ratio.of == kOlder) {
      bounds.push_back({.name = name, .value = ratio.processor, .at_most = kToOlder});
    }
    for (const LatencyBound& bound : kAddedP50) {
      if (ratio.call != bound.call || ratio.of != "floor" || ratio.in_flight != 1) continue;
      bounds.push_back({.name = ratio.call + ", added p50 at 1 in flight, ms",
                        .value = ratio.added_p50_ms,
                        .at_most = bound.at_most_ms});
    }
  }
  return bounds;
}

void PrintReport(const Cells& cells, const std::map<std::string, CallSizes>& sizes) {
  for (const char* call : kCallsInOrder) {
    const CallSizes& size = sizes.at(call);
    std::printf("%-13s HTTP request %zu B, body of its answer %zu B, answer to the caller %zu B\n",
                call, size.http_request, size.http_body, size.answer);
  }
  std::printf("\n%-13s %9s %-8s %10s %10s %10s %10s %10s %10s\n", "call", "in flight", "server",
              "CPU us", "p50 us", "p99 us", "calls/s", "/s a core", "Redis us");
  for (const auto& [key, cell] : InOrder(cells)) {
    std::printf("%-13s %9d %-8s %10.1f %10.0f %10.0f %10.0f %10.0f %10.1f\n", key.call.c_str(),
                key.in_flight, key.server.c_str(), cell->processor_us(), cell->p50_us(),
                cell->p99_us(), cell->calls_per_second(), cell->calls_per_second_per_core(),
                cell->redis_us());
  }
  std::printf("\n");
  for (const Ratio& ratio : RatiosOf(cells)) {
    std::printf("%-13s %9d %7s : %-7s CPU %.2f, p50 %+.3f ms\n", ratio.call.c_str(),
                ratio.in_flight, ratio.server.c_str(), ratio.of.c_str(), ratio.processor,
                ratio.added_p50_ms);
  }
}

void PrintBounds(const std::vector<Bound>& bounds) {
  if (!bounds.empty()) std::printf("\n");
  for (const Bound& bound : bounds) {
    std::printf("%-62s %6.2f  at most %g%s\n", bound.name.c_str(), bound.value, bound.at_most,
                bound.holds() ? "" : "  MISSED");
  }
}

std::string ReportJson(const Cells& cells, const std::map<std::string, CallSizes>& sizes,
                       const std::vector<Bound>& bounds) {
  json::object report;
  json::object& calls = report["calls"].emplace_object();
  for (const auto& [call, size] : sizes) {
    json::object& entry = calls[call].emplace_object();
    entry["http_request_bytes"] = size.http_request;
    entry["http_body_bytes"] = size.http_body;
    entry["answer_bytes"] = size.answer;
  }
  json::array& results = report["results"].emplace_array();
  for (const auto& [key, cell] : InOrder(cells)) results.push_back(ToJson(key, *cell));
  json::array& ratios = report["ratios"].emplace_array();
  for (const Ratio& ratio : RatiosOf(cells)) {
    json::object& entry = ratios.emplace_back(json::object_kind).as_object();
    entry["call"] = ratio.call;
    entry["in_flight"] = ratio.in_flight;
    entry["server"] = ratio.server;
    entry["of"] = ratio.of;
    entry["cpu"] = ratio.processor;
    entry["added_p50_ms"] = ratio.added_p50_ms;
  }
  json::array& held = report["bounds"].emplace_array();
  for (const Bound& bound : bounds) {
    json::object& entry = held.emplace_back(json::object_kind).as_object();
    entry["name"] = bound.name;
    entry["value"] = bound.value;
    entry["at_most"] = bound.at_most;
    entry["holds"] = bound.holds();
  }
  return json::serialize(report) + "\n";
}

}  // namespace tollbridge::bench
