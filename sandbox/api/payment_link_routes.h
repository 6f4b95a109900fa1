#ifndef TOLLBRIDGE_SANDBOX_API_PAYMENT_LINK_ROUTES_H_
#define TOLLBRIDGE_SANDBOX_API_PAYMENT_LINK_ROUTES_H_

#include <vector>

#include "sandbox/core/world.h"
#include "sandbox/wire/order_json.h"
#include "sandbox/wire/route.h"

namespace tollbridge::sandbox {

/// Payment links (docs/interface.md#read-payment-link and #optional-endpoints):
/// create_payment_link, 201; get_payment_link, 200.
std::vector<Route> PaymentLinkRoutes(World* world, const Addresses* addresses);

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_API_PAYMENT_LINK_ROUTES_H_
