#ifndef TOLLBRIDGE_TESTS_SUPPORT_MINI_REDIS_MINI_REDIS_H_
#define TOLLBRIDGE_TESTS_SUPPORT_MINI_REDIS_MINI_REDIS_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "adapters/redis/command_executor.h"
#include "tests/support/mini_redis/commands.h"
#include "tests/support/mini_redis/keyspace.h"
#include "tests/support/mini_redis/script_engine.h"

namespace tollbridge::test {

/// A Redis server in memory, as far as adapters/redis needs one. It runs the product's own Lua
/// scripts. Its clock stands until the test moves it. An unknown command fails the test. Answers
/// what a real redis-server answers; mini_redis_test compares the two. Not for several threads.
class MiniRedis {
 public:
  MiniRedis();
  MiniRedis(const MiniRedis&) = delete;
  MiniRedis& operator=(const MiniRedis&) = delete;

  /// Runs a command as a client would have it run.
  redis::Reply Run(const redis::Command& command);

  /// The server's clock, since 1970.
  void SetTime(std::chrono::microseconds time);
  std::chrono::microseconds time() const { return time_; }

  /// Commands that may take memory are refused, as with maxmemory and noeviction.
  void set_out_of_memory(bool full) { out_of_memory_ = full; }
  /// What WAIT answers, when asked for as many.
  void set_replicas(std::int64_t count) { replicas_ = count; }

  /// The data at one instant.
  using Copy = Keyspace;
  Copy TakeCopy() const { return keys_; }
  /// Another server takes over with these data. Connections break; scripts must be loaded again.
  void FailOver(Copy data);
  /// The same server was another's replica, and is the primary again. Connections break.
  void Promote();
  /// Its replication id changes without a promotion, as when the first replica comes. Connections
  /// break.
  void RenewReplicationId();
  /// The server starts again with nothing.
  void LoseMemory() { FailOver({}); }
  /// As a server that was just started: no data, memory enough, no replicas, the clock at 0. What
  /// was compiled is not compiled again when it is loaded, and patches stay.
  void Reset();

  /// In every script that has `piece`, one of the texts of adapters/redis/scripts.h: `old`, which
  /// must be there exactly once, else the test fails, becomes `replacement`. For planted bugs.
  void PatchScript(std::string_view piece, std::string_view old, std::string_view replacement);

  Keyspace& data() { return keys_; }
  /// Is told of each PUBLISH; there are no other subscribers.
  using OnPublish = std::function<void(const std::string& channel, const std::string& message)>;
  void set_on_publish(OnPublish on_publish) { on_publish_ = std::move(on_publish); }
  /// Counts the times that connections broke.
  std::uint64_t restarts() const { return restarts_; }

 private:
  redis::Reply RunData(const std::string& name, const redis::Command& command, bool in_script);
  redis::Reply RunInScript(const redis::Command& command);
  redis::Reply Eval(const redis::Command& command, bool by_sha);
  redis::Reply RunScript(const redis::Command& command, int script);
  redis::Reply ScriptCommand(const redis::Command& command);
  redis::Reply Publish(const redis::Command& command, bool in_script);
  redis::Reply Time() const;
  redis::Reply Info() const;
  /// Keeps the script, and answers its SHA-1; or the error of the compiler.
  redis::Reply Load(const std::string& text);
  std::string Patched(std::string text) const;

  Keyspace keys_;
  std::chrono::microseconds time_{0};
  bool out_of_memory_ = false;
  std::int64_t replicas_ = 0;
  std::uint64_t run_ = 1;
  std::uint64_t history_ = 1;  // replication id, and the one before a promotion
  std::uint64_t history_before_ = 0;
  std::uint64_t restarts_ = 0;
  OnPublish on_publish_;

  struct Compiled {
    std::string sha;
    int script = 0;
  };
  struct Patch {
    std::string piece;
    std::string patched;
  };
  ScriptEngine engine_;
  std::unordered_map<std::string, Compiled> compiled_;  // by text as it came
  std::unordered_map<std::string, int> loaded_;         // by SHA-1; forgotten by FailOver
  std::vector<Patch> patches_;
  /// In a script: whether memory was short when it began, and whether it has written.
  bool script_full_ = false;
  bool script_wrote_ = false;
};

/// A client's connection to a MiniRedis. It answers at once; deadlines do not matter.
class MiniConnection : public redis::CommandExecutor {
 public:
  /// What becomes of a round trip.
  enum class Fate {
    kAnswered,
    kNotDone,    ///< the server is not reached
    kReplyLost,  ///< the server does it, and nobody learns of it
  };

  /// `server` outlives it.
  explicit MiniConnection(MiniRedis& server) : server_(server) {}

  Async<redis::Reply> Execute(redis::Command command, BootTime deadline) override;
  Async<std::vector<redis::Reply>> ExecuteTogether(std::vector<redis::Command> commands,
                                                   BootTime deadline) override;
  bool ready() const override { return ready_; }
  std::uint64_t generation() const override { return 1 + server_.restarts() + breaks_; }
  std::uint64_t commands_sent() const override { return commands_sent_; }

  void set_ready(bool ready) { ready_ = ready; }
  /// The connection broke and is there again.
  void Break() { ++breaks_; }
  /// Asked once for each round trip, with its first command. Empty: all are answered.
  void set_fate(std::function<Fate(const redis::Command&)> fate) { fate_ = std::move(fate); }

 private:
  MiniRedis& server_;
  bool ready_ = true;
  std::uint64_t breaks_ = 0;
  std::uint64_t commands_sent_ = 0;
  std::function<Fate(const redis::Command&)> fate_;
};

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_MINI_REDIS_MINI_REDIS_H_
