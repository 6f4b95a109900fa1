#ifndef TOLLBRIDGE_BASE_CORE_CARD_NUMBERS_H_
#define TOLLBRIDGE_BASE_CORE_CARD_NUMBERS_H_

#include <string>
#include <string_view>

namespace tollbridge {

/// Whether a run of decimal digits satisfies the Luhn checksum of card numbers.
bool PassesLuhn(std::string_view digits);

/// Whether a run of decimal digits is 13 to 19 long, satisfies Luhn, and begins as numbers of cards
/// of that length do. Of other numbers of 16 digits one in 24 does too.
bool ReadsAsCardNumber(std::string_view digits);

/// What becomes of a run of digits that passes Luhn and begins like no card, as one in ten does.
enum class Doubt { kMasks, kLeaves };

/// Text from outside with what may be a card number replaced by its first six and last four digits
/// around asterisks: every run of 13 to 19 digits that passes Luhn, and within longer runs whatever
/// reads as a card number, so that the digits of a security code or expiry beside it do not hide
/// it. A run goes on over up to four separators, as people write them: spaces, dashes, dots,
/// underscores and slashes, and characters that are not seen; escaped as in addresses too. Ends of
/// lines and signs that separate numbers of a list (`, : ; | * + ~ '`) count where the digits stand
/// in groups as on a card. Digits may be fullwidth or Arabic. UUIDs are left alone. The text stays
/// as long as it is.
std::string MaskCardNumbers(std::string_view text, Doubt doubt = Doubt::kMasks);

/// Whether a whole run of digits in the text, or a part of it without separators, reads as a card
/// number. Finds less than what MaskCardNumbers masks: a wrong asterisk costs little, a wrong
/// refusal a payment.
bool HoldsCardNumber(std::string_view text);

}  // namespace tollbridge

#endif  // TOLLBRIDGE_BASE_CORE_CARD_NUMBERS_H_
