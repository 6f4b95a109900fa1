// The second half of class Payments: what becomes of one attempt once it has begun.
#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "sandbox/core/customer_text.h"
#include "sandbox/core/issuer.h"
#include "sandbox/core/payments.h"
#include "sandbox/core/result.h"

namespace tollbridge::sandbox {
namespace {

constexpr std::size_t kApprovalCodeDigits = 6;
constexpr std::size_t kNetworkIdDigits = 15;
constexpr Millis kSlowIssuer = std::chrono::seconds(kSlowIssuerSeconds);

/// Whether the card was entered on a page for this payment alone.
bool IsForThisPaymentOnly(const Transaction& transaction) {
  return !transaction.own_checkout && transaction.transaction_type != "oct" &&
         transaction.Detail("one_click_type").empty();
}

}  // namespace

Result<void> Payments::Run(Attempt attempt, const VaultCard& card, Presence presence) {
  Transaction& transaction = *attempt.transaction;
  transaction.card = card.token;
  WriteCard(card, &transaction);
  const CardOutcome outcome = CardVault::TestCardOf(card).outcome;
  const bool asks = outcome == CardOutcome::kChallenge || outcome == CardOutcome::kChallengeFails;
  const bool can_be_asked = presence == Presence::kOnPage || presence == Presence::kOwnCheckout;
  if (asks && can_be_asked) {
    Begin(attempt, Trigger::kChallenged);
    return {};
  }
  Begin(attempt, Trigger::kStarted);
  return AskIssuer(attempt, card, presence);
}

Result<void> Payments::AskIssuer(Attempt attempt, const VaultCard& card, Presence presence) {
  const TestCard& test_card = CardVault::TestCardOf(card);
  const std::string& type = attempt.transaction->transaction_type;
  const bool permitted =
      (type != "aft" || test_card.aft_allowed) && (type != "oct" || test_card.oct_allowed);
  if (!permitted) {
    Fail(attempt, Trigger::kDeclined, kNotPermitted.code, kNotPermitted.description);
    return {};
  }
  const bool authenticated = presence == Presence::kAuthenticated;
  switch (test_card.outcome) {
    case CardOutcome::kDeclined:
      Fail(attempt, Trigger::kDeclined, test_card.response_code,
           test_card.response_code_description);
      return {};
    case CardOutcome::kIssuerError:
      Fail(attempt, Trigger::kIssuerFailed, kUnavailable.code, kUnavailable.description);
      return {};
    case CardOutcome::kApprovedLate:
      CompleteAfter(kSlowIssuer, attempt);
      return {};
    case CardOutcome::kAnswerLost:
      CompleteAfter(kSlowIssuer, attempt);
      return ApiError{502, "FailedToFetchTransactionInformation",
                      "the transaction's outcome could not be retrieved"};
    case CardOutcome::kChallenge:
      if (!authenticated) {
        Fail(attempt, Trigger::kDeclined, kAuthenticationNeeded.code,
             kAuthenticationNeeded.description);
        return {};
      }
      break;
    case CardOutcome::kChallengeFails:
      Fail(attempt, Trigger::kDeclined, kAuthenticationFailed.code,
           kAuthenticationFailed.description);
      return {};
    case CardOutcome::kApproved:
      break;
  }
  WriteApproval(attempt, card, authenticated);
  if (presence == Presence::kAbsent && ground_->settings.processing_time > Millis{0}) {
    CompleteAfter(ground_->settings.processing_time, attempt);
  } else {
    Complete(attempt);
  }
  return {};
}

void Payments::Begin(Attempt attempt, Trigger trigger) {
  orders_->Apply(*attempt.transaction, trigger);
  attempt.transaction->details.erase("setup_token");
  if (attempt.order->status == OrderStatus::kNew) orders_->Apply(*attempt.order, Trigger::kStarted);
}

void Payments::WriteApproval(Attempt attempt, const VaultCard& card, bool shifted) {
  Transaction& transaction = *attempt.transaction;
  boost::json::object& details = transaction.details;
  details["approval_code"] = ground_->ids.Digits(kApprovalCodeDigits);
  details["authorization_iso_response_code"] = kApproved.code;
  const bool continues_series =
      details.contains("first_network_transaction_id") || IsOneClick(transaction);
  const std::string network_id = ground_->ids.Digits(kNetworkIdDigits);
  details["network_transaction_id"] = network_id;
  if (!details.contains("first_network_transaction_id")) {
    details["first_network_transaction_id"] = network_id;
  }
  if (shifted) details["liability_shift"] = true;
  if (transaction.transaction_type == "oct") {
    // The customer's country, which payouts give back.
    CustomerText customer(*attempt.order);
    if (const auto country = customer.Find("country"); country && !country->empty()) {
      details["consumer_country"] = *country;
    }
  }
  if (!continues_series) WriteNameInquiry(card, &transaction);
}

void Payments::CompleteAfter(Millis delay, Attempt attempt) {
  const Uuid order_id = attempt.order->id;
  const Uuid transaction_id = attempt.transaction->id;
  ground_->timeline.After(delay, [this, order_id, transaction_id, cause = ground_->cause] {
    const Result<Wanted> wanted = Find(orders_->Find(order_id), transaction_id);
    if (!wanted.ok()) return;
    const Result<Attempt> later = Open(*wanted, TransactionStatus::kAccepted);
    if (!later.ok()) return;
    ground_->cause = cause;
    const std::optional<Uuid> token = later->transaction->card;
    const VaultCard* card = token ? vault_->Find(later->order->project_id, *token) : nullptr;
    if (card != nullptr && later->transaction->Detail("approval_code").empty()) {
      WriteApproval(*later, *card, false);
    }
    Complete(*later);
  });
}

void Payments::Complete(Attempt attempt) {
  Order& order = *attempt.order;
  Transaction& transaction = *attempt.transaction;
  orders_->Apply(transaction, Trigger::kApproved);
  SetOutcome(kApproved, &transaction);
  transaction.is_capturable = !transaction.capture_mode.empty() && transaction.amount > 0;
  RecordEffect(attempt);
  if (transaction.card) {
    if (transaction.Detail("one_click_type") == "first") {
      transaction.details["vault_token"] = transaction.card->ToString();
      vault_->RememberFirst(transaction.id, *transaction.card);
    } else if (IsForThisPaymentOnly(transaction)) {
      vault_->Forget(*transaction.card);
    }
  }
  if (transaction.is_capturable && transaction.capture_mode == "delayed") {
    ground_->timeline.After(kDelayedCaptureAfter,
                            [this, order_id = order.id, transaction_id = transaction.id] {
                              ground_->cause = {.operation = "delayed_capture"};
                              delayed_capture_(order_id, transaction_id);
                            });
  }

  if (order.status == OrderStatus::kCompleted) {
    orders_->Apply(order, Trigger::kPaidTwice);
    return;
  }
  if (order.status != OrderStatus::kProcessing) return;
  if (transaction.own_checkout && ground_->settings.own_checkout_hold > Millis{0}) {
    ground_->timeline.After(ground_->settings.own_checkout_hold,
                            [this, id = order.id] { Settle(id); });
    return;
  }
  // What the customer had begun beside it can no longer be paid.
  for (Transaction& other : order.transactions) {
    if (other.status == TransactionStatus::kNew || other.status == TransactionStatus::kPending) {
      orders_->Apply(other, Trigger::kCancelled);
    }
  }
  orders_->Apply(order, Trigger::kApproved);
}

void Payments::Fail(Attempt attempt, Trigger trigger, std::string_view code,
                    std::string_view description) {
  Order& order = *attempt.order;
  Transaction& transaction = *attempt.transaction;
  orders_->Apply(transaction, trigger);
  SetOutcome({code, description}, &transaction);
  transaction.details.erase("approval_code");
  if (transaction.card && IsForThisPaymentOnly(transaction)) vault_->Forget(*transaction.card);
  const Uuid id = order.id;
  // Where the customer picks, another method can be tried until the order expires.
  if (!order.customer_picks && order.status == OrderStatus::kProcessing) {
    order.reason = "declined: " + std::string(description);
    if (trigger == Trigger::kIssuerFailed) order.reason = description;
    orders_->Apply(order, trigger);
  }
  ExpireIfDue(id);
}

void Payments::Settle(const Uuid& order_id) {
  const Order* known = orders_->Find(order_id);
  if (known == nullptr || known->status != OrderStatus::kProcessing) return;
  orders_->Apply(orders_->Edit(order_id), Trigger::kSettled);
}

void Payments::RecordEffect(Attempt attempt) {
  const Order& order = *attempt.order;
  const Transaction& transaction = *attempt.transaction;
  if (transaction.amount == 0) return;
  Effect effect = Effect::kCharge;
  if (transaction.debit) {
    effect = Effect::kPayout;
  } else if (!transaction.capture_mode.empty()) {
    effect = Effect::kAuthorize;
  }
  ground_->ledger.Append({.effect = effect,
                          .at = ground_->clock.Now(),
                          .project_id = order.project_id,
                          .order_id = order.id,
                          .transaction_id = transaction.id,
                          .result_order_id = order.id,
                          .amount = transaction.amount,
                          .currency = order.currency,
                          .cause = ground_->cause});
}

}  // namespace tollbridge::sandbox
