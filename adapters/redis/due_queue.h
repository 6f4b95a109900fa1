#ifndef TOLLBRIDGE_ADAPTERS_REDIS_DUE_QUEUE_H_
#define TOLLBRIDGE_ADAPTERS_REDIS_DUE_QUEUE_H_

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "adapters/redis/command_executor.h"
#include "adapters/redis/keyspace.h"
#include "services/ports/due_queue.h"

namespace tollbridge::redis {

/// The due queue in one Redis primary: the sorted set `due` of each project. A time is in whole
/// milliseconds; take_due.lua adds how often it took the family. One round trip a call.
class RedisDueQueue : public ports::DueQueue {
 public:
  /// `executor` lives on the same shard.
  RedisDueQueue(CommandExecutor& executor, Keyspace keyspace);

  Async<std::vector<ports::DueOrder>> Take(const std::string& project, WallTime now,
                                           std::span<const ports::Millis> moves, std::size_t limit,
                                           const ports::Context& context) override;
  AsyncStatus Enter(const ports::FamilyKey& key, WallTime due,
                    const ports::Context& context) override;
  AsyncStatus Set(const ports::FamilyKey& key, WallTime due, std::optional<WallTime> seen,
                  const ports::Context& context) override;
  AsyncStatus Note(const ports::FamilyKey& key, const ports::Noticed& noticed,
                   const ports::Context& context) override;
  AsyncStatus RemoveIf(const ports::FamilyKey& key, WallTime seen,
                       const ports::Context& context) override;
  Async<std::vector<ports::DueOrder>> First(const std::string& project, std::size_t limit,
                                            const ports::Context& context) override;

 private:
  CommandExecutor& executor_;
  Keyspace keyspace_;
};

}  // namespace tollbridge::redis

#endif  // TOLLBRIDGE_ADAPTERS_REDIS_DUE_QUEUE_H_
