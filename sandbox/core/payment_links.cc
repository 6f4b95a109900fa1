#include "sandbox/core/payment_links.h"

#include <algorithm>
#include <string>
#include <utility>

#include "sandbox/core/result.h"

namespace tollbridge::sandbox {

PaymentLinks::PaymentLinks(Simulation* simulation, Orders* orders, Payments* payments)
    : simulation_(simulation), orders_(orders), payments_(payments) {
  orders_->Subscribe([this](const Order& order) { OnOrderStatus(order); });
}

Result<const PaymentLink*> PaymentLinks::Create(const Project& project, PaymentLink draft) {
  if (links_.size() >= simulation_->settings.max_orders) {
    return ApiError{503, "ServerError", "the sandbox holds max_orders payment links"};
  }
  if (!project.HasCurrency(draft.currency)) {
    return Invalid("currency is not supported by the project");
  }
  SB_RETURN_IF_ERROR(CheckOfferedMethods(project, draft.payment_methods));
  Millis validity = kPaymentLinkValidity;
  if (draft.expiration_period.empty()) {
    draft.expiration_period = "P30D";
  } else {
    validity = ParseDuration(draft.expiration_period).value_or(kPaymentLinkValidity);
  }
  draft.id = simulation_->ids.NewUuid();
  draft.project_id = project.id;
  draft.merchant_id = project.merchant_id;
  draft.created = draft.modified = simulation_->clock.Now();
  draft.expires = draft.created + validity;
  const Uuid id = draft.id;
  simulation_->timeline.At(draft.expires, [this, id] { ExpireIfDue(id); });
  return &links_.emplace(id, std::move(draft)).first->second;
}

const PaymentLink* PaymentLinks::Find(const Uuid& id) const {
  const auto found = links_.find(id);
  return found == links_.end() ? nullptr : &found->second;
}

const PaymentLink* PaymentLinks::FindOf(const Uuid& project, const Uuid& id) const {
  const PaymentLink* link = Find(id);
  return link != nullptr && link->project_id == project ? link : nullptr;
}

Result<const Order*> PaymentLinks::StartAttempt(const Uuid& id, std::string_view method) {
  const auto found = links_.find(id);
  if (found == links_.end()) return NotFound();
  PaymentLink& link = found->second;
  if (link.status == LinkStatus::kProcessing) return orders_->Find(link.orders.back());
  if (link.status == LinkStatus::kCompleted || link.status == LinkStatus::kExpired) {
    return ApiError{409, "TransactionAlreadyStarted",
                    "the payment link is " + std::string(Text(link.status))};
  }
  if (link.orders.size() >= kMaxAttempts) {
    return ApiError{409, "TransactionAlreadyStarted", "the payment link has had too many attempts"};
  }
  const Project* project = simulation_->FindProject(link.project_id);
  if (project == nullptr) return NotFound();
  if (link.payment_methods &&
      std::ranges::find(*link.payment_methods, method) == link.payment_methods->end()) {
    return Invalid("the method is not offered");
  }

  OrderDraft draft;
  draft.order.amount = link.amount;
  draft.order.currency = link.currency;
  draft.order.merchant_order_id = link.merchant_order_id;
  draft.order.description = link.description;
  draft.order.return_url = link.return_url;
  draft.order.webhook_url = link.webhook_url;
  draft.order.payment_link = link.id;
  Transaction transaction;
  transaction.payment_method = method;
  draft.order.transactions.push_back(std::move(transaction));
  SB_ASSIGN_OR_RETURN(const Order* created, payments_->Create(*project, std::move(draft)));
  link.orders.push_back(created->id);
  Apply(link, Trigger::kStarted, "");
  return created;
}

void PaymentLinks::OnOrderStatus(const Order& order) {
  if (!order.payment_link) return;
  const auto found = links_.find(*order.payment_link);
  if (found == links_.end()) return;
  PaymentLink& link = found->second;
  if (link.status == LinkStatus::kCompleted) return;
  if (order.status == OrderStatus::kCompleted) {
    link.completed = simulation_->clock.Now();
    link.completed_order = order.id;
    const bool late = link.status != LinkStatus::kProcessing;
    Apply(link, late ? Trigger::kLateApproved : Trigger::kApproved, "an attempt succeeded");
  } else if (IsFinal(order.status) && link.status == LinkStatus::kProcessing) {
    Apply(link, Trigger::kAllAttemptsFailed,
          order.reason.empty() ? std::string(Text(order.status)) : order.reason);
    ExpireIfDue(link.id);
  }
}

void PaymentLinks::Apply(PaymentLink& link, Trigger trigger, std::string_view reason) {
  // StartAttempt, OnOrderStatus and ExpireIfDue ask for the status first, so there always is one.
  link.status = Next(link.status, trigger).value();
  link.reason = reason;
  link.modified = simulation_->clock.Now();
}

void PaymentLinks::ExpireIfDue(const Uuid& id) {
  const auto found = links_.find(id);
  if (found == links_.end() || simulation_->clock.Now() < found->second.expires) return;
  PaymentLink& link = found->second;
  // An attempt under way may still succeed; when it fails this is asked again.
  if (link.status == LinkStatus::kNew || link.status == LinkStatus::kAllUnsuccessful) {
    Apply(link, Trigger::kExpired, "expired without a successful payment");
  }
}

void PaymentLinks::Clear() { links_.clear(); }

}  // namespace tollbridge::sandbox
