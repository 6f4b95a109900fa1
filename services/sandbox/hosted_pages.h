#ifndef TOLLBRIDGE_SERVICES_SANDBOX_HOSTED_PAGES_H_
#define TOLLBRIDGE_SERVICES_SANDBOX_HOSTED_PAGES_H_

#include "adapters/http/message.h"
#include "adapters/http/url.h"
#include "services/sandbox/order_book.h"

namespace tollbridge::sandbox {

/// The hosted payment page below /pay, for customers: choose a method, pay or be declined, and be
/// sent on to return_url or failure_url. Plain HTML that works without scripts.
class HostedPages {
 public:
  /// `orders` outlives this.
  explicit HostedPages(OrderBook* orders) : orders_(orders) {}

  /// Answers /pay/{order_id}/ (order_url) and /pay/{order_id}/{transaction_id}/ (payment_url).
  http::Response Handle(const http::Request& request, const http::Target& target);

 private:
  http::Response Show(const Order& order) const;
  http::Response Submit(const Order& order, const http::Request& request);

  OrderBook* orders_;
};

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SERVICES_SANDBOX_HOSTED_PAGES_H_
