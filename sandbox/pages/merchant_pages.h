#ifndef TOLLBRIDGE_SANDBOX_PAGES_MERCHANT_PAGES_H_
#define TOLLBRIDGE_SANDBOX_PAGES_MERCHANT_PAGES_H_

#include <boost/json/array.hpp>
#include <functional>
#include <vector>

#include "sandbox/core/world.h"
#include "sandbox/wire/order_json.h"
#include "sandbox/wire/route.h"

namespace tollbridge::sandbox {

/// What the operator of the stand-in sees: GET /_sandbox/ lists the last orders, the test cards and
/// the last webhook deliveries; /_sandbox/view/{order}/ shows one order, with buttons for what the
/// customer's bank or time would do. World and addresses outlive the routes; `deliveries` gives the
/// log of deliveries, objects, oldest first.
std::vector<Route> MerchantRoutes(World* world, const Addresses* addresses,
                                  std::function<boost::json::array()> deliveries);

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_PAGES_MERCHANT_PAGES_H_
