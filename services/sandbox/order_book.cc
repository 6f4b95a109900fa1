#include "services/sandbox/order_book.h"

#include <utility>

namespace tollbridge::sandbox {
namespace {

constexpr std::string_view kDefaultMethod = "credit-card";

/// Methods whose details carry a setup token for the card vault (section payment_method_details).
bool IsCardMethod(std::string_view method) { return method.starts_with("credit-card"); }

}  // namespace

OrderBook::OrderBook(Clock* clock, Random* random, Ledger* ledger, StatusChanged observer)
    : clock_(clock), random_(random), ledger_(ledger), observer_(std::move(observer)) {}

const Order& OrderBook::Create(const Project& project, Order order) {
  order.id = random_->NewUuid();
  order.project_id = project.id;
  order.test = project.test;
  order.created = order.modified = clock_->Now();
  for (Transaction& transaction : order.transactions) {
    transaction.id = random_->NewUuid();
    transaction.created = order.created;
    SetStatus(transaction, "new");
    if (IsCardMethod(transaction.payment_method)) {
      transaction.payment_method_details["setup_token"] = random_->NewUuid().ToString();
    }
  }
  in_order_of_creation_.push_back(order.id);
  return orders_.emplace(order.id, std::move(order)).first->second;
}

const Order* OrderBook::Find(const Uuid& id) const {
  const auto found = orders_.find(id);
  return found == orders_.end() ? nullptr : &found->second;
}

const Order* OrderBook::FindOf(const Project& project, const Uuid& id) const {
  const Order* order = Find(id);
  return order != nullptr && order->project_id == project.id ? order : nullptr;
}

std::vector<const Order*> OrderBook::All() const {
  std::vector<const Order*> all;
  all.reserve(in_order_of_creation_.size());
  for (const Uuid& id : in_order_of_creation_) all.push_back(&orders_.at(id));
  return all;
}

std::optional<ApiError> OrderBook::FindOpen(const Uuid& id, Order** order) {
  const auto found = orders_.find(id);
  if (found == orders_.end()) return ApiError{404, "NotFound", "no such order"};
  if (IsFinal(found->second)) {
    return ApiError{409, "TransactionAlreadyStarted", "the order is " + found->second.status};
  }
  *order = &found->second;
  return std::nullopt;
}

Transaction& OrderBook::CurrentAttempt(Order& order, std::string_view method) {
  if (!order.transactions.empty() && order.transactions.back().status == "new") {
    return order.transactions.back();
  }
  Transaction attempt;
  attempt.id = random_->NewUuid();
  attempt.created = clock_->Now();
  attempt.payment_method = method.empty() ? kDefaultMethod : method;
  SetStatus(attempt, "new");
  order.transactions.push_back(std::move(attempt));
  return order.transactions.back();
}

std::optional<ApiError> OrderBook::Approve(const Uuid& id, std::string_view method,
                                           std::string_view caused_by) {
  Order* order = nullptr;
  if (auto error = FindOpen(id, &order)) return error;
  Transaction& attempt = CurrentAttempt(*order, method);
  SetStatus(attempt, "accepted");
  SetStatus(*order, "processing");
  const bool authorize_only = !attempt.capture_mode.empty();
  attempt.is_capturable = authorize_only;
  attempt.response_code = "00";
  attempt.response_code_description = "approved";
  if (IsCardMethod(attempt.payment_method)) attempt.payment_method_brand = "sandbox";
  SetStatus(attempt, "completed");
  ledger_->Append({.effect = authorize_only ? "authorize" : "charge",
                   .at = clock_->Now(),
                   .project_id = order->project_id,
                   .order_id = order->id,
                   .transaction_id = attempt.id,
                   .amount = order->amount,
                   .currency = order->currency,
                   .caused_by = std::string(caused_by)});
  order->completed = clock_->Now();
  SetStatus(*order, "completed");
  return std::nullopt;
}

std::optional<ApiError> OrderBook::Decline(const Uuid& id, std::string_view method) {
  Order* order = nullptr;
  if (auto error = FindOpen(id, &order)) return error;
  Transaction& attempt = CurrentAttempt(*order, method);
  SetStatus(attempt, "accepted");
  SetStatus(*order, "processing");
  attempt.response_code = "05";
  attempt.response_code_description = "do not honor";
  SetStatus(attempt, "declined");
  if (!order->customer_picks) {
    order->reason = "declined by the issuer";
    SetStatus(*order, "error");
  }
  return std::nullopt;
}

std::optional<ApiError> OrderBook::Expire(const Uuid& id) {
  Order* order = nullptr;
  if (auto error = FindOpen(id, &order)) return error;
  for (Transaction& transaction : order->transactions) {
    if (transaction.status == "new") SetStatus(transaction, "expired");
  }
  SetStatus(*order, "expired");
  return std::nullopt;
}

void OrderBook::SetStatus(Order& order, std::string_view status) {
  if (order.status == status) return;
  order.status = status;
  order.modified = clock_->Now();
  observer_(order);
}

void OrderBook::SetStatus(Transaction& transaction, std::string_view status) {
  transaction.status = status;
  transaction.events.push_back(
      {.id = random_->NewUuid(), .event = std::string(status), .occurred = clock_->Now()});
}

void OrderBook::Clear() {
  orders_.clear();
  in_order_of_creation_.clear();
}

}  // namespace tollbridge::sandbox
