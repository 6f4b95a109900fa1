#ifndef TOLLBRIDGE_SANDBOX_CORE_PAYMENT_LINKS_H_
#define TOLLBRIDGE_SANDBOX_CORE_PAYMENT_LINKS_H_

#include <map>
#include <string_view>

#include "sandbox/core/model.h"
#include "sandbox/core/orders.h"
#include "sandbox/core/payments.h"
#include "sandbox/core/result.h"
#include "sandbox/core/simulation.h"

namespace tollbridge::sandbox {

/// Links that a merchant sends to a customer, each attempt at which is an order of its own
/// (docs/interface.md#payment-link and #payment-link-statuses).
class PaymentLinks {
 public:
  /// Watches the orders that come from links.
  PaymentLinks(Simulation* simulation, Orders* orders, Payments* payments);

  /// The link as it was asked for (api/payment_link_request); checks it against the project.
  Result<const PaymentLink*> Create(const Project& project, PaymentLink draft);
  const PaymentLink* Find(const Uuid& id) const;
  const PaymentLink* FindOf(const Uuid& project, const Uuid& id) const;
  /// By id.
  const std::map<Uuid, PaymentLink>& all() const { return links_; }
  std::size_t size() const { return links_.size(); }

  /// The customer picks a method: gives the order to pay, with its one transaction. While an
  /// earlier attempt is open, that one.
  Result<const Order*> StartAttempt(const Uuid& id, std::string_view method);

  void Clear();

 private:
  void OnOrderStatus(const Order& order);
  void Apply(PaymentLink& link, Trigger trigger, std::string_view reason);
  void ExpireIfDue(const Uuid& id);

  Simulation* simulation_;
  Orders* orders_;
  Payments* payments_;
  std::map<Uuid, PaymentLink> links_;
};

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_CORE_PAYMENT_LINKS_H_
