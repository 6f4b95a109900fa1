#ifndef TOLLBRIDGE_ADAPTERS_REDIS_DUE_QUEUE_H_
#define TOLLBRIDGE_ADAPTERS_REDIS_DUE_QUEUE_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "adapters/redis/command_executor.h"
#include "services/ports/due_queue.h"

namespace tollbridge::redis {

/// The due queue in one Redis primary: the sorted set `<prefix>due`. One round trip a call.
class RedisDueQueue : public ports::DueQueue {
 public:
  /// `executor` lives on the same shard. `prefix` is that of the other stores.
  RedisDueQueue(CommandExecutor& executor, std::string prefix);

  Async<std::vector<ports::DueOrder>> Take(WallTime now, ports::Millis move_by, std::size_t limit,
                                           const ports::Context& context) override;
  AsyncStatus Enter(const ports::FamilyKey& key, WallTime due,
                    const ports::Context& context) override;
  AsyncStatus Remove(const ports::FamilyKey& key, const ports::Context& context) override;
  AsyncStatus RemoveIf(const ports::FamilyKey& key, WallTime seen,
                       const ports::Context& context) override;
  Async<std::optional<WallTime>> Oldest(const ports::Context& context) override;

 private:
  CommandExecutor& executor_;
  std::string prefix_;
};

}  // namespace tollbridge::redis

#endif  // TOLLBRIDGE_ADAPTERS_REDIS_DUE_QUEUE_H_
