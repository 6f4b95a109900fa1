#include "tests/chaos/auditor/history_file.h"

namespace tollbridge::chaos {

namespace json = boost::json;

template <typename Each>
void Visit(auto& line, const Each& each)
  requires requires { line.gateway; }
{
  each("at", line.at);
  each("began", line.began);
  each("key", line.key);
  each("project", line.project);
  each("operation", line.operation);
  each("rpc", line.rpc);
  each("order", line.order);
  each("transaction", line.transaction);
  each("amount", line.amount);
  each("currency", line.currency);
  each("wrong", line.wrong);
  each("gateway", line.gateway);
  each("code", line.code);
  each("reason", line.reason);
  each("retry", line.retry);
  each("holder", line.holder);
  each("pending", line.pending);
  each("result", line.result);
  each("knowledge", line.knowledge);
  each("digest", line.digest);
  each("told_amount", line.told_amount);
  each("told_currency", line.told_currency);
}

template <typename Each>
void Visit(auto& line, const Each& each)
  requires requires { line.cause; }
{
  each("at", line.at);
  each("project", line.project);
  each("effect", line.effect);
  each("order", line.order);
  each("transaction", line.transaction);
  each("result", line.result);
  each("cause", line.cause);
  each("reference", line.reference);
  each("amount", line.amount);
  each("currency", line.currency);
}

template <typename Each>
void Visit(auto& line, const Each& each)
  requires requires { line.mark; }
{
  each("id", line.id);
  each("project", line.project);
  each("created", line.created);
  each("status", line.status);
  each("description", line.description);
  each("mark", line.mark);
  each("transaction", line.transaction);
  each("transaction_status", line.transaction_status);
  each("amount", line.amount);
  each("currency", line.currency);
}

template <typename Each>
void Visit(auto& line, const Each& each)
  requires requires { line.orphan; }
{
  each("operation", line.operation);
  each("rpc", line.rpc);
  each("number", line.number);
  each("attempt", line.attempt);
  each("from", line.from);
  each("to", line.to);
  each("at", line.at);
  each("evidence", line.evidence);
  each("order", line.order);
  each("review_reason", line.review_reason);
  each("review_of", line.review_of);
  each("orphan", line.orphan);
  each("came", line.came);
  each("digest", line.digest);
}

template <typename Each>
void Visit(auto& line, const Each& each)
  requires requires { line.sequence; }
{
  each("order", line.order);
  each("type", line.type);
  each("stream", line.stream);
  each("sequence", line.sequence);
  each("digest", line.digest);
}

template <typename Each>
void Visit(auto& line, const Each& each)
  requires requires { line.state; }
{
  each("operation", line.operation);
  each("rpc", line.rpc);
  each("state", line.state);
  each("review_reason", line.review_reason);
  each("review_of", line.review_of);
  each("order", line.order);
  each("evidence", line.evidence);
}

template <typename Each>
void Visit(auto& line, const Each& each)
  requires requires { line.what; }
{
  each("at", line.at);
  each("what", line.what);
}

json::object ToJson(const Told& line) { return Written(line); }
json::object ToJson(const Effect& line) { return Written(line); }
json::object ToJson(const KnownOrder& line) { return Written(line); }
json::object ToJson(const OperationLine& line) { return Written(line); }
json::object ToJson(const EventLine& line) { return Written(line); }
json::object ToJson(const OpenLine& line) { return Written(line); }
json::object ToJson(const Disturbance& line) { return Written(line); }

History ReadHistory(const std::string& folder) {
  History history;
  ReadPart(folder, file::kTold, true, &history.told);
  ReadPart(folder, file::kLedger, true, &history.ledger);
  ReadPart(folder, file::kOrders, true, &history.orders);
  ReadPart(folder, file::kOperations, true, &history.operations);
  ReadPart(folder, file::kEvents, true, &history.events);
  ReadPart(folder, file::kOpen, false, &history.open);
  ReadPart(folder, file::kDisturbances, false, &history.disturbances);
  return history;
}

}  // namespace tollbridge::chaos
