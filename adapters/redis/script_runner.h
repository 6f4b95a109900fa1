#ifndef TOLLBRIDGE_ADAPTERS_REDIS_SCRIPT_RUNNER_H_
#define TOLLBRIDGE_ADAPTERS_REDIS_SCRIPT_RUNNER_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/redis/command_executor.h"
#include "adapters/redis/keyspace.h"
#include "adapters/redis/script.h"
#include "adapters/redis/script_arguments.h"
#include "base/core/uuid.h"
#include "services/ports/clock.h"
#include "services/ports/context.h"
#include "services/ports/family.h"
#include "services/ports/rng.h"

namespace tollbridge::redis {

/// All of them the same for each store over one Redis.
struct OperationStoreOptions {
  /// How long DONE and NOT_EXECUTED are kept once their transitions are on the operations topic,
  /// and for how long after that their keys are known (docs/design/operations.md#rule-10).
  std::chrono::milliseconds outcomes_kept = std::chrono::hours(72);
  std::chrono::milliseconds keys_kept = std::chrono::days(30);
  /// With so many transitions of a project that are not on the operations topic nothing more is
  /// claimed in it.
  std::size_t max_undrained = 1'000'000;
  /// How long an order's entry is kept that no reader has made a snapshot beside.
  std::chrono::milliseconds entry_retention{};
  /// How long a store is doubted that lost its memory, or that restarted or failed over
  /// (docs/design/operations.md#rule-12).
  std::chrono::milliseconds memory_lost_doubt = std::chrono::hours(72);
  std::chrono::milliseconds failover_doubt = std::chrono::hours(1);
  /// So many replicas must have what is SENT before its first byte
  /// (docs/design/operations.md#rule-13); 0 = none is asked.
  std::size_t min_replicas = 0;
  /// How long they are waited for.
  std::chrono::milliseconds replica_timeout{200};
  /// A server whose settings endanger operations (server_check.h) is not used, whenever a
  /// connection comes to it: it may have come later than we, or be one that was promoted.
  bool strict_server = false;
};

/// What the stores of operations share that use one connection: its options, and the epoch that was
/// learned on it. One for each connection; lives on its shard.
class ScriptRunner {
 public:
  using Arguments = ScriptArguments;

  /// New epochs get their ids from `rng`. Both outlive the runner.
  ScriptRunner(CommandExecutor& connection, Keyspace keyspace, OperationStoreOptions options,
               ports::Clock& clock, ports::Rng& rng);

  /// Runs a script that begins with scripts/record.lua on the keys of the project of that name.
  /// FAILED_PRECONDITION for one that is not configured; errors of Script::Run.
  Async<Reply> Run(const Script& script, std::string_view project, Arguments arguments,
                   BootTime deadline);
  /// Runs one that works on what belongs to the store alone.
  Async<Reply> RunOnStore(const Script& script, Arguments arguments, BootTime deadline);

  /// The answer of a script, and whether enough replicas have what it wrote.
  struct Replicated {
    Reply reply;
    bool enough = true;
  };
  /// Does what Run does, and waits for the replicas in the same round trip. While it waits nothing
  /// else goes through the connection.
  Async<Replicated> RunReplicated(const Script& script, std::string_view project,
                                  Arguments arguments, BootTime deadline);

  /// Learns the epoch of the present connection, unless it is known. A server without one, or
  /// another server than it names, gets a new one and is doubtful from then on. Projects that are
  /// not on the store's list join it, if they can. STORE_UNAVAILABLE for a store that has the keys
  /// of another version, or that may not be used.
  AsyncStatus LearnEpoch(BootTime deadline);
  /// Does what LearnEpoch does, and looks whether as many replicas are there as claims wait for.
  /// STORE_UNAVAILABLE where they are not, and the server is to be strict with.
  AsyncStatus LearnForClaims(BootTime deadline);
  /// Begins the doubt where the present connection's server is another than the epoch names, and
  /// nothing else: also of a store that may not be used for claims, and without an epoch where
  /// there is none. Errors as LearnEpoch but for those.
  AsyncStatus BeginDoubt(BootTime deadline);
  /// Takes a project off the lists of the other stores, and puts it on this one's, in doubt.
  /// STORE_UNAVAILABLE where one of them cannot be told.
  AsyncStatus Join(std::string_view project, BootTime deadline);
  /// The other stores of the configuration, on the same shard; they outlive the last call.
  void SetOthers(std::vector<ScriptRunner*> others) { others_ = std::move(others); }
  /// Writes an epoch that nobody doubts, if there is none, with this id, and puts the projects that
  /// are not on the store's list on it, as ones without a past. Whether anything was written.
  Async<bool> InitializeEpoch(const Uuid& id, BootTime deadline);
  bool knows_epoch() const;
  /// Returns the epoch as it was learned last.
  const std::string& epoch() const { return epoch_; }
  /// Says that the epoch is not this one any more.
  void ForgetEpoch(std::string_view epoch);

  CommandExecutor& connection() { return connection_; }
  const Keyspace& keyspace() const { return keyspace_; }
  BootTime now() const { return clock_.BootNow(); }
  /// Redis showed the time `shown` (ms of its clock) in answer to what was sent at `sent`.
  void LearnClock(BootTime sent, std::int64_t shown);
  /// What Redis' clock shows at `time`, in ms: never less, and more by the quickest round trip at
  /// most.
  std::int64_t ClockAt(BootTime time) const;

  const OperationStoreOptions& options() const { return options_; }
  /// For tests.
  void SetMaxUndrained(std::size_t count) { options_.max_undrained = count; }
  /// Adds `offset` to Redis' clock from now on, so that in tests leases end without waiting.
  void SetTimeOffset(std::chrono::milliseconds offset) { time_offset_ = offset; }

 private:
  /// Whether operations may be trusted to this server, with so many replicas.
  AsyncStatus CheckSettings(std::size_t min_replicas, BootTime deadline);
  /// Learns the epoch of the connection that there is now.
  AsyncStatus LearnOnce(BootTime deadline);
  /// Runs learn_epoch.lua, and tells of a doubt that it began.
  Async<Reply> AskEpoch(const std::vector<KeptProject>& projects, bool known_only,
                        BootTime deadline);
  AsyncStatus Join(const std::vector<KeptProject>& projects, BootTime deadline);
  AsyncStatus LeaveOthers(const std::vector<KeptProject>& projects, BootTime deadline);
  Command AllArguments(std::string beginning, Arguments arguments) const;

  CommandExecutor& connection_;
  Keyspace keyspace_;
  OperationStoreOptions options_;
  ports::Clock& clock_;
  ports::Rng& rng_;
  std::vector<ScriptRunner*> others_;
  std::chrono::milliseconds time_offset_{0};
  /// How far Redis' clock is before ours, ms.
  std::int64_t ahead_ = 0;
  std::string epoch_;
  /// CommandExecutor::generation() for which `epoch_` was read; 0 = none.
  std::uint64_t epoch_generation_ = 0;
  std::uint64_t doubt_generation_ = 0;   ///< of BeginDoubt
  std::uint64_t claims_generation_ = 0;  ///< of LearnForClaims
};

/// Adds what an operation leaves with its order, as scripts/effects.lua takes it.
void AppendOrderEntry(ScriptRunner::Arguments& arguments,
                      const std::optional<ports::OrderEntry>& order,
                      std::chrono::milliseconds retention);

}  // namespace tollbridge::redis

#endif  // TOLLBRIDGE_ADAPTERS_REDIS_SCRIPT_RUNNER_H_
