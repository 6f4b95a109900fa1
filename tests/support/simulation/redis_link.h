#ifndef TOLLBRIDGE_TESTS_SUPPORT_SIMULATION_REDIS_LINK_H_
#define TOLLBRIDGE_TESTS_SUPPORT_SIMULATION_REDIS_LINK_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "adapters/redis/command_executor.h"
#include "tests/support/mini_redis/mini_redis.h"
#include "tests/support/simulation/world.h"

namespace tollbridge::model {

/// The Redis of a run, and what is wrong with it.
struct RedisState {
  explicit RedisState(test::MiniRedis& server_in) : server(server_in) {}

  test::MiniRedis& server;
  bool reachable = true;
  /// In percent of the commands.
  std::int64_t lost_replies = 0;
  std::int64_t lost_commands = 0;
  std::int64_t slow_commands = 0;
  /// How far its clock runs before the others'.
  Time ahead = 0;

  /// It carries nothing out from when to when; what was sent to it meanwhile it carries out then.
  Time stands_still_from = 0;
  Time stands_still_until = 0;
  std::uint64_t standstills = 0;
  /// Whether its clock was set back in this run.
  bool set_back = false;

  /// Called after each command.
  std::function<void()> after_command;
  /// Called when a claim was carried out so long after its sender gave up.
  std::function<void(Time late)> on_late_claim;

  /// Whether a connection to it holds. One that has no answer for long is closed.
  bool Holds(Time now) const;
  /// When what is sent now is carried out at the earliest.
  Time WakesAt(Time now) const { return now < stands_still_until ? stands_still_until : now; }
  /// Carries out what nobody waits for since `end`.
  void RunLate(const World& world, const redis::Command& command, Time end);

  redis::Reply Run(const World& world, const redis::Command& command);
  void SetClock(const World& world);
};

/// A process' connection to it. Commands are done in the order in which they were sent, some of
/// them after their sender has given up.
class RedisLink : public redis::CommandExecutor {
 public:
  RedisLink(World& world, RedisState& redis) : world_(world), redis_(redis) {}

  Async<redis::Reply> Execute(redis::Command command, BootTime deadline) override;
  Async<std::vector<redis::Reply>> ExecuteTogether(std::vector<redis::Command> commands,
                                                   BootTime deadline) override;
  bool ready() const override { return redis_.Holds(world_.now()) && reachable_; }
  std::uint64_t generation() const override {
    return 1 + redis_.server.restarts() + redis_.standstills + breaks_;
  }
  std::uint64_t commands_sent() const override { return 0; }

  /// This process alone does not reach it.
  void set_reachable(bool reachable);

 private:
  World& world_;
  RedisState& redis_;
  bool reachable_ = true;
  std::uint64_t breaks_ = 0;
  /// When the command that was sent last is done.
  Time last_done_ = 0;
};

}  // namespace tollbridge::model

#endif  // TOLLBRIDGE_TESTS_SUPPORT_SIMULATION_REDIS_LINK_H_
