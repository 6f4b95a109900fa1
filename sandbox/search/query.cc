#include "sandbox/search/query.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "sandbox/core/customer_text.h"
#include "sandbox/core/result.h"
#include "sandbox/core/status.h"
#include "sandbox/wire/order_json.h"

namespace tollbridge::sandbox {
namespace {

/// The order that is looked at.
struct Subject {
  const Order& order;
  CustomerText customer{order};
};

std::optional<Relation> RelationOf(QueryField field) {
  switch (field) {
    case QueryField::kRefundOfOrderId:
      return Relation::kRefund;
    case QueryField::kCaptureOfOrderId:
      return Relation::kCapture;
    case QueryField::kVoidOfOrderId:
      return Relation::kVoid;
    case QueryField::kChargebackOfOrderId:
      return Relation::kChargeback;
    case QueryField::kReversalOfOrderId:
      return Relation::kReversal;
    default:
      return std::nullopt;
  }
}

std::optional<Uuid> IdOf(const Order& order, QueryField field) {
  if (field == QueryField::kId) return order.id;
  if (field == QueryField::kProjectId) return order.project_id;
  if (field == QueryField::kRelatedPaymentLinkId) return order.payment_link;
  if (field == QueryField::kRelatedOrderId) return order.related_order;
  return order.relation == RelationOf(field) ? order.related_order : std::nullopt;
}

bool Holds(const Bounds<Uuid>& bounds, QueryField field, Subject& subject) {
  if (field == QueryField::kTransactionId) {
    return std::ranges::any_of(subject.order.transactions,
                               [&](const Transaction& t) { return bounds.Contain(t.id); });
  }
  const std::optional<Uuid> id = IdOf(subject.order, field);
  return id && bounds.Contain(*id);
}

bool Holds(const Bounds<std::int64_t>& bounds, QueryField field, Subject& subject) {
  if (field == QueryField::kAmount) return bounds.Contain(subject.order.amount);
  return std::ranges::any_of(subject.order.transactions,
                             [&](const Transaction& t) { return bounds.Contain(t.amount); });
}

bool Holds(const Bounds<Time>& bounds, QueryField field, Subject& subject) {
  const Order& order = subject.order;
  if (field == QueryField::kCreated) return bounds.Contain(order.created);
  if (field == QueryField::kModified) return bounds.Contain(order.modified);
  return order.completed && bounds.Contain(*order.completed);
}

/// nullopt: the transaction has no such text.
std::optional<std::string_view> TextOf(const Transaction& transaction, QueryField field) {
  std::string_view text;
  switch (field) {
    case QueryField::kTransactionStatus:
      text = Text(transaction.status);
      break;
    case QueryField::kTransactionPaymentMethod:
      text = transaction.payment_method;
      break;
    case QueryField::kTransactionPaymentMethodBrand:
      text = transaction.payment_method_brand;
      break;
    case QueryField::kTransactionCreditDebit:
      text = transaction.debit ? "debit" : "credit";
      break;
    case QueryField::kTransactionType:
      text = transaction.transaction_type;
      break;
    default:
      break;
  }
  if (text.empty()) return std::nullopt;
  return text;
}

/// nullopt: the order has no such text, or the field is not one of the order itself.
std::optional<std::string_view> TextOf(Subject& subject, QueryField field) {
  const Order& order = subject.order;
  switch (field) {
    case QueryField::kStatus:
      return Text(order.status);
    case QueryField::kCurrency:
      return order.currency;
    case QueryField::kMerchantOrderId:
      return order.merchant_order_id;
    case QueryField::kDescription:
      return order.description;
    case QueryField::kReason:
      if (order.reason.empty()) return std::nullopt;
      return order.reason;
    case QueryField::kCustomerMerchantId:
      return subject.customer.Find("merchant_customer_id");
    case QueryField::kCustomerEmail:
      return subject.customer.Find("email_address");
    case QueryField::kCustomerLastName:
      return subject.customer.Find("last_name");
    default:
      return std::nullopt;
  }
}

template <typename Predicate>
bool AnyText(QueryField field, Subject& subject, Predicate holds) {
  if (field == QueryField::kFlags) return std::ranges::any_of(Flags(subject.order), holds);
  if (const std::optional<std::string_view> text = TextOf(subject, field)) return holds(*text);
  return std::ranges::any_of(subject.order.transactions, [&](const Transaction& transaction) {
    const std::optional<std::string_view> text = TextOf(transaction, field);
    return text && holds(*text);
  });
}

bool Holds(const Bounds<std::string>& bounds, QueryField field, Subject& subject) {
  return AnyText(field, subject, [&](std::string_view text) { return bounds.Contain(text); });
}

bool Holds(const Prefix& prefix, QueryField field, Subject& subject) {
  return AnyText(field, subject,
                 [&](std::string_view text) { return text.starts_with(prefix.text); });
}

/// As deep as kMaxQueryDepth allows.
bool Holds(const QueryNode& node, Subject& subject) {
  const auto child_holds = [&](const QueryNode& child) { return Holds(child, subject); };
  switch (node.kind) {
    case QueryNode::Kind::kEverything:
      return true;
    case QueryNode::Kind::kTerm:
      return std::visit(
          [&](const auto& condition) { return Holds(condition, node.field, subject); },
          node.condition);
    case QueryNode::Kind::kNot:
      return !Holds(node.children.front(), subject);
    case QueryNode::Kind::kAnd:
      return std::ranges::all_of(node.children, child_holds);
    case QueryNode::Kind::kOr:
      return std::ranges::any_of(node.children, child_holds);
  }
  return false;
}

/// What `read` makes of a condition on that field that each match fulfils; nullopt: of none.
template <typename Read>
auto FromRequired(const QueryNode& node, QueryField field, Read read)
    -> decltype(read(node.condition)) {
  if (node.kind == QueryNode::Kind::kTerm && node.field == field) return read(node.condition);
  if (node.kind != QueryNode::Kind::kAnd) return std::nullopt;
  for (const QueryNode& child : node.children) {
    if (auto found = FromRequired(child, field, read)) return found;
  }
  return std::nullopt;
}

/// The one value that fulfils it.
template <typename T>
std::optional<T> OnlyValue(const Condition& condition) {
  const auto* bounds = std::get_if<Bounds<T>>(&condition);
  return bounds != nullptr && bounds->from == bounds->to ? bounds->from : std::nullopt;
}

}  // namespace

Result<Query> Query::Parse(std::string_view text) {
  SB_ASSIGN_OR_RETURN(QueryNode root, ParseQuery(text));
  return Query(std::move(root));
}

bool Query::Matches(const Order& order) const {
  Subject subject{order};
  return Holds(root_, subject);
}

std::optional<Uuid> Query::only_id() const {
  return FromRequired(root_, QueryField::kId, &OnlyValue<Uuid>);
}

std::optional<Bounds<Time>> Query::created() const {
  return FromRequired(root_, QueryField::kCreated, [](const Condition& condition) {
    return std::optional(std::get<Bounds<Time>>(condition));
  });
}

std::optional<std::string> Query::only_reference() const {
  return FromRequired(root_, QueryField::kMerchantOrderId, &OnlyValue<std::string>);
}

}  // namespace tollbridge::sandbox
