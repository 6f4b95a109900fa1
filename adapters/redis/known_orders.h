#ifndef TOLLBRIDGE_ADAPTERS_REDIS_KNOWN_ORDERS_H_
#define TOLLBRIDGE_ADAPTERS_REDIS_KNOWN_ORDERS_H_

#include <string>
#include <vector>

#include "adapters/redis/command_executor.h"
#include "adapters/redis/keyspace.h"
#include "services/ports/known_orders.h"

namespace tollbridge::redis {

/// Looks at the families that RedisSnapshotStore keeps. One round trip a call.
class RedisKnownOrders : public ports::KnownOrders {
 public:
  /// `executor` lives on the same shard.
  RedisKnownOrders(CommandExecutor& executor, Keyspace keyspace);

  Async<std::vector<ports::KnownOrder>> LookAt(const std::string& project,
                                               const std::vector<Uuid>& orders,
                                               const ports::Context& context) override;

 private:
  CommandExecutor& executor_;
  Keyspace keyspace_;
};

}  // namespace tollbridge::redis

#endif  // TOLLBRIDGE_ADAPTERS_REDIS_KNOWN_ORDERS_H_
