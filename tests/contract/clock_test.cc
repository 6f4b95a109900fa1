#include <gtest/gtest.h>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "adapters/system/system_clock.h"
#include "services/ports/clock.h"
#include "tests/support/async_test.h"
#include "tests/support/fakes/fake_clock.h"

namespace tollbridge::test {
namespace {

namespace asio = boost::asio;
using ports::Millis;

/// A clock, and how a test lets its time pass.
struct ClockWorld {
  std::string name;
  std::unique_ptr<ports::Clock> (*make)();
  /// The system's clock needs nothing: its time passes while the shard runs.
  void (*advance)(ports::Clock&, Millis);
};
void PrintTo(const ClockWorld& world, std::ostream* out) { *out << world.name; }

class ClockContract : public testing::TestWithParam<ClockWorld> {
 protected:
  /// Runs the shard until the condition holds, time passing in steps of a millisecond.
  bool PassTimeUntil(const std::function<bool()>& condition) {
    const auto end = std::chrono::steady_clock::now() + kAwaitLimit;
    while (!condition()) {
      if (std::chrono::steady_clock::now() > end) return false;
      static_cast<void>(RunUntil(context_, condition, Millis(1)));
      if (!condition()) GetParam().advance(*clock_, Millis(1));
    }
    return true;
  }
  void StartSleep(Millis duration, int* woken) {
    asio::co_spawn(context_, Sleep(*clock_, duration, woken), asio::detached);
  }
  static asio::awaitable<void> Sleep(ports::Clock& clock, Millis duration, int* woken) {
    co_await clock.Sleep(duration);
    ++*woken;
  }

  asio::io_context context_;
  std::unique_ptr<ports::Clock> clock_ = GetParam().make();
};

TEST_P(ClockContract, BothTimesGoOnWithASleep) {
  const WallTime wall = clock_->WallNow();
  const BootTime boot = clock_->BootNow();
  int woken = 0;
  StartSleep(Millis(20), &woken);
  ASSERT_TRUE(PassTimeUntil([&] { return woken == 1; }));
  EXPECT_GE(clock_->BootNow() - boot, Millis(20));
  // Civil time may be set meanwhile; it moves by about as much.
  EXPECT_GE(clock_->WallNow() - wall, Millis(19));
}

TEST_P(ClockContract, AShorterSleepEndsFirst) {
  std::vector<int> order;
  const auto note = [](ports::Clock& clock, Millis duration, int number,
                       std::vector<int>& into) -> asio::awaitable<void> {
    co_await clock.Sleep(duration);
    into.push_back(number);
  };
  asio::co_spawn(context_, note(*clock_, Millis(30), 30, order), asio::detached);
  asio::co_spawn(context_, note(*clock_, Millis(5), 5, order), asio::detached);
  ASSERT_TRUE(PassTimeUntil([&] { return order.size() == 2; }));
  EXPECT_EQ(order, (std::vector<int>{5, 30}));
}

TEST_P(ClockContract, ASleepDoesNotEndBeforeItsTime) {
  int woken = 0;
  const BootTime start = clock_->BootNow();
  StartSleep(Millis(15), &woken);
  while (clock_->BootNow() - start < Millis(14)) {
    static_cast<void>(RunUntil(context_, [&] { return woken == 1; }, Millis(1)));
    if (clock_->BootNow() - start < Millis(14)) {
      EXPECT_EQ(woken, 0);
    }
    GetParam().advance(*clock_, Millis(1));
  }
  EXPECT_TRUE(PassTimeUntil([&] { return woken == 1; }));
}

TEST_P(ClockContract, CancellingTheCoroutineEndsItsSleep) {
  int ended = 0;
  asio::cancellation_signal signal;
  const auto sleep_long = [](ports::Clock& clock) -> asio::awaitable<void> {
    co_await clock.Sleep(std::chrono::hours(1));
  };
  asio::co_spawn(context_, sleep_long(*clock_),
                 asio::bind_cancellation_slot(signal.slot(), [&](std::exception_ptr) { ++ended; }));
  ASSERT_FALSE(RunUntil(context_, [&] { return ended > 0; }, Millis(5)));
  signal.emit(asio::cancellation_type::terminal);
  EXPECT_TRUE(RunUntil(context_, [&] { return ended == 1; }));
}

INSTANTIATE_TEST_SUITE_P(Clocks, ClockContract,
                         testing::Values(ClockWorld{"Fake",
                                                    []() -> std::unique_ptr<ports::Clock> {
                                                      return std::make_unique<FakeClock>();
                                                    },
                                                    [](ports::Clock& clock, Millis by) {
                                                      static_cast<FakeClock&>(clock).Advance(by);
                                                    }},
                                         ClockWorld{
                                             "System",
                                             []() -> std::unique_ptr<ports::Clock> {
                                               return std::make_unique<system::SystemClock>();
                                             },
                                             [](ports::Clock&, Millis) {}}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace tollbridge::test
