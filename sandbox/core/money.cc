#include "sandbox/core/money.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace tollbridge::sandbox {
namespace {

constexpr auto kWithoutDecimals =
    std::to_array<std::string_view>({"BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG",
                                     "RWF", "UGX", "UYI", "VND", "VUV", "XAF", "XOF", "XPF"});
constexpr auto kWithThree =
    std::to_array<std::string_view>({"BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"});

std::int64_t MinorUnits(std::string_view currency) {
  std::int64_t units = 1;
  for (int i = 0; i < MinorDigits(currency); ++i) units *= 10;
  return units;
}

}  // namespace

bool IsCurrency(std::string_view text) {
  return text.size() == 3 && std::ranges::all_of(text, [](char c) { return c >= 'A' && c <= 'Z'; });
}

int MinorDigits(std::string_view currency) {
  if (std::ranges::find(kWithoutDecimals, currency) != kWithoutDecimals.end()) return 0;
  return std::ranges::find(kWithThree, currency) != kWithThree.end() ? 3 : 2;
}

std::string WithDecimals(std::int64_t amount, std::string_view currency) {
  const auto digits = static_cast<std::size_t>(MinorDigits(currency));
  std::string text = std::to_string(amount);
  if (digits == 0) return text;
  // Amounts are not negative (docs/interface.md#limits).
  if (text.size() <= digits) text.insert(0, digits + 1 - text.size(), '0');
  text.insert(text.size() - digits, 1, '.');
  return text;
}

std::int64_t Fee(std::int64_t amount, std::string_view currency) {
  // In thousandths of the smallest unit, but for the whole thousands, which might not fit.
  const std::int64_t thousandths = amount % 1000 * 14 + MinorUnits(currency) * 250;
  return amount / 1000 * 14 + (thousandths + 500) / 1000;
}

}  // namespace tollbridge::sandbox
