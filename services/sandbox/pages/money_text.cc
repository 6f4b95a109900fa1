#include "services/sandbox/pages/money_text.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace tollbridge::sandbox {
namespace {

constexpr std::array<std::string_view, 17> kWithoutDecimals = {
    "BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG",
    "RWF", "UGX", "UYI", "VND", "VUV", "XAF", "XOF", "XPF"};
constexpr std::array<std::string_view, 7> kWithThree = {"BHD", "IQD", "JOD", "KWD",
                                                        "LYD", "OMR", "TND"};

std::size_t Decimals(std::string_view currency) {
  if (std::ranges::find(kWithoutDecimals, currency) != kWithoutDecimals.end()) return 0;
  if (std::ranges::find(kWithThree, currency) != kWithThree.end()) return 3;
  return 2;
}

}  // namespace

std::string MoneyText(std::int64_t amount, std::string_view currency) {
  std::string out = std::to_string(amount);
  if (const std::size_t decimals = Decimals(currency); decimals > 0) {
    if (out.size() <= decimals) out.insert(0, decimals + 1 - out.size(), '0');
    out.insert(out.size() - decimals, ".");
  }
  return out + " " + std::string(currency);
}

}  // namespace tollbridge::sandbox
