#ifndef TOLLBRIDGE_SANDBOX_CORE_PAYMENTS_H_
#define TOLLBRIDGE_SANDBOX_CORE_PAYMENTS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/core/attempts.h"
#include "sandbox/core/card_vault.h"
#include "sandbox/core/model.h"
#include "sandbox/core/orders.h"
#include "sandbox/core/result.h"
#include "sandbox/core/simulation.h"

namespace tollbridge::sandbox {

/// An order as it was asked for, its body checked against the interface (api/order_request). Its
/// transaction, where it has one, holds payment_method, capture_mode and details.
struct OrderDraft {
  Order order;
};

/// Whether a customer can be offered these methods: active for the project, and no payouts.
Result<void> CheckOfferedMethods(const Project& project,
                                 const std::optional<std::vector<std::string>>& methods);

/// The outcome of an external 3-D Secure provider (section authenticate).
struct ExternalAuthentication {
  std::string cavv;
  std::string version;
  std::string method_used;
  std::string ds_transaction_id;
};

/// Orders and the attempts at paying them (docs/interface.md#endpoints, #flows and
/// #states-and-transitions).
class Payments {
 public:
  Payments(Simulation* simulation, Orders* orders, CardVault* vault, Attempts* attempts)
      : simulation_(simulation), orders_(orders), vault_(vault), attempts_(attempts) {}

  /// POST /v1/orders/: checks the draft against the project, takes it in, issues a setup token
  /// where a card can follow, runs a payout that names a stored card (whose answer may be lost, see
  /// CardOutcome::kAnswerLost: the order is there all the same).
  Result<const Order*> Create(const Project& project, OrderDraft draft);

  /// POST .../initiate/: charges a stored card without the customer.
  Result<void> Initiate(const Project& project, const Uuid& order, const Uuid& transaction,
                        const Uuid& vault_token);
  /// POST .../authenticate/: own checkout, or the payout's last step. Afterwards a transaction that
  /// is `pending` waits for the customer on its challenge page.
  Result<void> Authenticate(const Project& project, const Uuid& order, const Uuid& transaction,
                            const Uuid& vault_token,
                            const std::optional<ExternalAuthentication>& external);
  /// POST /pay/{order}/select-payment-method/wallet-b-pay/{transaction}/. A cryptogram says that
  /// the device has authenticated the customer; without one it is a regular card payment.
  Result<void> ExecuteWalletB(const Uuid& order, const Uuid& transaction, const Uuid& vault_token,
                              bool with_cryptogram);

  /// On the hosted page. The transaction to pay with that method: the open one, or a new one where
  /// the customer picks.
  Result<Uuid> ChooseMethod(const Uuid& order, std::string_view method);
  /// The card form. An error is about a field of the card, or about the order's state.
  Result<void> PayWithCard(const Uuid& order, const Uuid& transaction, const CardEntry& card);
  /// The stored card of a one-click transaction, confirmed by the customer.
  Result<void> PayWithStoredCard(const Uuid& order, const Uuid& transaction);
  /// A wallet's own sheet, whose outcome the customer of the stand-in picks.
  Result<void> PayWithWallet(const Uuid& order, const Uuid& transaction, bool approve);
  /// The 3-D Secure page of a `pending` transaction.
  Result<void> EndChallenge(const Uuid& order, const Uuid& transaction, bool passed);
  /// The customer gives up. CanNotCancelTransaction while a payment is under way.
  Result<void> Cancel(const Uuid& order);

  /// What an operator of the stand-in makes happen, without a card. Approve also ends the hold of
  /// an own-checkout order, and lets an order in `error` complete after all.
  Result<void> Approve(const Uuid& order);
  Result<void> Decline(const Uuid& order);
  Result<void> Expire(const Uuid& order);

  /// Methods that the hosted page of the order offers.
  std::vector<std::string> OfferedMethods(const Project& project, const Order& order) const;

 private:
  using Wanted = Attempts::Wanted;

  Result<void> CheckAgainst(const Project& project, const Order& draft) const;
  Result<const VaultCard*> CardNamedIn(const Project& project, const Transaction& draft) const;
  /// For the pages: the open attempt of an order, made where the customer picks.
  Result<OpenAttempt> OpenAttemptOf(const Uuid& order);

  Simulation* simulation_;
  Orders* orders_;
  CardVault* vault_;
  Attempts* attempts_;
};

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_CORE_PAYMENTS_H_
