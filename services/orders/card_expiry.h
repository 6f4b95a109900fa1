#ifndef TOLLBRIDGE_SERVICES_ORDERS_CARD_EXPIRY_H_
#define TOLLBRIDGE_SERVICES_ORDERS_CARD_EXPIRY_H_

#include <functional>
#include <string>
#include <string_view>

#include <absl/status/status.h>

#include "services/ports/clock.h"

namespace tollbridge::orders {

/// Whether a card of this expiry, MMYYYY, can be used nowhere on earth any more: it is good to the
/// end of its month. False for what is no expiry.
bool IsPastExpiry(std::string_view expiry, WallTime now);

/// Makes an operations::Plan::check_before_sending, which answers INVALID_ARGUMENT that names
/// `field`, the path of `expiry` in the request, when the card has expired
/// (docs/architecture.md#validation-before-sending).
std::function<absl::Status(WallTime now)> ExpiryCheck(std::string field, std::string expiry);

}  // namespace tollbridge::orders

#endif  // TOLLBRIDGE_SERVICES_ORDERS_CARD_EXPIRY_H_
