#include "services/reconcile/pace.h"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>

#include "tests/support/fakes/fake_clock.h"

namespace tollbridge::reconcile {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;

class PaceTest : public ::testing::Test {
 protected:
  static boost::asio::awaitable<void> Walk(Pace* pace, int* steps) {
    while (true) {
      co_await pace->Step();
      ++*steps;
    }
  }
  void Start(Pace& pace, int* steps) {
    boost::asio::co_spawn(context_, Walk(&pace, steps), boost::asio::detached);
    context_.poll();
  }
  void Pass(milliseconds duration) {
    for (; duration > milliseconds(0); duration -= milliseconds(1)) {
      clock_.Advance(milliseconds(1));
      context_.restart();
      context_.poll();
    }
  }

  test::FakeClock clock_;
  boost::asio::io_context context_;
};

TEST_F(PaceTest, StepsAreSpreadEvenly) {
  Pace pace(clock_, 10);
  int steps = 0;
  Start(pace, &steps);
  EXPECT_EQ(steps, 1);
  Pass(milliseconds(99));
  EXPECT_EQ(steps, 1);
  Pass(milliseconds(1));
  EXPECT_EQ(steps, 2);
  Pass(milliseconds(1000));
  EXPECT_EQ(steps, 12);
}

TEST_F(PaceTest, WhoeverSharesItSharesItsRate) {
  Pace pace(clock_, 10);
  int steps = 0;
  Start(pace, &steps);
  Start(pace, &steps);
  Start(pace, &steps);
  Pass(milliseconds(1000));
  EXPECT_LE(steps, 11);
  EXPECT_GE(steps, 10);
}

TEST_F(PaceTest, ALongRestSavesUpNoSteps) {
  Pace pace(clock_, 100);
  clock_.Advance(minutes(10));
  int steps = 0;
  Start(pace, &steps);
  EXPECT_LE(steps, 3) << "what belongs into 20 ms";
}

TEST_F(PaceTest, LateTimersDoNotLowerAHighRate) {
  Pace pace(clock_, 5'000);
  int steps = 0;
  Start(pace, &steps);
  Pass(milliseconds(1000));
  EXPECT_GE(steps, 4'900);
  EXPECT_LE(steps, 5'101);
}

}  // namespace
}  // namespace tollbridge::reconcile
