#ifndef TOLLBRIDGE_TESTS_CHAOS_EVENTS_DRIVER_FAMILY_H_
#define TOLLBRIDGE_TESTS_CHAOS_EVENTS_DRIVER_FAMILY_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <string_view>

#include "tests/chaos/events_driver/cluster.h"
#include "tests/chaos/events_driver/doors.h"
#include "tests/chaos/lines/json_lines.h"

namespace tollbridge::pipeline {

/// What all families share. Any thread.
struct Shop {
  Shop(Cluster* the_cluster, const Options& the_options, chaos::LineWriter* the_calls)
      : cluster(the_cluster),
        options(the_options),
        service(the_cluster),
        gateway(the_cluster),
        calls(the_calls) {}

  Cluster* cluster;
  Options options;
  ServiceDoor service;
  GatewayDoor gateway;
  chaos::LineWriter* calls;
};

/// An order and what is made of it: what happens to it follows from the seed and its number; when,
/// from the machine. Each way that docs/design/events.md names is drawn now and then, half of them
/// straight at the payment service. One thread at a time.
class Family {
 public:
  Family(Shop* shop, std::uint64_t number);
  Family(const Family&) = delete;
  Family& operator=(const Family&) = delete;

  /// Does the next thing. When the one after it is due; nullopt: that was all, or it cannot go on.
  std::optional<Millis> Go();

 private:
  /// True: done; false: once more, a little later.
  using Act = std::function<bool()>;
  struct Planned {
    Millis wait;
    Act act;
  };

  // Ways an order goes (families_hosted.cc, families_server.cc).
  void PlanHosted();
  void PlanPickedByMerchant();
  void PlanOwnCheckout(bool account_funding);
  void PlanAuthorization();
  void PlanPayout();
  void PlanLink();
  /// Refunds, a chargeback, a reversal of what has been paid.
  void PlanAftermath(Millis wait);

  void Then(Millis wait, Act act) { plan_.push_back({wait, std::move(act)}); }
  void ThenCreate(NewOrder wanted);
  /// The customer pays on the order's page; one that picks nothing has only a card's form.
  void ThenPayOnPage(std::string_view pan);
  void ThenStart(std::string_view pan, bool initiate);
  void ThenRefund(std::int64_t amount, Millis wait);
  void ThenHappen(std::string_view outcome, Millis wait);
  void Note(const std::string& what, bool gateway, bool known);
  /// True when the call is over; what it made is in `into` unless it was refused.
  bool Take(Made made, Made* into);

  std::int64_t Draw(std::int64_t from, std::int64_t to);
  Millis Soon() { return Millis(Draw(50, 1'500)); }
  std::string NextKey();

  Shop& shop_;
  std::mt19937_64 random_;
  std::uint64_t number_;
  int keys_ = 0;
  bool at_gateway_;
  Door& door_;
  std::int64_t amount_;
  Made order_;
  Made card_;
  /// What can be refunded: the order, or the capture of it.
  std::string refundable_;
  std::deque<Planned> plan_;
  int tries_ = 0;
  bool over_ = false;
};

}  // namespace tollbridge::pipeline

#endif  // TOLLBRIDGE_TESTS_CHAOS_EVENTS_DRIVER_FAMILY_H_
