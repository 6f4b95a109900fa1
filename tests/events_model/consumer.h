#ifndef TOLLBRIDGE_TESTS_EVENTS_MODEL_CONSUMER_H_
#define TOLLBRIDGE_TESTS_EVENTS_MODEL_CONSUMER_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "tollbridge/events/v1/events.pb.h"

namespace tollbridge::events_model {

/// A ledger that does what docs/guides/consumers.md says, and nothing else.
class Consumer {
 public:
  struct Order {
    std::string root;
    std::optional<events::v1::EventWhat> outcome;
    std::optional<events::v1::EventKind> kind;
    std::int64_t booked = 0;
    bool review = false;
  };

  /// What the topic gives it, in order. It may come again.
  void Take(const events::v1::PaymentEvent& event);

  /// nullptr when it has heard of none.
  const Order* Find(const std::string& order_id) const;
  std::size_t alarms() const { return alarms_; }
  std::size_t gaps() const { return gaps_; }

 private:
  using Stream = std::pair<std::string, std::string>;

  /// False for a number that was passed.
  bool Advance(const events::v1::PaymentEvent& event);
  bool OtherAtItsPlace(const events::v1::PaymentEvent& event);
  void Book(const events::v1::PaymentEvent& event);
  bool IsToldTwice(const events::v1::PaymentEvent& event) const;
  void LeaveToAPerson(const events::v1::PaymentEvent& event);

  std::map<std::string, Order> orders_;
  std::map<Stream, std::uint64_t> positions_;
  std::map<std::tuple<std::string, std::string, std::uint64_t>, std::string> ids_;
  std::set<std::string> seen_;
  std::size_t alarms_ = 0;
  std::size_t gaps_ = 0;
};

/// What a completed order of a kind does to the balance: 1, 0 or -1.
std::int64_t DirectionOf(events::v1::EventKind kind);

}  // namespace tollbridge::events_model

#endif  // TOLLBRIDGE_TESTS_EVENTS_MODEL_CONSUMER_H_
