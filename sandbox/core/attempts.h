#ifndef TOLLBRIDGE_SANDBOX_CORE_ATTEMPTS_H_
#define TOLLBRIDGE_SANDBOX_CORE_ATTEMPTS_H_

#include <functional>
#include <string_view>
#include <utility>

#include "sandbox/core/card_vault.h"
#include "sandbox/core/issuer.h"
#include "sandbox/core/model.h"
#include "sandbox/core/orders.h"
#include "sandbox/core/result.h"
#include "sandbox/core/simulation.h"
#include "sandbox/core/transitions.h"

namespace tollbridge::sandbox {

/// Who is there when the issuer has a question.
enum class Presence { kOnPage, kOwnCheckout, kAuthenticated, kAbsent };

/// An attempt at paying an order that may be changed: its order was taken for editing.
struct OpenAttempt {
  Order* order = nullptr;
  Transaction* transaction = nullptr;
};

/// 409 TransactionAlreadyStarted.
ApiError AlreadyStarted(std::string_view status);

/// What becomes of one attempt once it is open, and with it of its order. Who may begin it, and
/// with which card, is for Payments to say.
class Attempts {
 public:
  /// Captures a pre-authorization.
  using DelayedCapture = std::function<void(const Uuid& order, const Uuid& transaction)>;
  /// A transaction that a call names, with its order.
  struct Wanted {
    const Order* order = nullptr;
    const Transaction* transaction = nullptr;
  };

  Attempts(Simulation* simulation, Orders* orders, CardVault* vault)
      : simulation_(simulation), orders_(orders), vault_(vault) {}
  Attempts(const Attempts&) = delete;
  Attempts& operator=(const Attempts&) = delete;

  /// Called kDelayedCaptureAfter an authorization whose capture_mode is `delayed`, or when its
  /// expiration_period ends (Variants::capture_at_expiry): the service then captures by itself
  /// (docs/interface.md#7-capture_mode-delayed).
  void OnDelayedCaptureDue(DelayedCapture capture) { delayed_capture_ = std::move(capture); }

  /// NotFound where there is no order, or no such transaction of it.
  static Result<Wanted> Find(const Order* order, const Uuid& transaction);
  /// The attempt, open for `status`; TransactionAlreadyStarted where it is past that,
  /// CanNotCancelTransaction where it ended without a start.
  Result<OpenAttempt> Open(const Wanted& wanted, TransactionStatus status);

  /// Begins it with a card: a challenge where the issuer has a question and somebody is there, else
  /// what the issuer says. The answer may be lost, see CardOutcome::kAnswerLost.
  Result<void> Run(OpenAttempt attempt, const VaultCard& card, Presence presence);
  void Begin(OpenAttempt attempt, Trigger trigger);
  void Complete(OpenAttempt attempt);
  void Decline(OpenAttempt attempt);
  /// Gives the first payment of a one-click series that has no card one that is approved, as the
  /// page would have got it: later payments name it.
  void UseCardOfOperator(OpenAttempt attempt);
  /// The 3-D Secure page of a `pending` transaction.
  void EndChallenge(OpenAttempt attempt, bool passed);
  /// Of an order in `error`, which completes after all.
  void CompleteLate(OpenAttempt attempt);

  /// Ends the hold of an own-checkout order.
  void Settle(const Uuid& order);
  /// Ends an order that nothing was paid for; refused with `error_type` where a payment is under
  /// way or the order is final.
  Result<void> EndUnpaid(const Uuid& order, Trigger trigger, std::string_view reason,
                         std::string_view error_type);
  Result<void> Expire(const Uuid& order);
  /// Lets a new order expire at the end of its validity.
  void ExpireWhenDue(const Order& order);

 private:
  Result<void> Conclude(OpenAttempt attempt, const VaultCard& card, Presence presence);
  void WriteApproval(OpenAttempt attempt, const VaultCard& card, bool shifted);
  /// What becomes of the card of a payment that has succeeded.
  void KeepOrForgetCard(Transaction& transaction);
  void CompleteAfter(Millis delay, OpenAttempt attempt);
  void Fail(OpenAttempt attempt, Trigger trigger, const IssuerAnswer& answer);
  void CaptureLater(OpenAttempt attempt);
  /// What the customer had begun beside it can no longer be paid.
  void EndOthers(Order& order);
  void ExpireIfDue(const Uuid& order);
  void RecordEffect(OpenAttempt attempt);

  Simulation* simulation_;
  Orders* orders_;
  CardVault* vault_;
  DelayedCapture delayed_capture_;
};

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_CORE_ATTEMPTS_H_
