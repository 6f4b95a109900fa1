#ifndef TOLLBRIDGE_SANDBOX_CORE_ISSUER_H_
#define TOLLBRIDGE_SANDBOX_CORE_ISSUER_H_

#include <string_view>

#include "sandbox/core/model.h"
#include "sandbox/core/test_cards.h"

namespace tollbridge::sandbox {

/// What an issuer answers (docs/interface.md#transaction, outcomes).
struct IssuerAnswer {
  std::string_view code;
  std::string_view description;
};

inline constexpr IssuerAnswer kApproved{"00", "approved"};
inline constexpr IssuerAnswer kDoNotHonor{"05", "do not honor"};
inline constexpr IssuerAnswer kNotPermitted{"57", "transaction not permitted to cardholder"};
inline constexpr IssuerAnswer kAuthenticationNeeded{"65", "authentication required"};
inline constexpr IssuerAnswer kAuthenticationFailed{"82", "authentication failed"};
inline constexpr IssuerAnswer kUnavailable{"91", "issuer unavailable"};

/// What the issuer makes of a payment.
struct IssuerDecision {
  enum class Kind {
    kApproved,
    kApprovedLate,  ///< after kSlowIssuerSeconds
    kAnswerLost,    ///< approved late, and the caller is told that nobody knows
    kDeclined,
    kFailed,
  };
  Kind kind = Kind::kApproved;
  IssuerAnswer answer = kApproved;
};
/// `authenticated`: by an external 3-D Secure provider or a device.
IssuerDecision AskIssuer(const TestCard& card, const Transaction& transaction, bool authenticated);

/// Writes outcomes.processing.
void SetOutcome(const IssuerAnswer& answer, Transaction* transaction);

/// Writes brand and the card fields of payment_method_details that a merchant may see.
void WriteCard(const VaultCard& card, Transaction* transaction);

/// Writes ani_results where the account name inquiry runs: amount 0, a card of the supporting
/// network, a cardholder name (section payment_method_details). For the first transaction with a
/// card only, which the caller knows.
void WriteNameInquiry(const VaultCard& card, Transaction* transaction);

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_CORE_ISSUER_H_
