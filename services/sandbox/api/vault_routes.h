#ifndef TOLLBRIDGE_SERVICES_SANDBOX_API_VAULT_ROUTES_H_
#define TOLLBRIDGE_SERVICES_SANDBOX_API_VAULT_ROUTES_H_

#include <vector>

#include "services/sandbox/core/world.h"
#include "services/sandbox/wire/order_json.h"
#include "services/sandbox/wire/route.h"

namespace tollbridge::sandbox {

/// The card vault, below the prefix /vault (interface document, section POST
/// {vault_url}/v1/cards/): store_card, 201. Errors and answers never repeat the card's number,
/// expiry or name. Both outlive the routes.
std::vector<Route> VaultRoutes(World* world, const Addresses* addresses);

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SERVICES_SANDBOX_API_VAULT_ROUTES_H_
