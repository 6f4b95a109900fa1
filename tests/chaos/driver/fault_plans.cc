#include "tests/chaos/driver/fault_plans.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cstdint>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/chaos/driver/kinds.h"

namespace tollbridge::chaos {
namespace {

namespace json = boost::json;

/// Whatever a kind of mutation calls, each once.
const json::array& Mutations() {
  static const json::array names = [] {
    std::set<std::string_view> routes;
    for (const MutationKind& kind : Kinds()) routes.insert(kind.routes.begin(), kind.routes.end());
    json::array made;
    for (const std::string_view route : routes) made.emplace_back(route);
    return made;
  }();
  return names;
}

const json::array& Reads() {
  static const json::array names{"get_order", "list_refunds", "search_orders"};
  return names;
}

json::object Rule(const json::array& operations, double probability, json::object fault) {
  json::object on{{"operation", operations}, {"probability", probability}};
  return {{"on", std::move(on)}, {"fault", std::move(fault)}};
}

struct Candidate {
  json::object fault;
  double probability;
};

/// Faults of mutations: with the effect, without it, and with the effect a little later.
std::vector<Candidate> MutationFaults(std::mt19937_64& random, const Intervals& intervals) {
  const auto pick = [&random](std::initializer_list<int> values) {
    return *(values.begin() + random() % values.size());
  };
  const int span = intervals.longest_delay_s - intervals.shortest_delay_s + 1;
  const auto delay =
      intervals.shortest_delay_s + static_cast<int>(random() % static_cast<std::uint64_t>(span));
  return {
      {{{"kind", "drop_after"}}, 0.04},
      {{{"kind", "drop_before"}}, 0.02},
      {{{"kind", "reset"}, {"after_bytes", pick({1, 40, 200})}}, 0.03},
      {{{"kind", "status"}, {"status", pick({500, 502, 503})}}, 0.02},
      {{{"kind", "status_after"}, {"status", pick({500, 502, 503})}}, 0.04},
      {{{"kind", "status"}, {"status", pick({401, 403})}}, 0.02},
      {{{"kind", "garble"}}, 0.03},
      {{{"kind", "truncate"}, {"after_bytes", pick({0, 30, 300})}}, 0.03},
      {{{"kind", "too_many_requests"}, {"retry_after_seconds", 1}}, 0.01},
      {{{"kind", "html"}}, 0.02},
      {{{"kind", "latency"}, {"milliseconds", pick({100, 400})}}, 0.1},
      {{{"kind", "latency"}, {"milliseconds", 2'000}}, 0.02},
      {{{"kind", "delayed_execution"}, {"seconds", delay}}, 0.03},
  };
}

std::vector<Candidate> ReadFaults() {
  return {
      {{{"kind", "latency"}, {"milliseconds", 300}}, 0.1},
      {{{"kind", "latency"}, {"milliseconds", 2'000}}, 0.03},
      {{{"kind", "status"}, {"status", 503}}, 0.1},
      {{{"kind", "drop_before"}}, 0.1},
      {{{"kind", "garble"}}, 0.1},
      {{{"kind", "read_lag"}, {"seconds", 1}}, 0.3},
  };
}

}  // namespace

std::string DrawFaultPlan(std::mt19937_64& random, const Intervals& intervals, bool reads_fail) {
  json::array rules;
  if (reads_fail) rules.push_back(Rule(Reads(), 0.8, {{"kind", "status"}, {"status", 503}}));
  for (Candidate& candidate : MutationFaults(random, intervals)) {
    if (random() % 100 >= 35) continue;
    rules.push_back(Rule(Mutations(), candidate.probability, std::move(candidate.fault)));
  }
  for (Candidate& candidate : ReadFaults()) {
    if (random() % 100 >= 25) continue;
    rules.push_back(Rule(Reads(), candidate.probability, std::move(candidate.fault)));
  }
  return json::serialize(
      json::object{{"seed", static_cast<std::int64_t>(random() % 1'000'000)}, {"rules", rules}});
}

std::string LateFaultPlan(const Intervals& intervals) {
  json::array rules;
  for (int seconds = intervals.shortest_delay_s; seconds <= intervals.longest_delay_s; ++seconds) {
    rules.push_back(Rule(Mutations(), 0.04, {{"kind", "delayed_execution"}, {"seconds", seconds}}));
  }
  return json::serialize(json::object{{"rules", rules}});
}

}  // namespace tollbridge::chaos
