#ifndef TOLLBRIDGE_TESTS_SUPPORT_FAKES_FAKE_CLOCK_H_
#define TOLLBRIDGE_TESTS_SUPPORT_FAKES_FAKE_CLOCK_H_

#include <cstddef>
#include <memory>
#include <vector>

#include <boost/asio/steady_timer.hpp>

#include "services/ports/clock.h"

namespace tollbridge::test {

/// Time that moves only when the test says so. Used on one shard, which it may outlive.
class FakeClock final : public ports::Clock {
 public:
  WallTime WallNow() const override { return wall_; }
  BootTime BootNow() const override { return boot_; }
  boost::asio::awaitable<void> Sleep(ports::Millis duration) override;

  /// Moves both clocks, and wakes those whose sleep is over: they run when the shard goes on.
  void Advance(ports::Millis duration);
  /// Civil time is set forward: a machine that was paused, and has asked for the time.
  void StepWall(ports::Millis by) { wall_ += by; }
  /// How many coroutines are asleep.
  std::size_t sleepers() const { return sleepers_.size(); }

 private:
  struct Sleeper {
    BootTime until;
    // Owned by the coroutine that sleeps: it may end with its shard, before this clock.
    std::weak_ptr<boost::asio::steady_timer> timer;
  };

  // 2026-01-01T00:00:00Z.
  WallTime wall_{std::chrono::seconds(1'767'225'600)};
  BootTime boot_{std::chrono::hours(1)};
  std::vector<Sleeper> sleepers_;
};

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_FAKES_FAKE_CLOCK_H_
