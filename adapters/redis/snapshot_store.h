#ifndef TOLLBRIDGE_ADAPTERS_REDIS_SNAPSHOT_STORE_H_
#define TOLLBRIDGE_ADAPTERS_REDIS_SNAPSHOT_STORE_H_

#include <cstdint>

#include "adapters/redis/script_runner.h"
#include "services/ports/snapshot_store.h"

namespace tollbridge::redis {

/// Families in one Redis primary; each call is one script and one round trip, after the epoch of
/// the connection is known. A family with a snapshot of one order and its due entry takes less than
/// 400 bytes.
class RedisSnapshotStore : public ports::SnapshotStore {
 public:
  /// `scripts` lives on the same shard.
  explicit RedisSnapshotStore(ScriptRunner& scripts) : scripts_(scripts) {}

  Async<ports::FamilyState> Load(const ports::FamilyKey& key,
                                 const ports::Context& context) override;
  Async<ports::SaveVerdict> Save(const ports::SaveRequest& request,
                                 const ports::Context& context) override;
  Async<bool> ClearOutbox(const ports::FamilyKey& key, std::uint64_t version,
                          const std::string& epoch, const ports::Context& context) override;
  Async<ports::PendingOutboxes> Pending(const std::string& project,
                                        const ports::Context& context) override;
  AsyncStatus NoteMember(const ports::MemberNote& note, const ports::Context& context) override;
  Async<ports::TellAgainVerdict> AskToTellAgain(const ports::TellAgainRequest& request,
                                                const ports::Context& context) override;

 private:
  ScriptRunner& scripts_;
};

}  // namespace tollbridge::redis

#endif  // TOLLBRIDGE_ADAPTERS_REDIS_SNAPSHOT_STORE_H_
