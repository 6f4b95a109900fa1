#ifndef TOLLBRIDGE_TESTS_CHAOS_DRIVER_SENTINELS_H_
#define TOLLBRIDGE_TESTS_CHAOS_DRIVER_SENTINELS_H_

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/chaos/driver/options.h"
#include "tests/support/redis_server.h"
#include "tests/support/stack.h"

namespace tollbridge::chaos {

/// A primary, two replicas and three Sentinels that watch them, each a process of its own. For the
/// thread that made it.
class Sentinels {
 public:
  Sentinels();

  /// The gateways' settings for it: claims wait for one replica.
  static constexpr const char* kMinReplicas = "1";
  void PutInto(test::StackSettings* settings) const;

  // Each begins a disturbance and says how it ends.
  /// The primary is killed, and comes back as what it was, with what it had.
  std::function<void()> KillPrimary();
  /// It stands still until another took its place, and goes on as if it were the primary.
  std::function<void()> StopPrimary();
  std::function<void()> KillReplica();
  /// A failover that a person asked for.
  std::function<void()> FailOver();
  /// Waits until one primary has two replicas that are up to date; false at the limit.
  bool Heal();

 private:
  static constexpr std::size_t kServers = 3;

  /// Which of the servers the Sentinels take for the primary.
  std::size_t Primary() const;
  std::string Ask(const test::RedisServer& server, std::vector<std::string> command) const;

  std::array<std::unique_ptr<test::RedisServer>, kServers> servers_;
  std::vector<std::unique_ptr<test::RedisServer>> sentinels_;
};

}  // namespace tollbridge::chaos

#endif  // TOLLBRIDGE_TESTS_CHAOS_DRIVER_SENTINELS_H_
