#ifndef TOLLBRIDGE_SANDBOX_PAGES_MONEY_TEXT_H_
#define TOLLBRIDGE_SANDBOX_PAGES_MONEY_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace tollbridge::sandbox {

/// `12.50 EUR` from the smallest currency unit, which ISO 4217 makes a whole, a hundredth or a
/// thousandth: `1250 JPY`, `1.250 KWD`. An unknown currency counts as having hundredths.
std::string MoneyText(std::int64_t amount, std::string_view currency);

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_PAGES_MONEY_TEXT_H_
