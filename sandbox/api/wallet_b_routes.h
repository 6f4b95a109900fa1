#ifndef TOLLBRIDGE_SANDBOX_API_WALLET_B_ROUTES_H_
#define TOLLBRIDGE_SANDBOX_API_WALLET_B_ROUTES_H_

#include <vector>

#include "sandbox/core/world.h"
#include "sandbox/wire/order_json.h"
#include "sandbox/wire/route.h"

namespace tollbridge::sandbox {

/// Wallet B, both without credentials (docs/interface.md#authentication): exchange_wallet_b_token,
/// 201, below the prefix /wallet-b, stores the card that is in a wallet's message
/// (wallet_b_message.h); execute_wallet_b, 200, pays with a stored card.
std::vector<Route> WalletBRoutes(World* world, const Addresses* addresses);

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_API_WALLET_B_ROUTES_H_
