#ifndef TOLLBRIDGE_ADAPTERS_REDIS_COMMAND_EXECUTOR_H_
#define TOLLBRIDGE_ADAPTERS_REDIS_COMMAND_EXECUTOR_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "adapters/redis/reply.h"
#include "base/core/async.h"
#include "base/core/boot_clock.h"

namespace tollbridge::redis {

/// Where commands go: a connection to a Redis, or in tests one in memory. Used from one shard only.
class CommandExecutor {
 public:
  virtual ~CommandExecutor() = default;

  /// Sends a command and waits for its reply. A reply may be an error of Redis: see StatusOf.
  /// UNAVAILABLE reason STORE_UNAVAILABLE when the server could not be asked, or when its reply did
  /// not come by the deadline or at all: then the result is unknown.
  virtual Async<Reply> Execute(Command command, BootTime deadline) = 0;
  /// Sends the commands in one write and waits for all replies, which have the order of the
  /// commands: one round trip. No other command of this executor comes between them; commands of
  /// other clients may. Errors as of Execute, for all of them together.
  virtual Async<std::vector<Reply>> ExecuteTogether(std::vector<Command> commands,
                                                    BootTime deadline) = 0;

  /// For metrics: what a script wrote has not come to as many replicas as it must.
  virtual void NoteReplicasMissing() {}
  /// For metrics: a new epoch was begun, and why: one of telemetry::kEpochCauses.
  virtual void NoteNewEpoch(std::string_view /*cause*/) {}

  /// Whether commands would be sent now.
  virtual bool ready() const = 0;
  /// Counts the times it got ready: what was learned about the server holds for one of them.
  virtual std::uint64_t generation() const = 0;
  /// Round trips begun by Execute and ExecuteTogether.
  virtual std::uint64_t commands_sent() const = 0;
};

}  // namespace tollbridge::redis

#endif  // TOLLBRIDGE_ADAPTERS_REDIS_COMMAND_EXECUTOR_H_
