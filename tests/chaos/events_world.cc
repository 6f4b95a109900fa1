#include "tests/chaos/events_world.h"

#include <algorithm>
#include <cstdint>
#include <stdexcept>

namespace tollbridge::pipeline {
namespace {

constexpr TimeMs kStep = 10;

}  // namespace

EventsWorld::EventsWorld() {
  AddOrder("shirt");
  Publish("shirt", "shirt", "payment", "created");
  Change("shirt", "processing");
  ChangeTransaction("shirt", "completed");
  Change("shirt", "completed");
  Webhook("shirt");
  Publish("shirt", "shirt", "payment", "completed");
  AddOrder("shirt-refund", "refund", "shirt");
  Change("shirt-refund", "completed");
  Webhook("shirt-refund");
  Publish("shirt", "shirt-refund", "refund", "completed");

  AddOrder("hotel");
  history.calls.push_back({.order = "hotel", .what = "capture_mode", .gateway = 1, .known = 1});
  ChangeTransaction("hotel", "completed");
  Change("hotel", "completed");
  Publish("hotel", "hotel", "authorization", "created");
  Publish("hotel", "hotel", "authorization", "completed");
  AddOrder("hotel-capture", "capture", "hotel");
  Change("hotel-capture", "completed");
  Publish("hotel", "hotel-capture", "capture", "completed");

  AddOrder("watch");
  history.calls.push_back({.order = "watch", .what = "own_checkout", .gateway = 1, .known = 1});
  Change("watch", "processing");
  ChangeTransaction("watch", "completed");
  Publish("watch", "watch", "payment", "created");
  Publish("watch", "watch", "payment", "completed").decided_by = "TRANSACTION";

  AddOrder("prize").transaction_type = "oct";
  Change("prize", "completed");
  Publish("prize", "prize", "payout", "created");
  Publish("prize", "prize", "payout", "completed");

  AddOrder("basket");
  Publish("basket", "basket", "payment", "created");
  Beat(0);
  Beat(1);
}

OrderLine& EventsWorld::AddOrder(const std::string& order, const std::string& relation,
                                 const std::string& origin) {
  now_ += kStep;
  OrderLine line{.order = order, .project = "demo", .merchant_order_id = "reference of " + order};
  line.created = now_;
  line.relation = relation;
  line.origin = origin;
  line.amount = 1'250;
  line.currency = "EUR";
  line.test = 1;
  line.bytes = 900;
  history.orders.push_back(line);
  history.statuses.push_back({.order = order, .status = "new", .at = now_});
  return history.orders.back();
}

void EventsWorld::Change(const std::string& order, const std::string& status) {
  now_ += kStep;
  history.statuses.push_back({.order = order, .status = status, .at = now_});
  if (status == "completed") MoveMoney(order);
}

void EventsWorld::ChangeTransaction(const std::string& order, const std::string& status) {
  now_ += kStep;
  history.statuses.push_back(
      {.order = order, .transaction = "transaction of " + order, .status = status, .at = now_});
  if (status == "completed") MoveMoney(order);
}

void EventsWorld::MoveMoney(const std::string& order) {
  const bool moved = std::ranges::any_of(
      history.money, [&](const MoneyLine& money) { return money.order == order; });
  if (moved) return;
  const OrderLine& line = *std::ranges::find(history.orders, order, &OrderLine::order);
  const bool captured_later = std::ranges::any_of(history.calls, [&](const CallLine& call) {
    return call.order == order && call.what == "capture_mode";
  });
  std::string effect = line.relation;
  if (effect.empty()) effect = line.transaction_type == "oct" ? "payout" : "charge";
  if (captured_later) effect = "authorize";
  history.money.push_back({.at = now_,
                           .effect = effect,
                           .order = order,
                           .amount = line.amount,
                           .currency = line.currency});
  std::int64_t booked = effect == "charge" || effect == "capture" ? line.amount : -line.amount;
  if (captured_later) booked = 0;
  for (const char* book : {"Python", "Go"}) {
    history.bookings.push_back(
        {.book = book, .order = order, .outcome = "completed", .booked = booked});
    BalanceOf(book).amount += booked;
  }
}

BookNoteLine& EventsWorld::BalanceOf(const std::string& book) {
  const auto found = std::ranges::find(history.book_notes, book, &BookNoteLine::book);
  if (found != history.book_notes.end()) return *found;
  history.book_notes.push_back({.book = book, .note = "balance", .subject = "EUR"});
  return history.book_notes.back();
}

BookingLine& EventsWorld::BookingOf(const std::string& book, const std::string& order) {
  const auto found = std::ranges::find_if(history.bookings, [&](const BookingLine& line) {
    return line.book == book && line.order == order;
  });
  if (found == history.bookings.end()) throw std::runtime_error(order + " is not booked");
  return *found;
}

EventLine& EventsWorld::Publish(const std::string& root, const std::string& order,
                                const std::string& kind, const std::string& what) {
  const auto number = 1 + std::ranges::count(history.events, root, &EventLine::root);
  std::string status;
  for (const StatusLine& line : history.statuses) {
    if (line.order == order && line.transaction.empty()) status = line.status;
  }
  TimeMs occurred = now_;
  if (what == "created")
    occurred = std::ranges::find(history.orders, order, &OrderLine::order)->created;
  now_ += kStep;
  EventLine event;
  event.partition = static_cast<int>(root.size() % 2);
  event.offset = NextOffset(event.partition);
  event.key = root;
  event.id = "id of " + order + " " + kind + " " + what;
  event.root = root;
  event.order = order;
  event.kind = kind;
  event.what = what;
  event.stream = "stream of " + root;
  event.sequence = number;
  event.occurrence = 1;
  event.occurred_at = occurred;
  event.noticed_at = now_;
  event.status = status;
  event.decided_by = "ORDER";
  event.digest = event.id + " bytes";
  event.published_at = now_;
  event.is_outcome = what == "created" || what == "processing" ? 0 : 1;
  event.outcome_header = event.is_outcome != 0 ? "true" : "false";
  event.test = 1;
  event.test_header = "true";
  event.has_order = 1;
  const auto line = std::ranges::find(history.orders, order, &OrderLine::order);
  if (line != history.orders.end()) {
    event.amount = line->amount;
    event.shown_amount = line->amount;
    event.currency = line->currency;
    event.merchant_order_id = line->merchant_order_id;
    event.parent = line->origin;
  }
  history.events.push_back(event);
  return history.events.back();
}

HeartbeatLine& EventsWorld::Beat(int partition) {
  history.heartbeats.push_back(
      {.partition = partition, .offset = NextOffset(partition), .published_before = now_ + 1});
  return history.heartbeats.back();
}

std::int64_t EventsWorld::NextOffset(int partition) const {
  return std::ranges::count(history.events, partition, &EventLine::partition) +
         std::ranges::count(history.heartbeats, partition, &HeartbeatLine::partition);
}

void EventsWorld::Webhook(const std::string& order) {
  now_ += kStep;
  history.deliveries.push_back({.order = order, .project = "demo", .at = now_, .status = 200});
  history.hints.push_back(
      {.order = order, .project = "demo", .source = "WEBHOOK", .noticed_at = now_ + 1});
}

EventLine& EventsWorld::EventOf(const std::string& order, const std::string& what) {
  const auto found = std::ranges::find_if(history.events, [&](const EventLine& event) {
    return event.order == order && event.what == what;
  });
  if (found == history.events.end()) throw std::runtime_error(order + " has no " + what);
  return *found;
}

void EventsWorld::EraseEvents(const std::string& order, const std::string& what) {
  std::erase_if(history.events, [&](const EventLine& event) {
    return event.order == order && (what.empty() || event.what == what);
  });
}

}  // namespace tollbridge::pipeline
