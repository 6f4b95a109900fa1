#include "services/orders/card_expiry.h"

#include <chrono>
#include <cstddef>
#include <utility>

#include "services/domain/errors.h"
#include "services/domain/formats.h"

namespace tollbridge::orders {
namespace {

/// The last place where a month ends is twelve hours behind UTC.
constexpr std::chrono::hours kLastTimeZone{12};

int Number(std::string_view digits) {
  int number = 0;
  for (const char digit : digits) number = number * 10 + (digit - '0');
  return number;
}

}  // namespace

bool IsPastExpiry(std::string_view expiry, WallTime now) {
  constexpr std::size_t kMonthDigits = 2;
  if (!domain::IsCardExpiry(expiry)) return false;
  const auto month = std::chrono::year(Number(expiry.substr(kMonthDigits))) /
                     std::chrono::month(static_cast<unsigned>(Number(expiry.substr(0, 2))));
  const std::chrono::sys_days next_month = (month + std::chrono::months(1)) / 1;
  return now >= next_month + kLastTimeZone;
}

std::function<absl::Status(WallTime now)> ExpiryCheck(std::string field, std::string expiry) {
  return [field = std::move(field), expiry = std::move(expiry)](WallTime now) {
    if (!IsPastExpiry(expiry, now)) return absl::OkStatus();
    return domain::InvalidRequest({{field, "must not be past"}});
  };
}

}  // namespace tollbridge::orders
