#ifndef TOLLBRIDGE_SERVICES_SANDBOX_API_ORDER_ROUTES_H_
#define TOLLBRIDGE_SERVICES_SANDBOX_API_ORDER_ROUTES_H_

#include <vector>

#include "services/sandbox/core/world.h"
#include "services/sandbox/wire/order_json.h"
#include "services/sandbox/wire/route.h"

namespace tollbridge::sandbox {

/// Orders, their transactions and what is made from them, for merchants' servers (interface
/// document, section Endpoints; open-points.md, Optional endpoints). 404 for ids that are no uuid
/// or belong to another project. Both arguments outlive the routes.
std::vector<Route> OrderRoutes(World* world, const Addresses* addresses);

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SERVICES_SANDBOX_API_ORDER_ROUTES_H_
