#include "services/sandbox/pages/customer_way.h"

#include <algorithm>

#include "services/sandbox/pages/html.h"

namespace tollbridge::sandbox {

bool IsOpen(const Order& order) {
  return order.status == OrderStatus::kNew || order.status == OrderStatus::kProcessing;
}

bool IsUnderWay(const Order& order) {
  return std::ranges::any_of(order.transactions, [](const Transaction& transaction) {
    return transaction.status == TransactionStatus::kAccepted;
  });
}

bool IsPaid(const Order& order) {
  return std::ranges::any_of(order.transactions, [](const Transaction& transaction) {
    return transaction.status == TransactionStatus::kCompleted;
  });
}

std::string ShopAddress(const Order& order) {
  std::string address = order.ReturnAddress();
  return IsWebAddress(address) ? address : "";
}

std::string PageOf(const Order& order, const Transaction& transaction, const Addresses& addresses) {
  if (!IsOpen(order)) return addresses.ResultPage(order.id);
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
