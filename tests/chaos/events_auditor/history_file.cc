#include "tests/chaos/events_auditor/history_file.h"

#include <utility>
#include <vector>

namespace tollbridge::pipeline {
namespace {

namespace json = boost::json;

template <typename Each>
void Visit(auto& line, const Each& each)
  requires requires { line.relation; }
{
  each("order", line.order);
  each("project", line.project);
  each("merchant_order_id", line.merchant_order_id);
  each("created", line.created);
  each("relation", line.relation);
  each("origin", line.origin);
  each("transaction_type", line.transaction_type);
  each("marked", line.marked);
}

template <typename Each>
void Visit(auto& line, const Each& each)
  requires requires { line.transaction; }
{
  each("order", line.order);
  each("transaction", line.transaction);
  each("status", line.status);
  each("at", line.at);
}

template <typename Each>
void Visit(auto& line, const Each& each)
  requires requires { line.gateway; }
{
  each("order", line.order);
  each("what", line.what);
  each("gateway", line.gateway);
  each("known", line.known);
}

template <typename Each>
void Visit(auto& line, const Each& each)
  requires requires {
    line.at;
    line.project;
  }
{
  each("order", line.order);
  each("project", line.project);
  each("at", line.at);
  each("status", line.status);
}

template <typename Each>
void Visit(auto& line, const Each& each)
  requires requires { line.source; }
{
  each("order", line.order);
  each("member", line.member);
  each("project", line.project);
  each("source", line.source);
  each("noticed_at", line.noticed_at);
}

template <typename Each>
void Visit(auto& line, const Each& each)
  requires requires { line.sequence; }
{
  each("partition", line.partition);
  each("key", line.key);
  each("id", line.id);
  each("root", line.root);
  each("order", line.order);
  each("kind", line.kind);
  each("what", line.what);
  each("stream", line.stream);
  each("sequence", line.sequence);
  each("occurrence", line.occurrence);
  each("occurred_at", line.occurred_at);
  each("noticed_at", line.noticed_at);
  each("status", line.status);
  each("decided_by", line.decided_by);
  each("published_what", line.published_what);
  each("observed_what", line.observed_what);
  each("digest", line.digest);
}

template <typename Each>
void Visit(auto& line, const Each& each)
  requires requires { line.disturbance; }
{
  each("at", line.at);
  each("disturbance", line.disturbance);
}

template <typename Line>
json::object Written(const Line& line) {
  json::object out;
  Visit(line, chaos::Put{&out});
  return out;
}

template <typename Line>
void ReadPart(const std::string& folder, std::string_view name, std::vector<Line>* out) {
  chaos::ReadLines(folder, name, true, [out](const json::object& object) {
    Line line;
    Visit(line, chaos::Take{&object});
    out->push_back(std::move(line));
  });
}

}  // namespace

json::object ToJson(const OrderLine& line) { return Written(line); }
json::object ToJson(const StatusLine& line) { return Written(line); }
json::object ToJson(const CallLine& line) { return Written(line); }
json::object ToJson(const DeliveryLine& line) { return Written(line); }
json::object ToJson(const HintLine& line) { return Written(line); }
json::object ToJson(const EventLine& line) { return Written(line); }
json::object ToJson(const DisturbanceLine& line) { return Written(line); }

void WriteHistory(const std::string& folder, const History& history) {
  chaos::WriteAll(folder, file::kOrders, history.orders);
  chaos::WriteAll(folder, file::kStatuses, history.statuses);
  chaos::WriteAll(folder, file::kCalls, history.calls);
  chaos::WriteAll(folder, file::kDeliveries, history.deliveries);
  chaos::WriteAll(folder, file::kHints, history.hints);
  chaos::WriteAll(folder, file::kEvents, history.events);
  chaos::WriteAll(folder, file::kDisturbances, history.disturbances);
}

History ReadHistory(const std::string& folder) {
  History history;
  ReadPart(folder, file::kOrders, &history.orders);
  ReadPart(folder, file::kStatuses, &history.statuses);
  ReadPart(folder, file::kCalls, &history.calls);
  ReadPart(folder, file::kDeliveries, &history.deliveries);
  ReadPart(folder, file::kHints, &history.hints);
  ReadPart(folder, file::kEvents, &history.events);
  ReadPart(folder, file::kDisturbances, &history.disturbances);
  return history;
}

}  // namespace tollbridge::pipeline
