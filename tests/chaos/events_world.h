#ifndef TOLLBRIDGE_TESTS_CHAOS_EVENTS_WORLD_H_
#define TOLLBRIDGE_TESTS_CHAOS_EVENTS_WORLD_H_

#include <cstdint>
#include <string>

#include "tests/chaos/events_auditor/history.h"

namespace tollbridge::pipeline {

/// A small history in which all is right, to plant contradictions in: a shirt (hosted page, paid,
/// refunded), a hotel (authorized through the gateway, captured), a watch (own checkout through the
/// gateway, its order still held as processing), a prize (payout) and a basket that nobody paid.
/// Names are ids.
class EventsWorld {
 public:
  EventsWorld();

  History history;

  /// The first event about the order that says `what`.
  EventLine& EventOf(const std::string& order, const std::string& what);
  void EraseEvents(const std::string& order, const std::string& what);
  /// The order takes a status now.
  void Change(const std::string& order, const std::string& status);
  /// Publishes next in the family's stream.
  EventLine& Publish(const std::string& root, const std::string& order, const std::string& kind,
                     const std::string& what);
  /// A heartbeat for all that was published so far.
  HeartbeatLine& Beat(int partition);
  /// A webhook, answered 200, and its hint.
  void Webhook(const std::string& order);
  OrderLine& AddOrder(const std::string& order, const std::string& relation = "",
                      const std::string& origin = "");
  void ChangeTransaction(const std::string& order, const std::string& status);
  /// What a consumer, "Python" or "Go", has booked: of its only currency, and of an order.
  BookNoteLine& BalanceOf(const std::string& book);
  BookingLine& BookingOf(const std::string& book, const std::string& order);

 private:
  std::int64_t NextOffset(int partition) const;
  /// What completes an order for the first time moves its money, and consumers book it.
  void MoveMoney(const std::string& order);

  TimeMs now_ = 1'000'000;
};

}  // namespace tollbridge::pipeline

#endif  // TOLLBRIDGE_TESTS_CHAOS_EVENTS_WORLD_H_
