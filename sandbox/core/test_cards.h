#ifndef TOLLBRIDGE_SANDBOX_CORE_TEST_CARDS_H_
#define TOLLBRIDGE_SANDBOX_CORE_TEST_CARDS_H_

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tollbridge::sandbox {

/// What becomes of a payment with a test card.
enum class CardOutcome {
  kApproved,
  kDeclined,
  /// Approved once the customer has passed a 3-D Secure challenge; declined where no customer is
  /// there to pass it.
  kChallenge,
  /// As kChallenge, but the challenge fails whatever the customer does.
  kChallengeFails,
  /// Accepted at once, approved after kSlowIssuerDelay.
  kApprovedLate,
  /// The issuer cannot be reached: transaction and order end in error.
  kIssuerError,
  /// The start is answered with 502 FailedToFetchTransactionInformation, but the payment was
  /// accepted, and is approved after kSlowIssuerDelay.
  kAnswerLost,
};

/// A card number that the sandbox knows. Any other is refused, so that no real card ends up here.
struct TestCard {
  std::string_view pan;
  std::string_view brand;
  /// "" or a second brand on the same card.
  std::string_view second_brand;
  CardOutcome outcome = CardOutcome::kApproved;
  /// outcomes.processing.response_code of a decline; else empty.
  std::string_view response_code;
  std::string_view response_code_description;
  bool aft_allowed = true;
  bool oct_allowed = true;
  /// ani_results when the account name inquiry runs; both empty: this card's network has none.
  std::string_view ani_status;
  std::string_view ani_match;
  /// One line for people.
  std::string_view purpose;
};

/// How long kApprovedLate and kAnswerLost take, in seconds of the sandbox's clock.
inline constexpr int kSlowIssuerSeconds = 30;

std::span<const TestCard> TestCards();

/// Index into TestCards of the number; nullopt when it is none of them.
std::optional<std::size_t> FindTestCard(std::string_view pan);

/// First six and last four digits around asterisks.
std::string TruncatePan(std::string_view pan);

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_CORE_TEST_CARDS_H_
