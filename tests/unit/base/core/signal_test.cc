#include "base/core/signal.h"

#include <gtest/gtest.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <utility>

namespace tollbridge {
namespace {

using boost::asio::awaitable;
using std::chrono::hours;

class SignalTest : public testing::Test {
 protected:
  void Spawn(awaitable<void> coroutine) {
    boost::asio::co_spawn(context_, std::move(coroutine), boost::asio::detached);
    Run();
  }
  /// All that can go on without time passing.
  void Run() {
    context_.restart();
    context_.poll();
  }
  void Fire() {
    signal_.Fire();
    Run();
  }

  awaitable<void> WaitOnce(BootTime deadline = BootTime::max()) {
    co_await signal_.Wait(deadline);
    ++woken_;
  }

  boost::asio::io_context context_{1};
  Signal signal_{context_.get_executor()};
  int woken_ = 0;
};

TEST_F(SignalTest, WakesAllWhoWaitAndNobodyWhoComesLater) {
  Spawn(WaitOnce());
  Spawn(WaitOnce());
  EXPECT_EQ(woken_, 0);
  Fire();
  EXPECT_EQ(woken_, 2);
  Spawn(WaitOnce());
  EXPECT_EQ(woken_, 2);
  Fire();
  EXPECT_EQ(woken_, 3);
}

TEST_F(SignalTest, WaitEndsAtItsDeadlineOrBefore) {
  Spawn(WaitOnce(BootClock::now() - hours(1)));
  EXPECT_EQ(woken_, 1);
  Spawn(WaitOnce(BootClock::now() + hours(1)));
  EXPECT_EQ(woken_, 1);
  Fire();
  EXPECT_EQ(woken_, 2);
}

TEST_F(SignalTest, DeadlineIsThatOfOneWaitOnly) {
  Spawn(WaitOnce(BootClock::now() - hours(1)));
  EXPECT_EQ(woken_, 1);
  Spawn(WaitOnce());
  EXPECT_EQ(woken_, 1);
}

}  // namespace
}  // namespace tollbridge
