#include "sandbox/core/model.h"

#include <algorithm>
#include <utility>

namespace tollbridge::sandbox {

std::string_view Transaction::Detail(std::string_view name) const {
  const boost::json::value* value = details.if_contains(name);
  return value != nullptr && value->is_string() ? std::string_view(value->as_string()) : "";
}

Transaction* Order::FindTransaction(const Uuid& transaction_id) {
  const auto found = std::ranges::find_if(
      transactions, [&](const Transaction& t) { return t.id == transaction_id; });
  return found == transactions.end() ? nullptr : &*found;
}

const Transaction* Order::FindTransaction(const Uuid& transaction_id) const {
  const auto found = std::ranges::find_if(
      transactions, [&](const Transaction& t) { return t.id == transaction_id; });
  return found == transactions.end() ? nullptr : &*found;
}

std::string Order::ReturnAddress() const {
  const bool failed = status == OrderStatus::kCancelled || status == OrderStatus::kExpired ||
                      status == OrderStatus::kError;
  if (failed && failure_url) return *failure_url;
  return return_url.value_or("");
}

bool WasStarted(const Transaction& transaction) {
  return std::ranges::any_of(transaction.events, [](const EventRecord& record) {
    return record.event != TransactionStatus::kNew &&
           record.event != TransactionStatus::kCancelled &&
           record.event != TransactionStatus::kExpired;
  });
}

bool IsOneClick(const Transaction& transaction) {
  return transaction.Detail("one_click_type") == "one-click";
}

bool IsOpen(const Order& order) {
  return order.status == OrderStatus::kNew || order.status == OrderStatus::kProcessing;
}

bool IsUnderWay(const Order& order) {
  return std::ranges::any_of(order.transactions, [](const Transaction& transaction) {
    return transaction.status == TransactionStatus::kAccepted;
  });
}

bool IsPendingRefund(const Order& order) {
  return order.relation == Relation::kRefund && IsOpen(order);
}

bool IsPaid(const Order& order) {
  return std::ranges::any_of(order.transactions, [](const Transaction& transaction) {
    return transaction.status == TransactionStatus::kCompleted;
  });
}

}  // namespace tollbridge::sandbox
