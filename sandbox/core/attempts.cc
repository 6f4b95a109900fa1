#include "sandbox/core/attempts.h"

#include <chrono>
#include <string>
#include <tuple>
#include <utility>

#include "sandbox/core/customer_text.h"
#include "sandbox/core/issuer.h"
#include "sandbox/core/result.h"
#include "sandbox/core/test_cards.h"

namespace tollbridge::sandbox {
namespace {

constexpr std::size_t kApprovalCodeDigits = 6;
constexpr std::size_t kNetworkIdDigits = 15;
/// Of the card that stands in for one where the operator pays.
constexpr std::string_view kOperatorsExpiry = "129999";
constexpr Millis kSlowIssuer = std::chrono::seconds(kSlowIssuerSeconds);

/// Whether the card was entered on a page for this payment alone.
bool IsForThisPaymentOnly(const Transaction& transaction) {
  return !transaction.own_checkout && transaction.transaction_type != "oct" &&
         transaction.Detail("one_click_type").empty();
}

/// The first payment of a one-click series: its card is stored.
bool IsFirst(const Transaction& transaction) {
  return transaction.Detail("one_click_type") == "first";
}

Millis ValidityOf(const Order& order, const Settings& settings) {
  if (!order.expiration_period) return settings.order_validity;
  return ParseDuration(*order.expiration_period).value_or(settings.order_validity);
}

}  // namespace

ApiError AlreadyStarted(std::string_view status) {
  return {409, "TransactionAlreadyStarted", "the transaction is " + std::string(status)};
}

Result<Attempts::Wanted> Attempts::Find(const Order* order, const Uuid& transaction_id) {
  // What goes back is nothing to be paid.
  const bool payable = order != nullptr && !IsPendingRefund(*order);
  const Transaction* found = payable ? order->FindTransaction(transaction_id) : nullptr;
  if (found == nullptr) return NotFound();
  return Wanted{order, found};
}

Result<OpenAttempt> Attempts::Open(const Wanted& wanted, TransactionStatus status) {
  const TransactionStatus is = wanted.transaction->status;
  if (is != status && !WasStarted(*wanted.transaction)) {
    return WrongState("the transaction cannot be started: it is " + std::string(Text(is)));
  }
  if (is != status) return AlreadyStarted(Text(is));
  // An issuer that answers late may find the order paid by another attempt.
  const bool may_be_over = status == TransactionStatus::kAccepted;
  if (!may_be_over && !IsOpen(*wanted.order)) {
    return ApiError{409, "TransactionAlreadyStarted",
                    "the order is " + std::string(Text(wanted.order->status))};
  }
  Order& order = orders_->Edit(wanted.order->id);
  return OpenAttempt{&order, order.FindTransaction(wanted.transaction->id)};
}

Result<void> Attempts::Run(OpenAttempt attempt, const VaultCard& card, Presence presence) {
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
  return Conclude(attempt, card, presence);
}

Result<void> Attempts::Conclude(OpenAttempt attempt, const VaultCard& card, Presence presence) {
  const bool authenticated = presence == Presence::kAuthenticated;
  const IssuerDecision decision =
      AskIssuer(CardVault::TestCardOf(card), *attempt.transaction, authenticated);
  switch (decision.kind) {
    case IssuerDecision::Kind::kDeclined:
      Fail(attempt, Trigger::kDeclined, decision.answer);
      return {};
    case IssuerDecision::Kind::kFailed:
      Fail(attempt, Trigger::kIssuerFailed, decision.answer);
      return {};
    case IssuerDecision::Kind::kApprovedLate:
      CompleteAfter(kSlowIssuer, attempt);
      return {};
    case IssuerDecision::Kind::kAnswerLost:
      CompleteAfter(kSlowIssuer, attempt);
      return ApiError{502, "FailedToFetchTransactionInformation",
                      "the transaction's outcome could not be retrieved"};
    case IssuerDecision::Kind::kApproved:
      break;
  }
  WriteApproval(attempt, card, authenticated);
  if (presence == Presence::kAbsent && simulation_->settings.processing_time > Millis{0}) {
    CompleteAfter(simulation_->settings.processing_time, attempt);
  } else {
    Complete(attempt);
  }
  return {};
}

void Attempts::Begin(OpenAttempt attempt, Trigger trigger) {
  orders_->Apply(*attempt.order, *attempt.transaction, trigger);
  attempt.transaction->details.erase("setup_token");
  if (attempt.order->status == OrderStatus::kNew) orders_->Apply(*attempt.order, Trigger::kStarted);
}

void Attempts::WriteApproval(OpenAttempt attempt, const VaultCard& card, bool shifted) {
  Transaction& transaction = *attempt.transaction;
  boost::json::object& details = transaction.details;
  details["approval_code"] = simulation_->ids.Digits(kApprovalCodeDigits);
  details["authorization_iso_response_code"] = kApproved.code;
  const bool continues_series =
      details.contains("first_network_transaction_id") || IsOneClick(transaction);
  const std::string network_id = simulation_->ids.Digits(kNetworkIdDigits);
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

void Attempts::CompleteAfter(Millis delay, OpenAttempt attempt) {
  const Uuid order_id = attempt.order->id;
  const Uuid transaction_id = attempt.transaction->id;
  simulation_->timeline.After(delay, [this, order_id, transaction_id, cause = simulation_->cause] {
    const Result<Wanted> wanted = Find(orders_->Find(order_id), transaction_id);
    if (!wanted.ok()) return;
    const Result<OpenAttempt> later = Open(*wanted, TransactionStatus::kAccepted);
    if (!later.ok()) return;
    simulation_->cause = cause;
    const std::optional<Uuid> token = later->transaction->card;
    const VaultCard* card = token ? vault_->Find(later->order->project_id, *token) : nullptr;
    if (card != nullptr && later->transaction->Detail("approval_code").empty()) {
      WriteApproval(*later, *card, false);
    }
    Complete(*later);
  });
}

void Attempts::Complete(OpenAttempt attempt) {
  Order& order = *attempt.order;
  Transaction& transaction = *attempt.transaction;
  orders_->Apply(order, transaction, Trigger::kApproved);
  SetOutcome(kApproved, &transaction);
  transaction.is_capturable = !transaction.capture_mode.empty() && transaction.amount > 0;
  RecordEffect(attempt);
  KeepOrForgetCard(transaction);
  if (transaction.is_capturable && transaction.capture_mode == "delayed") CaptureLater(attempt);

  if (order.status == OrderStatus::kCompleted) {
    orders_->Apply(order, Trigger::kPaidTwice);
    return;
  }
  if (order.status != OrderStatus::kProcessing) return;
  if (transaction.own_checkout && simulation_->settings.own_checkout_hold > Millis{0}) {
    simulation_->timeline.After(simulation_->settings.own_checkout_hold,
                                [this, id = order.id] { Settle(id); });
    return;
  }
  EndOthers(order);
  orders_->Apply(order, Trigger::kApproved);
}

void Attempts::EndOthers(Order& order) {
  for (Transaction& other : order.transactions) {
    if (other.status == TransactionStatus::kNew || other.status == TransactionStatus::kPending) {
      orders_->Apply(order, other, Trigger::kCancelled);
    }
  }
}

void Attempts::CaptureLater(OpenAttempt attempt) {
  const Settings& settings = simulation_->settings;
  const Time when = settings.variants.capture_at_expiry
                        ? attempt.order->created + ValidityOf(*attempt.order, settings)
                        : simulation_->clock.Now() + kDelayedCaptureAfter;
  simulation_->timeline.At(
      when, [this, order_id = attempt.order->id, transaction_id = attempt.transaction->id] {
        simulation_->cause = {.operation = "delayed_capture"};
        delayed_capture_(order_id, transaction_id);
      });
}

void Attempts::KeepOrForgetCard(Transaction& transaction) {
  if (!transaction.card) return;
  if (IsFirst(transaction)) {
    transaction.details["vault_token"] = transaction.card->ToString();
    vault_->RememberFirst(transaction.id, *transaction.card);
  } else if (IsForThisPaymentOnly(transaction)) {
    vault_->Forget(*transaction.card);
  }
}

void Attempts::UseCardOfOperator(OpenAttempt attempt) {
  Transaction& transaction = *attempt.transaction;
  if (!IsFirst(transaction) || transaction.card) return;
  const VaultCard& card = vault_->Keep(
      attempt.order->project_id,
      {.pan = TestCards().front().pan, .expiry = kOperatorsExpiry, .cardholder_name = ""});
  transaction.card = card.token;
  WriteCard(card, &transaction);
}

void Attempts::Fail(OpenAttempt attempt, Trigger trigger, const IssuerAnswer& answer) {
  Order& order = *attempt.order;
  Transaction& transaction = *attempt.transaction;
  orders_->Apply(order, transaction, trigger);
  SetOutcome(answer, &transaction);
  transaction.details.erase("approval_code");
  if (transaction.card && IsForThisPaymentOnly(transaction)) vault_->Forget(*transaction.card);
  const Uuid id = order.id;
  // Where the customer picks, another method can be tried until the order expires. Where a decline
  // is the end, it is that of the last attempt under way.
  const bool ends = !order.customer_picks ||
                    (simulation_->settings.variants.decline_ends_order && !IsUnderWay(order));
  if (ends && order.status == OrderStatus::kProcessing) {
    EndOthers(order);
    order.reason = "declined: " + std::string(answer.description);
    if (trigger == Trigger::kIssuerFailed) order.reason = answer.description;
    orders_->Apply(order, trigger);
  }
  ExpireIfDue(id);
}

void Attempts::Settle(const Uuid& order_id) {
  const Order* known = orders_->Find(order_id);
  if (known == nullptr || known->status != OrderStatus::kProcessing) return;
  orders_->Apply(orders_->Edit(order_id), Trigger::kSettled);
}

void Attempts::RecordEffect(OpenAttempt attempt) {
  const Order& order = *attempt.order;
  const Transaction& transaction = *attempt.transaction;
  if (transaction.amount == 0) return;
  Effect effect = Effect::kCharge;
  if (transaction.debit) {
    effect = Effect::kPayout;
  } else if (!transaction.capture_mode.empty()) {
    effect = Effect::kAuthorize;
  }
  simulation_->ledger.Append({.effect = effect,
                              .at = simulation_->clock.Now(),
                              .project_id = order.project_id,
                              .order_id = order.id,
                              .transaction_id = transaction.id,
                              .result_order_id = order.id,
                              .amount = transaction.amount,
                              .currency = order.currency,
                              .cause = simulation_->cause});
}

void Attempts::Decline(OpenAttempt attempt) { Fail(attempt, Trigger::kDeclined, kDoNotHonor); }

void Attempts::EndChallenge(OpenAttempt attempt, bool passed) {
  const VaultCard* card = vault_->Find(attempt.order->project_id, *attempt.transaction->card);
  const TestCard& test_card = CardVault::TestCardOf(*card);
  if (!passed || test_card.outcome == CardOutcome::kChallengeFails) {
    Fail(attempt, Trigger::kDeclined, kAuthenticationFailed);
    return;
  }
  orders_->Apply(*attempt.order, *attempt.transaction, Trigger::kChallengePassed);
  WriteApproval(attempt, *card, true);
  Complete(attempt);
}

void Attempts::CompleteLate(OpenAttempt attempt) {
  orders_->Apply(*attempt.order, *attempt.transaction, Trigger::kLateApproved);
  KeepOrForgetCard(*attempt.transaction);
  SetOutcome(kApproved, attempt.transaction);
  RecordEffect(attempt);
  attempt.order->reason.clear();
  orders_->Apply(*attempt.order, Trigger::kLateApproved);
}

void Attempts::ExpireWhenDue(const Order& order) {
  simulation_->timeline.After(ValidityOf(order, simulation_->settings),
                              [this, id = order.id] { ExpireIfDue(id); });
}

Result<void> Attempts::EndUnpaid(const Uuid& order_id, Trigger trigger, std::string_view reason,
                                 std::string_view error_type) {
  const Order* known = orders_->Find(order_id);
  if (known == nullptr) return NotFound();
  const bool open = IsOpen(*known);
  if (!open || IsUnderWay(*known) || IsPaid(*known) || IsPendingRefund(*known)) {
    return ApiError{
        409, error_type,
        open ? "a payment is under way" : "the order is " + std::string(Text(known->status))};
  }
  Order& order = orders_->Edit(order_id);
  for (Transaction& transaction : order.transactions) {
    if (!IsFinal(transaction.status)) orders_->Apply(order, transaction, trigger);
  }
  order.reason = reason;
  orders_->Apply(order, trigger);
  return {};
}

Result<void> Attempts::Expire(const Uuid& order) {
  return EndUnpaid(order, Trigger::kExpired, "expired", "TransactionAlreadyStarted");
}

void Attempts::ExpireIfDue(const Uuid& order_id) {
  const Order* order = orders_->Find(order_id);
  if (order == nullptr) return;
  const Time end = order->created + ValidityOf(*order, simulation_->settings);
  // What cannot expire now, because a payment is under way, is asked again when that has ended.
  if (simulation_->clock.Now() >= end) std::ignore = Expire(order_id);
}

}  // namespace tollbridge::sandbox
