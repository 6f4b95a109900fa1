#ifndef TOLLBRIDGE_SANDBOX_CORE_CARD_VAULT_H_
#define TOLLBRIDGE_SANDBOX_CORE_CARD_VAULT_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/core/model.h"
#include "sandbox/core/result.h"
#include "sandbox/core/simulation.h"
#include "sandbox/core/test_cards.h"

namespace tollbridge::sandbox {

/// A card as it was entered. Lives for one call and is never kept.
struct CardEntry {
  std::string_view pan;
  std::string_view expiry;  ///< MMYYYY
  std::string_view cardholder_name;
};

/// Stored cards and the setup tokens with which they are stored (docs/interface.md#store-card).
class CardVault {
 public:
  explicit CardVault(Simulation* simulation) : simulation_(simulation) {}

  /// What a setup token was issued for.
  struct SetupToken {
    Uuid project;
    Uuid order;
    Uuid transaction;
    Time issued;
  };

  /// Single use, good for kSetupTokenValidity.
  Uuid IssueSetupToken(const Uuid& project, const Uuid& order, const Uuid& transaction);
  /// nullptr when the token is not known, was used, or is too old.
  const SetupToken* FindGood(const Uuid& setup_token) const;

  /// A card that was stored with a setup token.
  struct Stored {
    Time at;
    SetupToken setup;
    Uuid vault_token;
    Cause cause;
  };
  /// All of them, in order, those too that are forgotten since: each setup token once at most.
  const std::vector<Stored>& stored() const { return stored_; }

  /// What is wrong with a card, naming the field and never repeating its value; none when it can
  /// be used: a test card's number, an expiry that is not past.
  Result<void> Check(const CardEntry& card) const;
  /// Spends the setup token and stores the card. A refused call spends nothing.
  Result<VaultCard> Store(const Uuid& project, const Uuid& setup_token, const CardEntry& card);
  /// Stores a card without a setup token: it was entered on a page of ours. Check it first.
  const VaultCard& Keep(const Uuid& project, const CardEntry& card);

  /// nullptr when there is none, or it is another project's.
  const VaultCard* Find(const Uuid& project, const Uuid& vault_token) const;
  /// Forgets a card that was only needed for one payment.
  void Forget(const Uuid& vault_token) { cards_.erase(vault_token); }
  /// A one-click series begins with this transaction: its card can be named by it.
  void RememberFirst(const Uuid& transaction, const Uuid& vault_token) {
    first_transactions_[transaction] = vault_token;
  }
  std::optional<Uuid> StoredBy(const Uuid& first_transaction) const;
  static const TestCard& TestCardOf(const VaultCard& card) { return TestCards()[card.test_card]; }

  void Clear();

 private:
  Simulation* simulation_;
  std::map<Uuid, SetupToken> setup_tokens_;
  std::map<Uuid, VaultCard> cards_;
  std::vector<Stored> stored_;
  std::map<Uuid, Uuid> first_transactions_;
};

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_CORE_CARD_VAULT_H_
