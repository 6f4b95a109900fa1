#include "sandbox/core/payments.h"

#include <algorithm>
#include <boost/json/value.hpp>
#include <utility>

#include "sandbox/core/issuer.h"
#include "sandbox/core/result.h"

namespace tollbridge::sandbox {
namespace {

constexpr std::string_view kCard = "credit-card";
constexpr std::string_view kPayout = "credit-card-oct";
constexpr std::string_view kWalletA = "wallet-a-pay";
constexpr std::string_view kWalletB = "wallet-b-pay";

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
  if (!project.Takes(transaction.payment_method, draft.currency)) {
    return Invalid("currency is not supported by transactions[0].payment_method");
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
  attempts_->ExpireWhenDue(order);
  if (order.transactions.empty()) return &order;

  Transaction& transaction = order.transactions.front();
  if (card != nullptr) {
    transaction.card = card->token;
    WriteCard(*card, &transaction);
    if (transaction.payment_method == kPayout) {
      SB_RETURN_IF_ERROR(attempts_->Run({&order, &transaction}, *card, Presence::kAbsent));
    }
  } else if (transaction.payment_method != kWalletA) {
    transaction.details["setup_token"] =
        vault_->IssueSetupToken(project.id, id, transaction.id).ToString();
  }
  return &order;
}

Result<void> Payments::Initiate(const Project& project, const Uuid& order, const Uuid& transaction,
                                const Uuid& vault_token) {
  const VaultCard* card = vault_->Find(project.id, vault_token);
  if (card == nullptr) return UnknownCard("vault_token");
  SB_ASSIGN_OR_RETURN(const Wanted wanted,
                      Attempts::Find(orders_->FindOf(project.id, order), transaction));
  if (wanted.transaction->payment_method != kCard) {
    return Invalid("initiate is for credit-card transactions");
  }
  if (IsOneClick(*wanted.transaction)) {
    return Invalid("a one-click payment needs the customer: payment_url");
  }
  SB_RETURN_IF_ERROR(CheckOwnCheckout(*wanted.order));
  SB_ASSIGN_OR_RETURN(const OpenAttempt attempt, attempts_->Open(wanted, TransactionStatus::kNew));
  attempt.transaction->own_checkout = true;
  attempt.transaction->details["vault_token"] = vault_token.ToString();
  attempt.transaction->details.emplace("schedule_type", "unscheduled");
  return attempts_->Run(attempt, *card, Presence::kAbsent);
}

Result<void> Payments::Authenticate(const Project& project, const Uuid& order,
                                    const Uuid& transaction, const Uuid& vault_token,
                                    const std::optional<ExternalAuthentication>& external) {
  const VaultCard* card = vault_->Find(project.id, vault_token);
  if (card == nullptr) return UnknownCard("vault_token");
  SB_ASSIGN_OR_RETURN(const Wanted wanted,
                      Attempts::Find(orders_->FindOf(project.id, order), transaction));
  const bool payout = wanted.transaction->payment_method == kPayout;
  if (!payout && wanted.transaction->payment_method != kCard) {
    return Invalid("authenticate is for credit-card and credit-card-oct transactions");
  }
  if (payout && external) return Invalid("a payout takes no external 3-D Secure values");
  if (IsOneClick(*wanted.transaction)) {
    return Invalid("a one-click payment is authenticated at payment_url");
  }
  SB_RETURN_IF_ERROR(CheckOwnCheckout(*wanted.order));
  SB_ASSIGN_OR_RETURN(const OpenAttempt attempt, attempts_->Open(wanted, TransactionStatus::kNew));
  attempt.transaction->own_checkout = !payout;
  attempt.transaction->details["vault_token"] = vault_token.ToString();
  if (external) {
    attempt.transaction->details["external_authentication_details"] = {
        {"authenticationValue", external->cavv},
        {"dsTransID", external->ds_transaction_id},
        {"methodUsed", external->method_used},
        {"protocolVersion", external->version}};
    return attempts_->Run(attempt, *card, Presence::kAuthenticated);
  }
  return attempts_->Run(attempt, *card, payout ? Presence::kAbsent : Presence::kOwnCheckout);
}

Result<void> Payments::ExecuteWalletB(const Uuid& order, const Uuid& transaction,
                                      const Uuid& vault_token, bool with_cryptogram) {
  SB_ASSIGN_OR_RETURN(const Wanted wanted, Attempts::Find(orders_->Find(order), transaction));
  if (wanted.transaction->payment_method != kWalletB) {
    return Invalid("the transaction is not of wallet-b-pay");
  }
  SB_RETURN_IF_ERROR(CheckOwnCheckout(*wanted.order));
  const VaultCard* card = vault_->Find(wanted.order->project_id, vault_token);
  if (card == nullptr) return UnknownCard("vaultToken");
  SB_ASSIGN_OR_RETURN(const OpenAttempt attempt, attempts_->Open(wanted, TransactionStatus::kNew));
  attempt.transaction->own_checkout = true;
  return attempts_->Run(attempt, *card,
                        with_cryptogram ? Presence::kAuthenticated : Presence::kOwnCheckout);
}

std::vector<std::string> Payments::OfferedMethods(const Project& project,
                                                  const Order& order) const {
  if (!order.customer_picks && !order.transactions.empty()) {
    return {order.transactions.front().payment_method};
  }
  std::vector<std::string> offered = order.payment_methods.value_or(project.payment_methods);
  // Payouts are server to server only.
  std::erase_if(offered, [&](const std::string& method) {
    return method == kPayout || !project.Takes(method, order.currency);
  });
  return offered;
}

Result<Uuid> Payments::ChooseMethod(const Uuid& order_id, std::string_view method) {
  const Order* known = orders_->Find(order_id);
  if (known == nullptr) return NotFound();
  if (!IsOpen(*known)) {
    return AlreadyStarted(Text(known->status));
  }
  if (!known->customer_picks) return Invalid("the order has its payment method");
  const Project* project = simulation_->FindProject(known->project_id);
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
    orders_->Apply(order, transaction, Trigger::kCancelled);
  }
  Transaction fresh;
  fresh.payment_method = method;
  return orders_->AddTransaction(order, std::move(fresh)).id;
}

Result<void> Payments::PayWithCard(const Uuid& order, const Uuid& transaction,
                                   const CardEntry& entry) {
  SB_ASSIGN_OR_RETURN(const Wanted wanted, Attempts::Find(orders_->Find(order), transaction));
  if (wanted.transaction->payment_method != kCard) return Invalid("the transaction takes no card");
  SB_RETURN_IF_ERROR(vault_->Check(entry));
  SB_ASSIGN_OR_RETURN(const OpenAttempt attempt, attempts_->Open(wanted, TransactionStatus::kNew));
  const VaultCard card = vault_->Keep(attempt.order->project_id, entry);
  return attempts_->Run(attempt, card, Presence::kOnPage);
}

Result<void> Payments::PayWithStoredCard(const Uuid& order, const Uuid& transaction) {
  SB_ASSIGN_OR_RETURN(const Wanted wanted, Attempts::Find(orders_->Find(order), transaction));
  const VaultCard* card = IsOneClick(*wanted.transaction) && wanted.transaction->card
                              ? vault_->Find(wanted.order->project_id, *wanted.transaction->card)
                              : nullptr;
  if (card == nullptr) return Invalid("the transaction has no stored card");
  SB_ASSIGN_OR_RETURN(const OpenAttempt attempt, attempts_->Open(wanted, TransactionStatus::kNew));
  return attempts_->Run(attempt, *card, Presence::kOnPage);
}

Result<void> Payments::PayWithWallet(const Uuid& order, const Uuid& transaction, bool approve) {
  SB_ASSIGN_OR_RETURN(const Wanted wanted, Attempts::Find(orders_->Find(order), transaction));
  if (wanted.transaction->payment_method == kCard ||
      wanted.transaction->payment_method == kPayout) {
    return Invalid("the transaction is paid with a card");
  }
  SB_ASSIGN_OR_RETURN(const OpenAttempt attempt, attempts_->Open(wanted, TransactionStatus::kNew));
  attempts_->Begin(attempt, Trigger::kStarted);
  if (approve) {
    attempts_->Complete(attempt);
  } else {
    attempts_->Decline(attempt);
  }
  return {};
}

Result<void> Payments::EndChallenge(const Uuid& order, const Uuid& transaction, bool passed) {
  SB_ASSIGN_OR_RETURN(const Wanted wanted, Attempts::Find(orders_->Find(order), transaction));
  SB_ASSIGN_OR_RETURN(const OpenAttempt attempt,
                      attempts_->Open(wanted, TransactionStatus::kPending));
  attempts_->EndChallenge(attempt, passed);
  return {};
}

Result<void> Payments::Cancel(const Uuid& order) {
  return attempts_->EndUnpaid(order, Trigger::kCancelled, "cancelled by the customer",
                              "CanNotCancelTransaction");
}

Result<void> Payments::Expire(const Uuid& order) { return attempts_->Expire(order); }

Result<OpenAttempt> Payments::OpenAttemptOf(const Uuid& order_id) {
  const Order* known = orders_->Find(order_id);
  if (known == nullptr) return NotFound();
  if (!IsOpen(*known)) {
    return AlreadyStarted(Text(known->status));
  }
  Order& order = orders_->Edit(order_id);
  for (Transaction& transaction : order.transactions) {
    if (!IsFinal(transaction.status)) return OpenAttempt{&order, &transaction};
  }
  if (!order.customer_picks) return AlreadyStarted(Text(order.transactions.front().status));
  SB_ASSIGN_OR_RETURN(const Uuid chosen, ChooseMethod(order_id, kCard));
  return OpenAttempt{&order, order.FindTransaction(chosen)};
}

Result<void> Payments::Approve(const Uuid& order_id) {
  const Order* known = orders_->Find(order_id);
  if (known == nullptr) return NotFound();
  if (known->status == OrderStatus::kError) {
    Order& order = orders_->Edit(order_id);
    const OpenAttempt failed{&order, &order.transactions.back()};
    attempts_->UseCardOfOperator(failed);
    attempts_->CompleteLate(failed);
    return {};
  }
  if (known->status == OrderStatus::kProcessing && IsPaid(*known)) {
    attempts_->Settle(order_id);
    return {};
  }
  SB_ASSIGN_OR_RETURN(const OpenAttempt attempt, OpenAttemptOf(order_id));
  if (attempt.transaction->status == TransactionStatus::kNew) {
    attempts_->Begin(attempt, Trigger::kStarted);
  }
  if (attempt.transaction->status == TransactionStatus::kPending) {
    orders_->Apply(*attempt.order, *attempt.transaction, Trigger::kChallengePassed);
  }
  attempts_->UseCardOfOperator(attempt);
  attempts_->Complete(attempt);
  return {};
}

Result<void> Payments::Decline(const Uuid& order_id) {
  SB_ASSIGN_OR_RETURN(const OpenAttempt attempt, OpenAttemptOf(order_id));
  if (attempt.transaction->status == TransactionStatus::kNew) {
    attempts_->Begin(attempt, Trigger::kStarted);
  }
  attempts_->Decline(attempt);
  return {};
}

}  // namespace tollbridge::sandbox
