#include "sandbox/pages/money_text.h"

#include "sandbox/core/money.h"

namespace tollbridge::sandbox {

std::string MoneyText(std::int64_t amount, std::string_view currency) {
  return WithDecimals(amount, currency) + " " + std::string(currency);
}

}  // namespace tollbridge::sandbox
