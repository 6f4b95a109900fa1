#include "services/domain/kind.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <vector>

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
  if (!order.capture_mode().empty()) return true;
  return std::any_of(order.transactions().begin(), order.transactions().end(),
                     [](const Transaction& each) { return !each.capture_mode().empty(); });
}

/// The order's own word for it, which comes with the order even where its captures cannot be read.
bool ShowsCapturesOrVoids(const Order& order) {
  return std::any_of(order.flags().begin(), order.flags().end(), [](std::string_view flag) {
    return flag == "has-captures" || flag == "has-voids";
  });
}

/// The kinds that links and flags give the order, one for each of them.
std::vector<EventKind> KindsShown(const Order& order) {
  std::vector<EventKind> kinds;
  const auto add = [&kinds](bool shown, EventKind kind) {
    if (shown) kinds.push_back(kind);
  };
  add(std::ranges::any_of(order.flags(), [](const auto& flag) { return flag == "is-refund"; }),
      events::v1::EVENT_KIND_REFUND);
  add(!order.refund_of_order_id().empty(), events::v1::EVENT_KIND_REFUND);
  add(!order.capture_of_order_id().empty(), events::v1::EVENT_KIND_CAPTURE);
  add(!order.void_of_order_id().empty(), events::v1::EVENT_KIND_VOID);
  add(!order.chargeback_of_order_id().empty(), events::v1::EVENT_KIND_CHARGEBACK);
  add(!order.reversal_of_order_id().empty(), events::v1::EVENT_KIND_REVERSAL);
  for (const Transaction& each : order.transactions()) {
    add(!each.refund_of_transaction_id().empty(), events::v1::EVENT_KIND_REFUND);
    add(!each.capture_of_transaction_id().empty(), events::v1::EVENT_KIND_CAPTURE);
    add(!each.void_of_transaction_id().empty(), events::v1::EVENT_KIND_VOID);
  }
  return kinds;
}

/// The credit_debit that contradicts the kind; empty where either goes with it.
std::string_view WrongDirection(EventKind kind) {
  switch (kind) {
    case events::v1::EVENT_KIND_PAYMENT:
    case events::v1::EVENT_KIND_AUTHORIZATION:
    case events::v1::EVENT_KIND_ACCOUNT_FUNDING:
    case events::v1::EVENT_KIND_CAPTURE:
      return "debit";
    case events::v1::EVENT_KIND_PAYOUT:
    case events::v1::EVENT_KIND_REFUND:
      return "credit";
    default:
      return "";
  }
}

/// Whether a field of this path is a sign of the order's kind.
bool IsSign(std::string_view path) {
  if (path == "flags" || path.starts_with("flags[") || path == "transactions") return true;
  return std::ranges::any_of(
      std::initializer_list<std::string_view>{"_of_order_id", "_of_transaction_id", "credit_debit",
                                              "transaction_type", "capture_mode", "is_capturable"},
      [&](std::string_view name) { return path.ends_with(name); });
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
  const std::vector<EventKind> shown = KindsShown(order);
  if (std::ranges::count(shown, events::v1::EVENT_KIND_REFUND) > 0) {
    return events::v1::EVENT_KIND_REFUND;
  }
  if (!shown.empty()) return shown.front();

  if (AnyIsOfType(order, "oct")) return events::v1::EVENT_KIND_PAYOUT;
  if (facts.capture_mode_sent || facts.capturable_seen || facts.captured_or_voided ||
      ShowsCapturable(order) || ShowsCaptureMode(order) || ShowsCapturesOrVoids(order) ||
      AnyIsOfType(order, "authorization")) {
    return events::v1::EVENT_KIND_AUTHORIZATION;
  }
  if (AnyIsOfType(order, "aft")) return events::v1::EVENT_KIND_ACCOUNT_FUNDING;
  return events::v1::EVENT_KIND_PAYMENT;
}

bool IsAnotherKind(EventKind told, EventKind shown) {
  // A payment is what shows no sign of anything else.
  if (shown == told || shown == events::v1::EVENT_KIND_PAYMENT) return false;
  // An authorization may be one because we asked for it, and show its type alone.
  return told != events::v1::EVENT_KIND_AUTHORIZATION ||
         shown != events::v1::EVENT_KIND_ACCOUNT_FUNDING;
}

bool SignsDisagree(const Order& order, EventKind kind) {
  const std::vector<EventKind> shown = KindsShown(order);
  if (std::ranges::any_of(shown, [kind](EventKind each) { return each != kind; })) return true;
  const bool money_in = WrongDirection(kind) == "debit";
  if (money_in && AnyIsOfType(order, "oct") && shown.empty()) return true;
  if (kind == events::v1::EVENT_KIND_PAYOUT &&
      (AnyIsOfType(order, "aft") || AnyIsOfType(order, "authorization"))) {
    return true;
  }
  const std::string_view wrong = WrongDirection(kind);
  const bool goes_the_other_way =
      !wrong.empty() && std::ranges::any_of(order.transactions(), [&](const Transaction& each) {
        return each.credit_debit() == wrong;
      });
  return goes_the_other_way || std::ranges::any_of(order.unreadable_fields(), &IsSign);
}

bool AmountIsUnsure(const Order& order, EventKind kind) {
  if (order.amount() < 0) return true;
  if (std::ranges::any_of(order.unreadable_fields(), [](std::string_view path) {
        return path == "amount" || path == "currency";
      })) {
    return true;
  }
  const bool moves_money =
      kind != events::v1::EVENT_KIND_AUTHORIZATION && kind != events::v1::EVENT_KIND_VOID;
  return moves_money && (!order.has_amount() || order.currency().empty());
}

bool IsCaptureOrVoid(events::v1::EventKind kind) {
  return kind == events::v1::EVENT_KIND_CAPTURE || kind == events::v1::EVENT_KIND_VOID;
}

}  // namespace tollbridge::domain
