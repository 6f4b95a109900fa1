#ifndef TOLLBRIDGE_BASE_CORE_CARD_NUMBERS_H_
#define TOLLBRIDGE_BASE_CORE_CARD_NUMBERS_H_

#include <string>
#include <string_view>

namespace tollbridge {

/// Whether a run of decimal digits satisfies the Luhn checksum of card numbers.
bool PassesLuhn(std::string_view digits);

/// Text from outside with every run of 13 to 19 digits that passes Luhn replaced by its first six
/// and last four digits around asterisks. Digits may be separated by single spaces or hyphens, as
/// people write them.
std::string MaskCardNumbers(std::string_view text);

}  // namespace tollbridge

#endif  // TOLLBRIDGE_BASE_CORE_CARD_NUMBERS_H_
