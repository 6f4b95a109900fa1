#include "services/domain/order_view.h"

#include <cstddef>

#include "services/domain/mark.h"
#include "services/domain/sensitivity.h"

namespace tollbridge::domain {

std::string MaskUrl(std::string_view url) {
  constexpr std::string_view kAfterScheme = "://";
  constexpr std::string_view kMask = "***";
  const std::size_t scheme = url.find(kAfterScheme);
  if (scheme == std::string_view::npos) return std::string(kMask);
  const std::size_t start = scheme + kAfterScheme.size();
  std::string_view authority = url.substr(start, url.find_first_of("/?#", start) - start);
  // A user part may be a secret too.
  const std::size_t user = authority.rfind('@');
  if (user != std::string_view::npos) authority.remove_prefix(user + 1);
  std::string masked(url.substr(0, start));
  masked.append(authority).append("/").append(kMask);
  return masked;
}

void MakeForCaller(common::v1::Order& order) {
  ClearSensitive(order, options::v1::SENSITIVITY_CARD_DATA);
  if (order.has_webhook_url()) order.set_webhook_url(MaskUrl(order.webhook_url()));
  StripMark(order);
}

common::v1::Order ForCaller(common::v1::Order order) {
  MakeForCaller(order);
  return order;
}

}  // namespace tollbridge::domain
