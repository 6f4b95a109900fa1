#ifndef TOLLBRIDGE_SANDBOX_PAGES_HOSTED_PAGES_H_
#define TOLLBRIDGE_SANDBOX_PAGES_HOSTED_PAGES_H_

#include <vector>

#include "sandbox/core/world.h"
#include "sandbox/wire/order_json.h"
#include "sandbox/wire/route.h"

namespace tollbridge::sandbox {

/// What customers see, below /pay/: order_url, payment_url, the 3-D Secure page, the result page
/// and payment links (docs/interface.md#order, #transaction and #payment-link). Pages are read and
/// sent with a browser; a form that cannot be taken is shown again with 4xx.
std::vector<Route> PageRoutes(World* world, const Addresses* addresses);

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_PAGES_HOSTED_PAGES_H_
