#ifndef TOLLBRIDGE_SANDBOX_WIRE_ORDER_JSON_H_
#define TOLLBRIDGE_SANDBOX_WIRE_ORDER_JSON_H_

#include <span>
#include <string>
#include <string_view>

#include "sandbox/core/model.h"
#include "sandbox/core/world.h"

namespace tollbridge::sandbox {

/// Where things are found: what URLs in answers begin with.
struct Addresses {
  std::string base_url;  ///< `http://127.0.0.1:8080`, also of the hosted pages
  std::string vault_url;
  std::string wallet_token_url;

  /// order_url: the hosted page of an order.
  std::string OrderPage(const Uuid& order) const;
  /// payment_url: the hosted page of a transaction.
  std::string TransactionPage(const Uuid& order, const Uuid& transaction) const;
  /// The 3-D Secure page of a transaction that is `pending`.
  std::string ChallengePage(const Uuid& order, const Uuid& transaction) const;
  /// Where a customer sees how the order ended.
  std::string ResultPage(const Uuid& order) const;
  /// redirect_url: where a merchant that has executed a transaction sends the customer. To the
  /// challenge while one is open, else to the end.
  std::string AfterExecution(const Order& order, const Transaction& transaction) const;
  /// payment_url of a payment link.
  std::string LinkPage(const Uuid& link) const;
};

/// Members that the service adds to what was sent: of an order, of its transactions, of their
/// payment_method_details, and of a payment link. A field of the client's own cannot be given back
/// under such a name.
std::span<const std::string_view> MembersOfOrders();
std::span<const std::string_view> MembersOfTransactions();
std::span<const std::string_view> MembersOfDetails();
std::span<const std::string_view> MembersOfLinks();

/// The order as GET /v1/orders/{id}/ gives it (docs/interface.md#order), as JSON text. Writes
/// straight into the text: this is the stand-in's hot path.
std::string OrderToJson(const Order& order, const Addresses& addresses);
/// Appends the same to `out`.
void AppendOrder(const Order& order, const Addresses& addresses, std::string* out);
/// A payment link (docs/interface.md#payment-link); `orders` are looked up for their statuses.
std::string LinkToJson(const PaymentLink& link, const Orders& orders, const Addresses& addresses);
/// Labels of an order: is-test, is-refund, has-refunds and so on (docs/interface.md#9-flags).
std::vector<std::string_view> Flags(const Order& order);

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_WIRE_ORDER_JSON_H_
