#include "sandbox/pages/customer_way.h"

#include "sandbox/pages/html.h"

namespace tollbridge::sandbox {

std::string ShopAddress(const Order& order) {
  std::string address = order.ReturnAddress();
  return IsWebAddress(address) ? address : "";
}

std::string PageOf(const Order& order, const Transaction& transaction, const Addresses& addresses) {
  if (!IsOpen(order) || IsPendingRefund(order)) return addresses.ResultPage(order.id);
  switch (transaction.status) {
    case TransactionStatus::kNew:
      return addresses.TransactionPage(order.id, transaction.id);
    case TransactionStatus::kPending:
      return addresses.ChallengePage(order.id, transaction.id);
    case TransactionStatus::kAccepted:
    case TransactionStatus::kCompleted:
      return addresses.ResultPage(order.id);
    default:
      return order.customer_picks ? addresses.OrderPage(order.id) : addresses.ResultPage(order.id);
  }
}

std::string WayAfter(const Order& order, const Transaction& transaction,
                     const Addresses& addresses) {
  const bool decided = !IsOpen(order) || transaction.status == TransactionStatus::kCompleted;
  return decided ? WayOut(order, addresses) : PageOf(order, transaction, addresses);
}

std::string WayOut(const Order& order, const Addresses& addresses) {
  std::string shop = ShopAddress(order);
  return shop.empty() ? addresses.ResultPage(order.id) : shop;
}

}  // namespace tollbridge::sandbox
