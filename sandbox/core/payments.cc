#include "sandbox/core/payments.h"

#include <algorithm>
#include <boost/json/value.hpp>
#include <tuple>
#include <utility>

#include "sandbox/core/issuer.h"
#include "sandbox/core/result.h"

namespace tollbridge::sandbox {
namespace {

constexpr std::string_view kCard = "credit-card";
constexpr std::string_view kPayout = "credit-card-oct";
constexpr std::string_view kWalletA = "wallet-a-pay";
constexpr std::string_view kWalletB = "wallet-b-pay";

ApiError AlreadyStarted(std::string_view status) {
  return {409, "TransactionAlreadyStarted", "the transaction is " + std::string(status)};
}

/// Of the cards stored with this token or transaction, in the words of the interface.
ApiError UnknownCard(std::string_view field) {
  return Invalid(std::string(field) + " names no stored card of this project");
}

/// Own checkout has exactly one transaction, which came with create
/// (docs/interface.md#states-and-transitions).
Result<void> CheckOwnCheckout(const Order& order) {
  if (!order.customer_picks) return {};
  return Invalid(
      "the customer pays this order on the hosted page: it was created without a transaction");
}

Millis ValidityOf(const Order& order, const Settings& settings) {
  if (!order.expiration_period) return settings.order_validity;
  return ParseDuration(*order.expiration_period).value_or(settings.order_validity);
}

}  // namespace

Result<void> CheckOfferedMethods(const Project& project,
                                 const std::optional<std::vector<std::string>>& methods) {
  if (!methods) return {};
  for (std::size_t i = 0; i < methods->size(); ++i) {
    const std::string field = "payment_methods[" + std::to_string(i) + "]";
    if (!project.HasMethod((*methods)[i])) return Invalid(field + " is not active for the project");
    if ((*methods)[i] == kPayout) return Invalid(field + " is server to server only");
  }
  return {};
}

Result<void> Payments::CheckAgainst(const Project& project, const Order& draft) const {
  if (orders_->full()) return ApiError{503, "ServerError", "the sandbox holds max_orders orders"};
  if (!project.HasCurrency(draft.currency)) {
    return Invalid("currency is not supported by the project");
  }
  SB_RETURN_IF_ERROR(CheckOfferedMethods(project, draft.payment_methods));
  if (draft.transactions.empty()) return {};
  const Transaction& transaction = draft.transactions.front();
  if (!project.HasMethod(transaction.payment_method)) {
    return Invalid("transactions[0].payment_method is not active for the project");
  }
  if (transaction.transaction_type == "aft" && !project.aft) {
    return Invalid("account funding is not enabled for the project");
  }
  if (transaction.transaction_type == "oct" && !project.payouts) {
    return Invalid("payouts are not activated for the project");
  }
  return {};
}

Result<const VaultCard*> Payments::CardNamedIn(const Project& project,
                                               const Transaction& draft) const {
  const VaultCard* none = nullptr;
  if (const std::string_view token = draft.Detail("vault_token"); !token.empty()) {
    const std::optional<Uuid> id = Uuid::Parse(token);
    const VaultCard* card = id ? vault_->Find(project.id, *id) : nullptr;
    if (card == nullptr) {
      return UnknownCard("transactions[0].payment_method_details.vault_token");
    }
    return card;
  }
  const std::string_view first = draft.Detail("first_transaction_id");
  if (first.empty()) return none;
  const std::optional<Uuid> id = Uuid::Parse(first);
  const std::optional<Uuid> token = id ? vault_->StoredBy(*id) : std::nullopt;
  const VaultCard* card = token ? vault_->Find(project.id, *token) : nullptr;
  if (card == nullptr) {
    return UnknownCard("transactions[0].payment_method_details.first_transaction_id");
  }
  return card;
}

Result<const Order*> Payments::Create(const Project& project, OrderDraft draft) {
  SB_RETURN_IF_ERROR(CheckAgainst(project, draft.order));
  const VaultCard* card = nullptr;
  if (!draft.order.transactions.empty()) {
    SB_ASSIGN_OR_RETURN(card, CardNamedIn(project, draft.order.transactions.front()));
  }

  draft.order.project_id = project.id;
  draft.order.merchant_id = project.merchant_id;
  draft.order.test = project.test;
  Order& order = orders_->Add(std::move(draft.order));
  const Uuid id = order.id;
  ground_->timeline.After(ValidityOf(order, ground_->settings), [this, id] { ExpireIfDue(id); });
  if (order.transactions.empty()) return &order;

  Transaction& transaction = order.transactions.front();
  if (card != nullptr) {
    transaction.card = card->token;
    WriteCard(*card, &transaction);
    if (transaction.payment_method == kPayout) {
      SB_RETURN_IF_ERROR(Run({&order, &transaction}, *card, Presence::kAbsent));
    }
  } else if (transaction.payment_method != kWalletA) {
    transaction.details["setup_token"] =
        vault_->IssueSetupToken(project.id, id, transaction.id).ToString();
  }
  return &order;
}

Result<Payments::Wanted> Payments::Find(const Order* order, const Uuid& transaction_id) {
  const Transaction* found = order == nullptr ? nullptr : order->FindTransaction(transaction_id);
  if (found == nullptr) return NotFound();
  return Wanted{order, found};
}

Result<Payments::Attempt> Payments::Open(const Wanted& wanted, TransactionStatus status) {
  const TransactionStatus is = wanted.transaction->status;
  if (is != status) return AlreadyStarted(Text(is));
  // An issuer that answers late may find the order paid by another attempt.
  const bool may_be_over = status == TransactionStatus::kAccepted;
  if (!may_be_over && !IsOpen(*wanted.order)) {
    return ApiError{409, "TransactionAlreadyStarted",
                    "the order is " + std::string(Text(wanted.order->status))};
  }
  Order& order = orders_->Edit(wanted.order->id);
  return Attempt{&order, order.FindTransaction(wanted.transaction->id)};
}

Result<void> Payments::Initiate(const Project& project, const Uuid& order, const Uuid& transaction,
                                const Uuid& vault_token) {
  const VaultCard* card = vault_->Find(project.id, vault_token);
  if (card == nullptr) return UnknownCard("vault_token");
  SB_ASSIGN_OR_RETURN(const Wanted wanted, Find(orders_->FindOf(project.id, order), transaction));
  if (wanted.transaction->payment_method != kCard) {
    return Invalid("initiate is for credit-card transactions");
  }
  if (IsOneClick(*wanted.transaction))
    return Invalid("a one-click payment needs the customer: payment_url");
  SB_RETURN_IF_ERROR(CheckOwnCheckout(*wanted.order));
  SB_ASSIGN_OR_RETURN(const Attempt attempt, Open(wanted, TransactionStatus::kNew));
  attempt.transaction->own_checkout = true;
  attempt.transaction->details["vault_token"] = vault_token.ToString();
  attempt.transaction->details.emplace("schedule_type", "unscheduled");
  return Run(attempt, *card, Presence::kAbsent);
}

Result<void> Payments::Authenticate(const Project& project, const Uuid& order,
                                    const Uuid& transaction, const Uuid& vault_token,
                                    const std::optional<ExternalAuthentication>& external) {
  const VaultCard* card = vault_->Find(project.id, vault_token);
  if (card == nullptr) return UnknownCard("vault_token");
  SB_ASSIGN_OR_RETURN(const Wanted wanted, Find(orders_->FindOf(project.id, order), transaction));
  const bool payout = wanted.transaction->payment_method == kPayout;
  if (!payout && wanted.transaction->payment_method != kCard) {
    return Invalid("authenticate is for credit-card and credit-card-oct transactions");
  }
  if (payout && external) return Invalid("a payout takes no external 3-D Secure values");
  if (IsOneClick(*wanted.transaction)) {
    return Invalid("a one-click payment is authenticated at payment_url");
  }
  SB_RETURN_IF_ERROR(CheckOwnCheckout(*wanted.order));
  SB_ASSIGN_OR_RETURN(const Attempt attempt, Open(wanted, TransactionStatus::kNew));
  attempt.transaction->own_checkout = !payout;
  attempt.transaction->details["vault_token"] = vault_token.ToString();
  if (external) {
    attempt.transaction->details["external_authentication_details"] = {
        {"authenticationValue", external->cavv},
        {"dsTransID", external->ds_transaction_id},
        {"methodUsed", external->method_used},
        {"protocolVersion", external->version}};
    return Run(attempt, *card, Presence::kAuthenticated);
  }
  return Run(attempt, *card, payout ? Presence::kAbsent : Presence::kOwnCheckout);
}

Result<void> Payments::ExecuteWalletB(const Uuid& order, const Uuid& transaction,
                                      const Uuid& vault_token, bool with_cryptogram) {
  SB_ASSIGN_OR_RETURN(const Wanted wanted, Find(orders_->Find(order), transaction));
  if (wanted.transaction->payment_method != kWalletB) {
    return Invalid("the transaction is not of wallet-b-pay");
  }
  SB_RETURN_IF_ERROR(CheckOwnCheckout(*wanted.order));
  const VaultCard* card = vault_->Find(wanted.order->project_id, vault_token);
  if (card == nullptr) return UnknownCard("vaultToken");
  SB_ASSIGN_OR_RETURN(const Attempt attempt, Open(wanted, TransactionStatus::kNew));
  attempt.transaction->own_checkout = true;
  return Run(attempt, *card, with_cryptogram ? Presence::kAuthenticated : Presence::kOwnCheckout);
}

std::vector<std::string> Payments::OfferedMethods(const Project& project,
                                                  const Order& order) const {
  if (!order.customer_picks && !order.transactions.empty()) {
    return {order.transactions.front().payment_method};
  }
  std::vector<std::string> offered = order.payment_methods.value_or(project.payment_methods);
  // Payouts are server to server only.
  std::erase(offered, kPayout);
  return offered;
}

Result<Uuid> Payments::ChooseMethod(const Uuid& order_id, std::string_view method) {
  const Order* known = orders_->Find(order_id);
  if (known == nullptr) return NotFound();
  if (!IsOpen(*known)) {
    return AlreadyStarted(Text(known->status));
  }
  if (!known->customer_picks) return Invalid("the order has its payment method");
  const Project* project = ground_->FindProject(known->project_id);
  if (project == nullptr) return NotFound();
  const std::vector<std::string> offered = OfferedMethods(*project, *known);
  if (std::ranges::find(offered, method) == offered.end()) {
    return Invalid("the method is not offered");
  }
  if (known->transactions.size() >= kMaxAttempts) {
    return ApiError{409, "TransactionAlreadyStarted", "the order has had too many attempts"};
  }
  Order& order = orders_->Edit(order_id);
  for (Transaction& transaction : order.transactions) {
    if (transaction.status != TransactionStatus::kNew) continue;
    if (transaction.payment_method == method) return transaction.id;
    orders_->Apply(transaction, Trigger::kCancelled);
  }
  Transaction fresh;
  fresh.payment_method = method;
  return orders_->AddTransaction(order, std::move(fresh)).id;
}

Result<void> Payments::PayWithCard(const Uuid& order, const Uuid& transaction,
                                   const CardEntry& entry) {
  SB_ASSIGN_OR_RETURN(const Wanted wanted, Find(orders_->Find(order), transaction));
  if (wanted.transaction->payment_method != kCard) return Invalid("the transaction takes no card");
  SB_RETURN_IF_ERROR(vault_->Check(entry));
  SB_ASSIGN_OR_RETURN(const Attempt attempt, Open(wanted, TransactionStatus::kNew));
  const VaultCard card = vault_->Keep(attempt.order->project_id, entry);
  return Run(attempt, card, Presence::kOnPage);
}

Result<void> Payments::PayWithStoredCard(const Uuid& order, const Uuid& transaction) {
  SB_ASSIGN_OR_RETURN(const Wanted wanted, Find(orders_->Find(order), transaction));
  const VaultCard* card = IsOneClick(*wanted.transaction) && wanted.transaction->card
                              ? vault_->Find(wanted.order->project_id, *wanted.transaction->card)
                              : nullptr;
  if (card == nullptr) return Invalid("the transaction has no stored card");
  SB_ASSIGN_OR_RETURN(const Attempt attempt, Open(wanted, TransactionStatus::kNew));
  return Run(attempt, *card, Presence::kOnPage);
}

Result<void> Payments::PayWithWallet(const Uuid& order, const Uuid& transaction, bool approve) {
  SB_ASSIGN_OR_RETURN(const Wanted wanted, Find(orders_->Find(order), transaction));
  if (wanted.transaction->payment_method == kCard ||
      wanted.transaction->payment_method == kPayout) {
    return Invalid("the transaction is paid with a card");
  }
  SB_ASSIGN_OR_RETURN(const Attempt attempt, Open(wanted, TransactionStatus::kNew));
  Begin(attempt, Trigger::kStarted);
  if (approve) {
    Complete(attempt);
  } else {
    Fail(attempt, Trigger::kDeclined, kDoNotHonor.code, kDoNotHonor.description);
  }
  return {};
}

Result<void> Payments::EndChallenge(const Uuid& order, const Uuid& transaction, bool passed) {
  SB_ASSIGN_OR_RETURN(const Wanted wanted, Find(orders_->Find(order), transaction));
  SB_ASSIGN_OR_RETURN(const Attempt attempt, Open(wanted, TransactionStatus::kPending));
  const VaultCard* card = vault_->Find(attempt.order->project_id, *attempt.transaction->card);
  const TestCard& test_card = CardVault::TestCardOf(*card);
  if (!passed || test_card.outcome == CardOutcome::kChallengeFails) {
    Fail(attempt, Trigger::kDeclined, kAuthenticationFailed.code,
         kAuthenticationFailed.description);
    return {};
  }
  orders_->Apply(*attempt.transaction, Trigger::kChallengePassed);
  WriteApproval(attempt, *card, true);
  Complete(attempt);
  return {};
}

Result<void> Payments::Cancel(const Uuid& order) {
  return EndUnpaid(order, Trigger::kCancelled, "cancelled by the customer",
                   "CanNotCancelTransaction");
}

Result<void> Payments::Expire(const Uuid& order) {
  return EndUnpaid(order, Trigger::kExpired, "expired", "TransactionAlreadyStarted");
}

Result<void> Payments::EndUnpaid(const Uuid& order_id, Trigger trigger, std::string_view reason,
                                 std::string_view error_type) {
  const Order* known = orders_->Find(order_id);
  if (known == nullptr) return NotFound();
  const bool open = IsOpen(*known);
  if (!open || IsUnderWay(*known) || IsPaid(*known)) {
    return ApiError{
        409, error_type,
        open ? "a payment is under way" : "the order is " + std::string(Text(known->status))};
  }
  Order& order = orders_->Edit(order_id);
  for (Transaction& transaction : order.transactions) {
    if (!IsFinal(transaction.status)) orders_->Apply(transaction, trigger);
  }
  order.reason = reason;
  orders_->Apply(order, trigger);
  return {};
}

Result<Payments::Attempt> Payments::OpenAttemptOf(const Uuid& order_id) {
  const Order* known = orders_->Find(order_id);
  if (known == nullptr) return NotFound();
  if (!IsOpen(*known)) {
    return AlreadyStarted(Text(known->status));
  }
  Order& order = orders_->Edit(order_id);
  for (Transaction& transaction : order.transactions) {
    if (!IsFinal(transaction.status)) return Attempt{&order, &transaction};
  }
  if (!order.customer_picks) return AlreadyStarted(Text(order.transactions.front().status));
  SB_ASSIGN_OR_RETURN(const Uuid chosen, ChooseMethod(order_id, kCard));
  return Attempt{&order, order.FindTransaction(chosen)};
}

Result<void> Payments::Approve(const Uuid& order_id) {
  const Order* known = orders_->Find(order_id);
  if (known == nullptr) return NotFound();
  if (known->status == OrderStatus::kError) {
    Order& order = orders_->Edit(order_id);
    Transaction& last = order.transactions.back();
    orders_->Apply(last, Trigger::kLateApproved);
    SetOutcome(kApproved, &last);
    RecordEffect({&order, &last});
    order.reason.clear();
    orders_->Apply(order, Trigger::kLateApproved);
    return {};
  }
  if (known->status == OrderStatus::kProcessing && IsPaid(*known)) {
    Settle(order_id);
    return {};
  }
  SB_ASSIGN_OR_RETURN(const Attempt attempt, OpenAttemptOf(order_id));
  if (attempt.transaction->status == TransactionStatus::kNew) Begin(attempt, Trigger::kStarted);
  if (attempt.transaction->status == TransactionStatus::kPending) {
    orders_->Apply(*attempt.transaction, Trigger::kChallengePassed);
  }
  Complete(attempt);
  return {};
}

Result<void> Payments::Decline(const Uuid& order_id) {
  SB_ASSIGN_OR_RETURN(const Attempt attempt, OpenAttemptOf(order_id));
  if (attempt.transaction->status == TransactionStatus::kNew) Begin(attempt, Trigger::kStarted);
  Fail(attempt, Trigger::kDeclined, kDoNotHonor.code, kDoNotHonor.description);
  return {};
}

void Payments::ExpireIfDue(const Uuid& order_id) {
  const Order* order = orders_->Find(order_id);
  if (order == nullptr) return;
  const Time end = order->created + ValidityOf(*order, ground_->settings);
  // What cannot expire now, because a payment is under way, is asked again when that has ended.
  if (ground_->clock.Now() >= end) std::ignore = Expire(order_id);
}

}  // namespace tollbridge::sandbox
