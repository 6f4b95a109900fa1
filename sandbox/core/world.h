#ifndef TOLLBRIDGE_SANDBOX_CORE_WORLD_H_
#define TOLLBRIDGE_SANDBOX_CORE_WORLD_H_

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "sandbox/core/attempts.h"
#include "sandbox/core/card_vault.h"
#include "sandbox/core/follow_ups.h"
#include "sandbox/core/orders.h"
#include "sandbox/core/payment_links.h"
#include "sandbox/core/payments.h"
#include "sandbox/core/simulation.h"

namespace tollbridge::sandbox {

/// The whole state of the stand-in, on one thread. What the interface can do to it is in its parts.
struct World {
  World(Settings settings, std::uint64_t seed, std::optional<Time> start)
      : simulation(std::move(settings), seed, start),
        orders(&simulation),
        vault(&simulation),
        attempts(&simulation, &orders, &vault),
        payments(&simulation, &orders, &vault, &attempts),
        follow_ups(&simulation, &orders),
        links(&simulation, &orders, &payments) {
    attempts.OnDelayedCaptureDue([this](const Uuid& order, const Uuid& transaction) {
      std::ignore = follow_ups.Capture(order, transaction, std::nullopt, std::nullopt);
    });
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  /// Forgets all that was made; settings, time and the source of ids stay.
  void Reset() {
    simulation.timeline.Clear();
    simulation.ledger.Clear();
    orders.Clear();
    vault.Clear();
    links.Clear();
    reads.clear();
  }

  /// What an operator makes happen to an order, or to a refund that is pending (Payments::Approve
  /// and FollowUps::EndRefund).
  Result<void> Approve(const Uuid& order) {
    return IsRefundToEnd(order) ? follow_ups.EndRefund(order, true) : payments.Approve(order);
  }
  Result<void> Decline(const Uuid& order) {
    return IsRefundToEnd(order) ? follow_ups.EndRefund(order, false) : payments.Decline(order);
  }

  const Project* FindProject(const Uuid& id) const { return simulation.FindProject(id); }

  Simulation simulation;
  Orders orders;
  CardVault vault;
  Attempts attempts;
  Payments payments;
  FollowUps follow_ups;
  PaymentLinks links;
  /// How often each order was read by itself (get_order), by id. Reads that a fault kept from being
  /// carried out do not count.
  std::map<Uuid, std::int64_t> reads;

 private:
  bool IsRefundToEnd(const Uuid& id) const {
    const Order* order = orders.Find(id);
    return order != nullptr && IsPendingRefund(*order);
  }
};

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_CORE_WORLD_H_
