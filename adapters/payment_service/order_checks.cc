#include "adapters/payment_service/order_checks.h"

#include "base/http/message.h"
#include "tollbridge/common/v1/order.pb.h"

namespace tollbridge::payment_service {
namespace {

using Kind = ExpectedOrder::Kind;
using common::v1::Order;
using common::v1::Transaction;

constexpr std::string_view kOtherOrder = "an order that is linked to another";

/// A link that is not given says nothing; one that is given must lead to what was asked about.
bool LeadsElsewhere(const std::string& link, const std::string& id) {
  return !link.empty() && !http::EqualsIgnoreCase(link, id);
}

const std::string& LinkOf(const Order& order, Kind kind) {
  switch (kind) {
    case Kind::kCapture:
      return order.capture_of_order_id();
    case Kind::kVoid:
      return order.void_of_order_id();
    default:
      return order.refund_of_order_id();
  }
}

const std::string& LinkOf(const Transaction& transaction, Kind kind) {
  return kind == Kind::kCapture ? transaction.capture_of_transaction_id()
                                : transaction.void_of_transaction_id();
}

}  // namespace

std::string_view Mismatch(const Order& order, const ExpectedOrder& expected) {
  // An order that cannot be named is no order: nobody could read, pay or find it.
  if (order.id().empty()) return "an order without an id";
  if (expected.kind == Kind::kNew) return {};
  const bool same = http::EqualsIgnoreCase(order.id(), expected.order_id);
  if (expected.kind == Kind::kSame) return same ? "" : "another order";
  if (same) return "the order itself, not a new one";
  if (!expected.transaction_id.empty() &&
      http::EqualsIgnoreCase(order.id(), expected.transaction_id)) {
    return "the transaction, not an order";
  }
  if (LeadsElsewhere(LinkOf(order, expected.kind), expected.order_id) ||
      LeadsElsewhere(order.related_order_id(), expected.order_id)) {
    return kOtherOrder;
  }
  if (expected.transaction_id.empty()) return {};
  for (const Transaction& transaction : order.transactions()) {
    if (LeadsElsewhere(LinkOf(transaction, expected.kind), expected.transaction_id)) {
      return kOtherOrder;
    }
  }
  return {};
}

}  // namespace tollbridge::payment_service
