#include "tests/chaos/events_driver/faults.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <string_view>
#include <utility>

namespace tollbridge::pipeline {
namespace {

namespace json = boost::json;

/// Longer than any read is waited for.
constexpr int kHangsMs = 30'000;

json::object Rule(std::string_view operation, double probability, json::object fault) {
  json::object on{{"operation", operation}, {"probability", probability}};
  return {{"on", std::move(on)}, {"fault", std::move(fault)}};
}

json::object RuleOf(const std::string& order, double probability, json::object fault) {
  json::object on{{"operation", "get_order"}, {"order", order}, {"probability", probability}};
  return {{"on", std::move(on)}, {"fault", std::move(fault)}};
}

/// A probability is of the webhooks that no rule before has taken.
void AddWebhooks(Webhooks webhooks, json::array* rules) {
  const auto add = [rules](double probability, json::object fault) {
    rules->push_back(Rule("webhook", probability, std::move(fault)));
  };
  switch (webhooks) {
    case Webhooks::kOnce:
      return;
    case Webhooks::kRepeated:
      add(0.3, {{"kind", "reorder"}});
      add(1.0, {{"kind", "duplicate"}, {"times", 19}});
      return;
    case Webhooks::kHalf:
      add(0.5, {{"kind", "lose"}});
      return;
    case Webhooks::kNone:
      add(1.0, {{"kind", "lose"}});
      return;
    case Webhooks::kMixed:
      add(0.25, {{"kind", "lose"}});
      add(0.15, {{"kind", "duplicate"}, {"times", 3}});
      add(0.05, {{"kind", "duplicate"}, {"times", 19}});
      add(0.15, {{"kind", "reorder"}});
      add(0.10, {{"kind", "delay"}, {"seconds", 1}});
      add(0.10, {{"kind", "delay"}, {"seconds", 4}});
      return;
  }
}

void AddReads(const Intervals& intervals, json::array* rules) {
  const auto add = [rules](double probability, json::object fault) {
    rules->push_back(Rule("get_order", probability, std::move(fault)));
  };
  add(0.10, {{"kind", "latency"}, {"milliseconds", 300}});
  add(0.01, {{"kind", "latency"}, {"milliseconds", 2'000}});
  add(0.10, {{"kind", "read_lag"}, {"seconds", intervals.read_lag.count()}});
  add(0.03, {{"kind", "status"}, {"status", 503}});
  add(0.02, {{"kind", "drop_before"}});
  add(0.001, {{"kind", "too_many_requests"}, {"retry_after_seconds", 1}});
  rules->push_back(Rule("search_orders", 0.1, {{"kind", "status"}, {"status", 503}}));
}

}  // namespace

std::string FaultPlan(const Options& options, const Intervals& intervals, std::int64_t seed,
                      const FaultedOrders& orders) {
  json::array rules;
  if (!orders.hangs.empty()) {
    rules.push_back(RuleOf(orders.hangs, 1.0, {{"kind", "latency"}, {"milliseconds", kHangsMs}}));
  }
  for (const std::string& order : orders.garbled) {
    rules.push_back(RuleOf(order, 0.5, {{"kind", "garble"}}));
  }
  AddWebhooks(options.webhooks, &rules);
  if (options.disturbed) AddReads(intervals, &rules);
  return json::serialize(json::object{{"seed", seed}, {"rules", std::move(rules)}});
}

}  // namespace tollbridge::pipeline
