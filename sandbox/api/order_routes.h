#ifndef TOLLBRIDGE_SANDBOX_API_ORDER_ROUTES_H_
#define TOLLBRIDGE_SANDBOX_API_ORDER_ROUTES_H_

#include <vector>

#include "sandbox/core/world.h"
#include "sandbox/wire/order_json.h"
#include "sandbox/wire/route.h"

namespace tollbridge::sandbox {

/// Orders, their transactions and what is made from them, for merchants' servers
/// (docs/interface.md#endpoints and #optional-endpoints). 404 for ids that are no uuid or belong to
/// another project.
std::vector<Route> OrderRoutes(World* world, const Addresses* addresses);

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_API_ORDER_ROUTES_H_
