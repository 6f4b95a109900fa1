#ifndef TOLLBRIDGE_SANDBOX_API_VAULT_ROUTES_H_
#define TOLLBRIDGE_SANDBOX_API_VAULT_ROUTES_H_

#include <vector>

#include "sandbox/core/world.h"
#include "sandbox/wire/order_json.h"
#include "sandbox/wire/route.h"

namespace tollbridge::sandbox {

/// The card vault, below the prefix /vault (docs/interface.md#store-card): store_card, 201. Errors
/// and answers never repeat the card's number, expiry or name.
std::vector<Route> VaultRoutes(World* world, const Addresses* addresses);

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_API_VAULT_ROUTES_H_
