#ifndef TOLLBRIDGE_ADAPTERS_REDIS_SNAPSHOT_STORE_H_
#define TOLLBRIDGE_ADAPTERS_REDIS_SNAPSHOT_STORE_H_

#include <cstdint>
#include <string>

#include "adapters/redis/command_executor.h"
#include "adapters/redis/keyspace.h"
#include "services/ports/snapshot_store.h"

namespace tollbridge::redis {

/// Families in one Redis primary; each call is one script and one round trip. A family with a
/// snapshot of one order and its due entry takes less than 400 bytes.
class RedisSnapshotStore : public ports::SnapshotStore {
 public:
  /// `executor` lives on the same shard.
  RedisSnapshotStore(CommandExecutor& executor, Keyspace keyspace);

  Async<ports::FamilyState> Load(const ports::FamilyKey& key,
                                 const ports::Context& context) override;
  Async<ports::SaveVerdict> Save(const ports::SaveRequest& request,
                                 const ports::Context& context) override;
  Async<bool> ClearOutbox(const ports::FamilyKey& key, std::uint64_t version,
                          const ports::Context& context) override;
  AsyncStatus NoteMember(const ports::MemberNote& note, const ports::Context& context) override;

 private:
  CommandExecutor& executor_;
  Keyspace keyspace_;
};

}  // namespace tollbridge::redis

#endif  // TOLLBRIDGE_ADAPTERS_REDIS_SNAPSHOT_STORE_H_
