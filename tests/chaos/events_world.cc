#include "tests/chaos/events_world.h"

#include <algorithm>
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
  history.orders.push_back(
      {.order = order, .project = "demo", .created = now_, .relation = relation, .origin = origin});
  history.statuses.push_back({.order = order, .status = "new", .at = now_});
  return history.orders.back();
}

void EventsWorld::Change(const std::string& order, const std::string& status) {
  now_ += kStep;
  history.statuses.push_back({.order = order, .status = status, .at = now_});
}

void EventsWorld::ChangeTransaction(const std::string& order, const std::string& status) {
  now_ += kStep;
  history.statuses.push_back(
      {.order = order, .transaction = "transaction of " + order, .status = status, .at = now_});
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
