#include "services/domain/kind.h"

#include <algorithm>
#include <string_view>

namespace tollbridge::domain {

using common::v1::Order;
using common::v1::Transaction;
using events::v1::EventKind;

namespace {

bool AnyIsOfType(const Order& order, std::string_view type) {
  return std::any_of(order.transactions().begin(), order.transactions().end(),
                     [&](const Transaction& each) { return each.transaction_type() == type; });
}

bool ShowsCaptureMode(const Order& order) {
  return std::any_of(order.transactions().begin(), order.transactions().end(),
                     [](const Transaction& each) { return !each.capture_mode().empty(); });
}

/// The order's own word for it, which comes with the order even where its captures cannot be read.
bool ShowsCapturesOrVoids(const Order& order) {
  return std::any_of(order.flags().begin(), order.flags().end(), [](std::string_view flag) {
    return flag == "has-captures" || flag == "has-voids";
  });
}

}  // namespace

bool ShowsCapturable(const Order& order) {
  return std::any_of(
      order.transactions().begin(), order.transactions().end(), [](const Transaction& each) {
        return each.is_capturable() && each.status() == common::v1::TRANSACTION_STATUS_COMPLETED;
      });
}

const std::string& ParentOf(const Order& order) {
  for (const std::string* link :
       {&order.capture_of_order_id(), &order.void_of_order_id(), &order.refund_of_order_id(),
        &order.chargeback_of_order_id(), &order.reversal_of_order_id()}) {
    if (!link->empty()) return *link;
  }
  return order.related_order_id();
}

EventKind KindOf(const Order& order, const KindFacts& facts) {
  if (!order.capture_of_order_id().empty()) return events::v1::EVENT_KIND_CAPTURE;
  if (!order.void_of_order_id().empty()) return events::v1::EVENT_KIND_VOID;
  if (!order.refund_of_order_id().empty()) return events::v1::EVENT_KIND_REFUND;
  if (!order.chargeback_of_order_id().empty()) return events::v1::EVENT_KIND_CHARGEBACK;
  if (!order.reversal_of_order_id().empty()) return events::v1::EVENT_KIND_REVERSAL;

  if (AnyIsOfType(order, "oct")) return events::v1::EVENT_KIND_PAYOUT;
  if (facts.capture_mode_sent || facts.capturable_seen || facts.captured_or_voided ||
      ShowsCapturable(order) || ShowsCaptureMode(order) || ShowsCapturesOrVoids(order)) {
    return events::v1::EVENT_KIND_AUTHORIZATION;
  }
  if (AnyIsOfType(order, "aft")) return events::v1::EVENT_KIND_ACCOUNT_FUNDING;
  return events::v1::EVENT_KIND_PAYMENT;
}

}  // namespace tollbridge::domain
