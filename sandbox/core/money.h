#ifndef TOLLBRIDGE_SANDBOX_CORE_MONEY_H_
#define TOLLBRIDGE_SANDBOX_CORE_MONEY_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace tollbridge::sandbox {

/// ^[A-Z]{3}$
bool IsCurrency(std::string_view text);

/// Decimals of a currency's main unit (ISO 4217): 2 for USD, 0 for JPY, 3 for KWD. 2 for a code
/// that is not known.
int MinorDigits(std::string_view currency);

/// An amount in the smallest unit as decimal in the main unit: 1050 USD is `10.50`, 1050 JPY
/// `1050`.
std::string WithDecimals(std::int64_t amount, std::string_view currency);

/// What the stand-in charges for a transaction: 1.4 % and 0.25 in its currency, in the smallest
/// unit, half a unit rounded up. docs/interface.md shows no numbers.
std::int64_t Fee(std::int64_t amount, std::string_view currency);

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_CORE_MONEY_H_
