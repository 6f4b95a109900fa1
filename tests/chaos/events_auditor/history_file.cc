#include "tests/chaos/events_auditor/history_file.h"

namespace tollbridge::pipeline {

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
  each("amount", line.amount);
  each("currency", line.currency);
  each("test", line.test);
  each("bytes", line.bytes);
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
  each("offset", line.offset);
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
  each("published_at", line.published_at);
  each("amount", line.amount);
  each("currency", line.currency);
  each("merchant_order_id", line.merchant_order_id);
  each("parent", line.parent);
  each("is_outcome", line.is_outcome);
  each("test", line.test);
  each("outcome_header", line.outcome_header);
  each("test_header", line.test_header);
  each("order_omitted", line.order_omitted);
  each("has_order", line.has_order);
  each("shown_amount", line.shown_amount);
}

template <typename Each>
void Visit(auto& line, const Each& each)
  requires requires { line.published_before; }
{
  each("partition", line.partition);
  each("offset", line.offset);
  each("published_before", line.published_before);
}

template <typename Each>
void Visit(auto& line, const Each& each)
  requires requires { line.disturbance; }
{
  each("at", line.at);
  each("disturbance", line.disturbance);
  each("until", line.until);
  each("stops", line.stops);
  each("order", line.order);
}

template <typename Each>
void Visit(auto& line, const Each& each)
  requires requires { line.effect; }
{
  each("at", line.at);
  each("effect", line.effect);
  each("order", line.order);
  each("amount", line.amount);
  each("currency", line.currency);
}

template <typename Each>
void Visit(auto& line, const Each& each)
  requires requires { line.reads; }
{
  each("order", line.order);
  each("reads", line.reads);
}

template <typename Each>
void Visit(auto& line, const Each& each)
  requires requires { line.booked; }
{
  each("book", line.book);
  each("order", line.order);
  each("outcome", line.outcome);
  each("booked", line.booked);
  each("review", line.review);
}

template <typename Each>
void Visit(auto& line, const Each& each)
  requires requires { line.note; }
{
  each("book", line.book);
  each("note", line.note);
  each("subject", line.subject);
  each("amount", line.amount);
}

json::object ToJson(const OrderLine& line) { return chaos::Written(line); }
json::object ToJson(const StatusLine& line) { return chaos::Written(line); }
json::object ToJson(const CallLine& line) { return chaos::Written(line); }
json::object ToJson(const DeliveryLine& line) { return chaos::Written(line); }
json::object ToJson(const HintLine& line) { return chaos::Written(line); }
json::object ToJson(const EventLine& line) { return chaos::Written(line); }
json::object ToJson(const HeartbeatLine& line) { return chaos::Written(line); }
json::object ToJson(const DisturbanceLine& line) { return chaos::Written(line); }
json::object ToJson(const MoneyLine& line) { return chaos::Written(line); }
json::object ToJson(const ReadsLine& line) { return chaos::Written(line); }
json::object ToJson(const BookingLine& line) { return chaos::Written(line); }
json::object ToJson(const BookNoteLine& line) { return chaos::Written(line); }

void WriteHistory(const std::string& folder, const History& history) {
  chaos::WriteAll(folder, file::kOrders, history.orders);
  chaos::WriteAll(folder, file::kStatuses, history.statuses);
  chaos::WriteAll(folder, file::kCalls, history.calls);
  chaos::WriteAll(folder, file::kDeliveries, history.deliveries);
  chaos::WriteAll(folder, file::kHints, history.hints);
  chaos::WriteAll(folder, file::kEvents, history.events);
  chaos::WriteAll(folder, file::kHeartbeats, history.heartbeats);
  chaos::WriteAll(folder, file::kDisturbances, history.disturbances);
  chaos::WriteAll(folder, file::kMoney, history.money);
  chaos::WriteAll(folder, file::kReads, history.reads);
  chaos::WriteAll(folder, file::kBookings, history.bookings);
  chaos::WriteAll(folder, file::kBookNotes, history.book_notes);
}

History ReadHistory(const std::string& folder) {
  History history;
  chaos::ReadPart(folder, file::kOrders, true, &history.orders);
  chaos::ReadPart(folder, file::kStatuses, true, &history.statuses);
  chaos::ReadPart(folder, file::kCalls, true, &history.calls);
  chaos::ReadPart(folder, file::kDeliveries, true, &history.deliveries);
  chaos::ReadPart(folder, file::kHints, true, &history.hints);
  chaos::ReadPart(folder, file::kEvents, true, &history.events);
  chaos::ReadPart(folder, file::kHeartbeats, true, &history.heartbeats);
  chaos::ReadPart(folder, file::kDisturbances, true, &history.disturbances);
  chaos::ReadPart(folder, file::kMoney, true, &history.money);
  chaos::ReadPart(folder, file::kReads, true, &history.reads);
  // Not every run has consumers behind it.
  chaos::ReadPart(folder, file::kBookings, false, &history.bookings);
  chaos::ReadPart(folder, file::kBookNotes, false, &history.book_notes);
  return history;
}

}  // namespace tollbridge::pipeline
