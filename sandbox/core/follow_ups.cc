#include "sandbox/core/follow_ups.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

namespace tollbridge::sandbox {
namespace {

using Made = FollowUps::Made;

ApiError Full() { return {503, "ServerError", "the sandbox holds max_orders orders"}; }

/// An authorization is refunded through its captures.
bool IsAuthorization(const Order& order) {
  return std::ranges::any_of(order.transactions, [](const Transaction& transaction) {
    return !transaction.capture_mode.empty();
  });
}

bool IsPayout(const Order& order) {
  return order.relation == Relation::kNone &&
         std::ranges::any_of(order.transactions,
                             [](const Transaction& transaction) { return transaction.debit; });
}

Effect EffectOf(Relation relation) {
  switch (relation) {
    case Relation::kCapture:
      return Effect::kCapture;
    case Relation::kVoid:
      return Effect::kVoid;
    case Relation::kChargeback:
      return Effect::kChargeback;
    case Relation::kReversal:
      return Effect::kReversal;
    default:
      return Effect::kRefund;
  }
}

/// What was taken back so far by orders of this relation.
std::int64_t TakenBack(const Order& order, Relation relation) {
  if (relation == Relation::kChargeback) return order.charged_back_amount;
  if (relation == Relation::kReversal) return order.reversed_amount;
  return order.refunded_amount;
}

}  // namespace

Made FollowUps::Capture(const Uuid& order_id, const Uuid& transaction_id,
                        std::optional<std::int64_t> amount,
                        std::optional<std::string> description) {
  const Order* known = orders_->Find(order_id);
  const Transaction* wanted = known == nullptr ? nullptr : known->FindTransaction(transaction_id);
  if (wanted == nullptr) return NotFound();
  if (wanted->capture_mode.empty()) return Invalid("the transaction is not a pre-authorization");
  if (wanted->captured_amount > 0) {
    return ApiError{409, "TransactionAlreadyStarted", "the transaction has been captured"};
  }
  if (!wanted->is_capturable) {
    return WrongState("the transaction cannot be captured: it is " +
                      std::string(Text(wanted->status)) + " and nothing of it is authorized");
  }
  const std::int64_t take = amount.value_or(wanted->remaining_authorized());
  if (take > wanted->remaining_authorized()) {
    return Invalid("amount is more than the " + std::to_string(wanted->remaining_authorized()) +
                   " still authorized");
  }
  if (orders_->full()) return Full();
  Order& order = orders_->Edit(order_id);
  Transaction& transaction = *order.FindTransaction(transaction_id);
  transaction.modified = order.modified;
  transaction.captured_amount = take;
  transaction.is_capturable = false;
  return Make(order, transaction, Relation::kCapture, take, std::move(description));
}

Made FollowUps::Void(const Uuid& order_id, const Uuid& transaction_id,
                     std::optional<std::int64_t> amount, std::optional<std::string> description) {
  const Order* known = orders_->Find(order_id);
  const Transaction* wanted = known == nullptr ? nullptr : known->FindTransaction(transaction_id);
  if (wanted == nullptr) return NotFound();
  // What a capture left over is still there to be released.
  const bool left_over = wanted->captured_amount > 0 && wanted->remaining_authorized() > 0;
  if (!wanted->is_capturable && !left_over) {
    return WrongState("nothing of the transaction is authorized: it is " +
                      std::string(Text(wanted->status)));
  }
  const std::int64_t release = amount.value_or(wanted->remaining_authorized());
  if (release > wanted->remaining_authorized()) {
    return Invalid("amount is more than the " + std::to_string(wanted->remaining_authorized()) +
                   " still authorized");
  }
  if (orders_->full()) return Full();
  Order& order = orders_->Edit(order_id);
  Transaction& transaction = *order.FindTransaction(transaction_id);
  transaction.modified = order.modified;
  transaction.voided_amount += release;
  transaction.is_capturable = !left_over && transaction.remaining_authorized() > 0;
  return Make(order, transaction, Relation::kVoid, release, std::move(description));
}

Made FollowUps::Refund(const Uuid& order, std::optional<std::int64_t> amount,
                       std::optional<std::string> description) {
  return TakeBack(order, Relation::kRefund, amount, std::move(description));
}

Made FollowUps::Chargeback(const Uuid& order, std::optional<std::int64_t> amount) {
  return TakeBack(order, Relation::kChargeback, amount, std::nullopt);
}

Made FollowUps::Reversal(const Uuid& order, std::optional<std::int64_t> amount) {
  return TakeBack(order, Relation::kReversal, amount, std::nullopt);
}

std::int64_t FollowUps::Left(const Order& order, Relation relation) const {
  std::int64_t left = order.amount - TakenBack(order, relation);
  if (relation != Relation::kRefund) return left;
  // An authorization and its capture are refunded by the id of either, together up to what was
  // captured.
  if (order.relation == Relation::kCapture) {
    return left - TakenBack(*orders_->Find(*order.related_order), relation);
  }
  if (!IsAuthorization(order)) return left;
  left = -TakenBack(order, relation);
  for (const auto& [how, id] : order.children) {
    if (how != Relation::kCapture) continue;
    const Order& capture = *orders_->Find(id);
    left += capture.amount - TakenBack(capture, relation);
  }
  return left;
}

Made FollowUps::TakeBack(const Uuid& order_id, Relation relation,
                         std::optional<std::int64_t> amount,
                         std::optional<std::string> description) {
  const Order* known = orders_->Find(order_id);
  if (known == nullptr) return NotFound();
  const auto refused = [](std::string what) {
    return ApiError{422, "RefundError", std::move(what)};
  };
  if (known->status != OrderStatus::kCompleted) {
    return refused("the order is " + std::string(Text(known->status)));
  }
  if (known->relation != Relation::kNone && known->relation != Relation::kCapture) {
    return refused("the order was itself made from another one");
  }
  if (IsPayout(*known)) return refused("the order is a payout");
  const bool by_its_own_id =
      relation == Relation::kRefund && simulation_->settings.variants.refund_authorizations;
  if (IsAuthorization(*known) && !by_its_own_id) {
    return refused("the order is an authorization: see its captures");
  }
  const std::int64_t left = Left(*known, relation);
  const std::int64_t take = amount.value_or(left);
  if (take < 1 || take > left) {
    return refused("the amount exceeds the remaining order amount, which is " +
                   std::to_string(left));
  }
  if (orders_->full()) return Full();
  Order& order = orders_->Edit(order_id);
  switch (relation) {
    case Relation::kChargeback:
      order.charged_back_amount += take;
      break;
    case Relation::kReversal:
      order.reversed_amount += take;
      break;
    default:
      order.refunded_amount += take;
      break;
  }
  const auto paid = std::ranges::find_if(order.transactions, [](const Transaction& transaction) {
    return transaction.status == TransactionStatus::kCompleted;
  });
  return Make(order, *paid, relation, take, std::move(description));
}

const Order* FollowUps::Make(Order& from, const Transaction& of, Relation relation,
                             std::int64_t amount, std::optional<std::string> description) {
  Order made;
  made.project_id = from.project_id;
  made.merchant_id = from.merchant_id;
  made.test = from.test;
  made.currency = from.currency;
  made.amount = amount;
  made.merchant_order_id = from.merchant_order_id;
  made.description = description ? std::move(description) : from.description;
  made.webhook_url = from.webhook_url;
  made.relation = relation;
  made.related_order = from.id;
  made.made_of = of.id;

  Transaction transaction;
  transaction.payment_method = of.payment_method;
  transaction.payment_method_brand = of.payment_method_brand;
  transaction.debit = relation != Relation::kCapture && relation != Relation::kVoid;
  for (const std::string_view kept : {"truncated_pan", "card_expiry"}) {
    if (const std::string_view value = of.Detail(kept); !value.empty()) {
      transaction.details[kept] = value;
    }
  }
  if (relation == Relation::kCapture) transaction.capture_of = of.id;
  if (relation == Relation::kVoid) transaction.void_of = of.id;
  if (relation == Relation::kRefund) transaction.refund_of = of.id;
  made.transactions.push_back(std::move(transaction));

  Order& order = orders_->Add(std::move(made));
  from.children.emplace_back(relation, order.id);
  if (relation == Relation::kRefund && simulation_->settings.variants.pending_refunds) {
    Submit(order);
  } else {
    Complete(order);
  }
  return &order;
}

void FollowUps::RecordEffect(const Order& made) {
  const Order& from = *orders_->Find(*made.related_order);
  simulation_->ledger.Append({.effect = EffectOf(made.relation),
                              .at = simulation_->clock.Now(),
                              .project_id = from.project_id,
                              .order_id = from.id,
                              .transaction_id = *made.made_of,
                              .result_order_id = made.id,
                              .amount = made.amount,
                              .currency = from.currency,
                              .cause = simulation_->cause});
}

void FollowUps::Complete(Order& made) {
  RecordEffect(made);
  Transaction& transaction = made.transactions.front();
  orders_->Apply(made, transaction, Trigger::kStarted);
  orders_->Apply(made, Trigger::kStarted);
  orders_->Apply(made, transaction, Trigger::kApproved);
  orders_->Apply(made, Trigger::kApproved);
}

void FollowUps::Submit(Order& refund) {
  orders_->Apply(refund, refund.transactions.front(), Trigger::kSubmitted);
  orders_->Apply(refund, Trigger::kStarted);
  simulation_->timeline.After(simulation_->settings.processing_time,
                              [this, id = refund.id, cause = simulation_->cause] {
                                simulation_->cause = cause;
                                // Refused where the operator has ended it meanwhile.
                                std::ignore = EndRefund(id, true);
                              });
}

Result<void> FollowUps::EndRefund(const Uuid& refund_id, bool approved) {
  const Order* known = orders_->Find(refund_id);
  if (known == nullptr) return NotFound();
  if (!IsPendingRefund(*known)) return WrongState("the order is no pending refund");
  Order& refund = orders_->Edit(refund_id);
  if (approved) {
    RecordEffect(refund);
  } else {
    orders_->Edit(*refund.related_order).refunded_amount -= refund.amount;
    refund.reason = "the refund was declined";
  }
  const Trigger end = approved ? Trigger::kApproved : Trigger::kDeclined;
  orders_->Apply(refund, refund.transactions.front(), end);
  orders_->Apply(refund, end);
  return {};
}

}  // namespace tollbridge::sandbox
