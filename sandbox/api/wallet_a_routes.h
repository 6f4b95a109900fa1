#ifndef TOLLBRIDGE_SANDBOX_API_WALLET_A_ROUTES_H_
#define TOLLBRIDGE_SANDBOX_API_WALLET_A_ROUTES_H_

#include <vector>

#include "sandbox/core/world.h"
#include "sandbox/wire/order_json.h"
#include "sandbox/wire/route.h"

namespace tollbridge::sandbox {

/// Merchant sessions of wallet A (docs/interface.md#wallet-a-session): create_wallet_a_session,
/// 200. Nobody is asked: the session is made up here.
std::vector<Route> WalletARoutes(World* world, const Addresses* addresses);

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_API_WALLET_A_ROUTES_H_
