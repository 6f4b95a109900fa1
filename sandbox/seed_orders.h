#ifndef TOLLBRIDGE_SANDBOX_SEED_ORDERS_H_
#define TOLLBRIDGE_SANDBOX_SEED_ORDERS_H_

#include <cstddef>

#include "sandbox/core/world.h"

namespace tollbridge::sandbox {

/// Adds `count` orders of a project, refunds among them, as a shop would have them after 90 days:
/// most are completed, some failed, expired or were cancelled, and of the last 20 days a few are
/// still open. In a world without orders they were created over the 90 days before now, else all of
/// them now, since orders are kept in the order of their creation. They are put in with the
/// statuses that they have: no webhook is sent and nothing stands in the ledger. The open ones can
/// be paid, and expire 30 days after they were created like any other order.
///
/// The same seed and the same calls before give the same orders. Stops at Settings::max_orders;
/// gives how many it has made.
std::size_t SeedOrders(World* world, const Project& project, std::size_t count);

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_SEED_ORDERS_H_
