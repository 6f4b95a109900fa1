#ifndef TOLLBRIDGE_ADAPTERS_REDIS_KNOWN_ORDERS_H_
#define TOLLBRIDGE_ADAPTERS_REDIS_KNOWN_ORDERS_H_

#include <string>
#include <vector>

#include "adapters/redis/command_executor.h"
#include "services/ports/known_orders.h"

namespace tollbridge::redis {

/// Looks at the families that RedisSnapshotStore keeps. One round trip a call.
class RedisKnownOrders : public ports::KnownOrders {
 public:
  /// `executor` lives on the same shard. `prefix` is that of the other stores.
  RedisKnownOrders(CommandExecutor& executor, std::string prefix);

  Async<std::vector<ports::KnownOrder>> LookAt(const std::string& project,
                                               const std::vector<Uuid>& orders,
                                               const ports::Context& context) override;

 private:
  CommandExecutor& executor_;
  std::string prefix_;
};

}  // namespace tollbridge::redis

#endif  // TOLLBRIDGE_ADAPTERS_REDIS_KNOWN_ORDERS_H_
