#include "sandbox/core/payments.h"

#include <algorithm>
#include <boost/json/value.hpp>
#include <utility>

#include "sandbox/core/issuer.h"

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
std::optional<ApiError> CheckOwnCheckout(const Order& order) {
  if (!order.customer_picks) return std::nullopt;
  return Invalid(
      "the customer pays this order on the hosted page: it was created without a transaction");
}

Millis ValidityOf(const Order& order, const Settings& settings) {
  if (!order.expiration_period) return settings.order_validity;
  return ParseDuration(*order.expiration_period).value_or(settings.order_validity);
}

}  // namespace

std::optional<ApiError> CheckOfferedMethods(
    const Project& project, const std::optional<std::vector<std::string>>& methods) {
  if (!methods) return std::nullopt;
  for (std::size_t i = 0; i < methods->size(); ++i) {
    const std::string field = "payment_methods[" + std::to_string(i) + "]";
    if (!project.HasMethod((*methods)[i])) return Invalid(field + " is not active for the project");
    if ((*methods)[i] == kPayout) return Invalid(field + " is server to server only");
  }
  return std::nullopt;
}

std::optional<ApiError> Payments::CheckAgainst(const Project& project, const Order& draft) const {
  if (orders_->full()) return ApiError{503, "ServerError", "the sandbox holds max_orders orders"};
  if (!project.HasCurrency(draft.currency)) {
    return Invalid("currency is not supported by the project");
  }
  if (auto error = CheckOfferedMethods(project, draft.payment_methods)) return error;
  if (draft.transactions.empty()) return std::nullopt;
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
  return std::nullopt;
}

std::variant<const VaultCard*, ApiError> Payments::CardNamedIn(const Project& project,
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

std::variant<const Order*, ApiError> Payments::Create(const Project& project, OrderDraft draft) {
  if (auto error = CheckAgainst(project, draft.order)) return *error;
  const VaultCard* card = nullptr;
  if (!draft.order.transactions.empty()) {
    auto named = CardNamedIn(project, draft.order.transactions.front());
    if (const ApiError* error = std::get_if<ApiError>(&named)) return *error;
    card = std::get<const VaultCard*>(named);
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
      if (auto error = Run({&order, &transaction}, *card, Presence::kAbsent)) return *error;
    }
  } else if (transaction.payment_method != kWalletA) {
    transaction.details["setup_token"] =
        vault_->IssueSetupToken(project.id, id, transaction.id).ToString();
  }
  return &order;
}

Payments::Found Payments::FindOpen(const Uuid& order_id, const Uuid& transaction_id,
                                   TransactionStatus status) {
  const Order* order = orders_->Find(order_id);
  const Transaction* found = order == nullptr ? nullptr : order->FindTransaction(transaction_id);
  if (found == nullptr) return NotFound();
  if (found->status != status) return AlreadyStarted(Text(found->status));
  // An issuer that answers late may find the order paid by another attempt.
  const bool may_be_over = status == TransactionStatus::kAccepted;
  if (!may_be_over && !IsOpen(*order)) {
    return ApiError{409, "TransactionAlreadyStarted",
                    "the order is " + std::string(Text(order->status))};
  }
  Order& edited = orders_->Edit(order_id);
  return Attempt{&edited, edited.FindTransaction(transaction_id)};
}

std::optional<ApiError> Payments::Initiate(const Project& project, const Uuid& order,
                                           const Uuid& transaction, const Uuid& vault_token) {
  const VaultCard* card = vault_->Find(project.id, vault_token);
  if (card == nullptr) return UnknownCard("vault_token");
  const Order* known = orders_->FindOf(project.id, order);
  const Transaction* wanted = known == nullptr ? nullptr : known->FindTransaction(transaction);
  if (wanted == nullptr) return NotFound();
  if (wanted->payment_method != kCard) return Invalid("initiate is for credit-card transactions");
  if (IsOneClick(*wanted)) return Invalid("a one-click payment needs the customer: payment_url");
  if (auto error = CheckOwnCheckout(*known)) return error;
  Found found = FindOpen(order, transaction, TransactionStatus::kNew);
  if (const ApiError* error = std::get_if<ApiError>(&found)) return *error;
  const Attempt attempt = std::get<Attempt>(found);
  attempt.transaction->own_checkout = true;
  attempt.transaction->details["vault_token"] = vault_token.ToString();
  attempt.transaction->details.emplace("schedule_type", "unscheduled");
  return Run(attempt, *card, Presence::kAbsent);
}

std::optional<ApiError> Payments::Authenticate(
    const Project& project, const Uuid& order, const Uuid& transaction, const Uuid& vault_token,
    const std::optional<ExternalAuthentication>& external) {
  const VaultCard* card = vault_->Find(project.id, vault_token);
  if (card == nullptr) return UnknownCard("vault_token");
  const Order* known = orders_->FindOf(project.id, order);
  const Transaction* wanted = known == nullptr ? nullptr : known->FindTransaction(transaction);
  if (wanted == nullptr) return NotFound();
  const bool payout = wanted->payment_method == kPayout;
  if (!payout && wanted->payment_method != kCard) {
    return Invalid("authenticate is for credit-card and credit-card-oct transactions");
  }
  if (payout && external) return Invalid("a payout takes no external 3-D Secure values");
  if (IsOneClick(*wanted)) return Invalid("a one-click payment is authenticated at payment_url");
  if (auto error = CheckOwnCheckout(*known)) return error;
  Found found = FindOpen(order, transaction, TransactionStatus::kNew);
  if (const ApiError* error = std::get_if<ApiError>(&found)) return *error;
  const Attempt attempt = std::get<Attempt>(found);
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

std::optional<ApiError> Payments::ExecuteWalletB(const Uuid& order, const Uuid& transaction,
                                                 const Uuid& vault_token, bool with_cryptogram) {
  const Order* known = orders_->Find(order);
  const Transaction* wanted = known == nullptr ? nullptr : known->FindTransaction(transaction);
  if (wanted == nullptr) return NotFound();
  if (wanted->payment_method != kWalletB) return Invalid("the transaction is not of wallet-b-pay");
  if (auto error = CheckOwnCheckout(*known)) return error;
  const VaultCard* card = vault_->Find(known->project_id, vault_token);
  if (card == nullptr) return UnknownCard("vaultToken");
  Found found = FindOpen(order, transaction, TransactionStatus::kNew);
  if (const ApiError* error = std::get_if<ApiError>(&found)) return *error;
  const Attempt attempt = std::get<Attempt>(found);
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

std::variant<Uuid, ApiError> Payments::ChooseMethod(const Uuid& order_id, std::string_view method) {
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

std::optional<ApiError> Payments::PayWithCard(const Uuid& order, const Uuid& transaction,
                                              const CardEntry& entry) {
  const Order* known = orders_->Find(order);
  const Transaction* wanted = known == nullptr ? nullptr : known->FindTransaction(transaction);
  if (wanted == nullptr) return NotFound();
  if (wanted->payment_method != kCard) return Invalid("the transaction takes no card");
  if (auto error = vault_->Check(entry)) return error;
  Found found = FindOpen(order, transaction, TransactionStatus::kNew);
  if (const ApiError* error = std::get_if<ApiError>(&found)) return *error;
  const Attempt attempt = std::get<Attempt>(found);
  const VaultCard card = vault_->Keep(attempt.order->project_id, entry);
  return Run(attempt, card, Presence::kOnPage);
}

std::optional<ApiError> Payments::PayWithStoredCard(const Uuid& order, const Uuid& transaction) {
  const Order* known = orders_->Find(order);
  const Transaction* wanted = known == nullptr ? nullptr : known->FindTransaction(transaction);
  if (wanted == nullptr) return NotFound();
  const VaultCard* card = IsOneClick(*wanted) && wanted->card
                              ? vault_->Find(known->project_id, *wanted->card)
                              : nullptr;
  if (card == nullptr) return Invalid("the transaction has no stored card");
  Found found = FindOpen(order, transaction, TransactionStatus::kNew);
  if (const ApiError* error = std::get_if<ApiError>(&found)) return *error;
  return Run(std::get<Attempt>(found), *card, Presence::kOnPage);
}

std::optional<ApiError> Payments::PayWithWallet(const Uuid& order, const Uuid& transaction,
                                                bool approve) {
  const Order* known = orders_->Find(order);
  const Transaction* wanted = known == nullptr ? nullptr : known->FindTransaction(transaction);
  if (wanted == nullptr) return NotFound();
  if (wanted->payment_method == kCard || wanted->payment_method == kPayout) {
    return Invalid("the transaction is paid with a card");
  }
  Found found = FindOpen(order, transaction, TransactionStatus::kNew);
  if (const ApiError* error = std::get_if<ApiError>(&found)) return *error;
  const Attempt attempt = std::get<Attempt>(found);
  Begin(attempt, Trigger::kStarted);
  if (approve) {
    Complete(attempt);
  } else {
    Fail(attempt, Trigger::kDeclined, kDoNotHonor.code, kDoNotHonor.description);
  }
  return std::nullopt;
}

std::optional<ApiError> Payments::EndChallenge(const Uuid& order, const Uuid& transaction,
                                               bool passed) {
  Found found = FindOpen(order, transaction, TransactionStatus::kPending);
  if (const ApiError* error = std::get_if<ApiError>(&found)) return *error;
  const Attempt attempt = std::get<Attempt>(found);
  const VaultCard* card = vault_->Find(attempt.order->project_id, *attempt.transaction->card);
  const TestCard& test_card = CardVault::TestCardOf(*card);
  if (!passed || test_card.outcome == CardOutcome::kChallengeFails) {
    Fail(attempt, Trigger::kDeclined, kAuthenticationFailed.code,
         kAuthenticationFailed.description);
    return std::nullopt;
  }
  orders_->Apply(*attempt.transaction, Trigger::kChallengePassed);
  WriteApproval(attempt, *card, true);
  Complete(attempt);
  return std::nullopt;
}

std::optional<ApiError> Payments::Cancel(const Uuid& order) {
  return EndUnpaid(order, Trigger::kCancelled, "cancelled by the customer",
                   "CanNotCancelTransaction");
}

std::optional<ApiError> Payments::Expire(const Uuid& order) {
  return EndUnpaid(order, Trigger::kExpired, "expired", "TransactionAlreadyStarted");
}

std::optional<ApiError> Payments::EndUnpaid(const Uuid& order_id, Trigger trigger,
                                            std::string_view reason, std::string_view error_type) {
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
  return std::nullopt;
}

Payments::Found Payments::OpenAttemptOf(const Uuid& order_id) {
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
  const std::variant<Uuid, ApiError> chosen = ChooseMethod(order_id, kCard);
  if (const ApiError* error = std::get_if<ApiError>(&chosen)) return *error;
  return Attempt{&order, order.FindTransaction(std::get<Uuid>(chosen))};
}

std::optional<ApiError> Payments::Approve(const Uuid& order_id) {
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
    return std::nullopt;
  }
  if (known->status == OrderStatus::kProcessing && IsPaid(*known)) {
    Settle(order_id);
    return std::nullopt;
  }
  Found found = OpenAttemptOf(order_id);
  if (const ApiError* error = std::get_if<ApiError>(&found)) return *error;
  const Attempt attempt = std::get<Attempt>(found);
  if (attempt.transaction->status == TransactionStatus::kNew) Begin(attempt, Trigger::kStarted);
  if (attempt.transaction->status == TransactionStatus::kPending) {
    orders_->Apply(*attempt.transaction, Trigger::kChallengePassed);
  }
  Complete(attempt);
  return std::nullopt;
}

std::optional<ApiError> Payments::Decline(const Uuid& order_id) {
  Found found = OpenAttemptOf(order_id);
  if (const ApiError* error = std::get_if<ApiError>(&found)) return *error;
  const Attempt attempt = std::get<Attempt>(found);
  if (attempt.transaction->status == TransactionStatus::kNew) Begin(attempt, Trigger::kStarted);
  Fail(attempt, Trigger::kDeclined, kDoNotHonor.code, kDoNotHonor.description);
  return std::nullopt;
}

void Payments::ExpireIfDue(const Uuid& order_id) {
  const Order* order = orders_->Find(order_id);
  if (order == nullptr) return;
  const Time end = order->created + ValidityOf(*order, ground_->settings);
  // What cannot expire now, because a payment is under way, is asked again when that has ended.
  if (ground_->clock.Now() >= end) Expire(order_id);
}

}  // namespace tollbridge::sandbox
