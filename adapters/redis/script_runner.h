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
#include "adapters/redis/script.h"
#include "services/ports/context.h"
#include "services/ports/family.h"
#include "services/ports/rng.h"

namespace tollbridge::redis {

/// All of them the same for each store over one Redis.
struct OperationStoreOptions {
  /// The prefix is put before every key.
  std::string prefix = "tb:";
  /// How long DONE and NOT_EXECUTED are kept once their transitions are on the operations topic
  /// (docs/design/operations.md#rule-10).
  std::chrono::milliseconds closed_retention = std::chrono::hours(72);
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
};

/// What the stores of operations share that use one connection: its options, and the epoch that was
/// learned on it. One for each connection; lives on its shard.
class ScriptRunner {
 public:
  /// Names and values for `arg` of scripts/record.lua.
  using Arguments = std::vector<std::pair<std::string, std::string>>;

  /// New epochs get their ids from `rng`.
  ScriptRunner(CommandExecutor& connection, OperationStoreOptions options, ports::Rng& rng);

  /// Runs a script that begins with scripts/record.lua. Errors of Script::Run.
  Async<Reply> Run(const Script& script, Arguments arguments, BootTime deadline);

  /// The answer of a script, and whether enough replicas have what it wrote.
  struct Replicated {
    Reply reply;
    bool enough = true;
  };
  /// Does what Run does, and waits for the replicas in the same round trip. While it waits nothing
  /// else goes through the connection.
  Async<Replicated> RunReplicated(const Script& script, Arguments arguments, BootTime deadline);

  /// Learns the epoch of the present connection, unless it is known. A server without one, or
  /// another server than it names, gets a new one and is doubtful from then on.
  AsyncStatus LearnEpoch(BootTime deadline);
  bool knows_epoch() const;
  /// Returns the epoch as it was learned last.
  const std::string& epoch() const { return epoch_; }
  /// Says that the epoch is not this one any more.
  void ForgetEpoch(std::string_view epoch);

  const OperationStoreOptions& options() const { return options_; }
  /// Adds `offset` to Redis' clock from now on, so that in tests leases end without waiting.
  void SetTimeOffset(std::chrono::milliseconds offset) { time_offset_ = offset; }

 private:
  Command AllArguments(Arguments arguments) const;

  CommandExecutor& connection_;
  OperationStoreOptions options_;
  ports::Rng& rng_;
  std::chrono::milliseconds time_offset_{0};
  std::string epoch_;
  /// CommandExecutor::generation() for which `epoch_` was read; 0 = none.
  std::uint64_t epoch_generation_ = 0;
};

/// Adds what an operation leaves with its order, as scripts/effects.lua takes it.
void AppendOrderEntry(ScriptRunner::Arguments& arguments,
                      const std::optional<ports::OrderEntry>& order,
                      std::chrono::milliseconds retention);

}  // namespace tollbridge::redis

#endif  // TOLLBRIDGE_ADAPTERS_REDIS_SCRIPT_RUNNER_H_
