#include "base/net/turns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/core/boot_clock.h"

namespace tollbridge::net {
namespace {

namespace asio = boost::asio;

/// Its time stands still, unless a test has it go on.
class TurnsTest : public testing::Test {
 protected:
  void Start(const std::string& source, int count, std::size_t bytes = 0) {
    for (int i = 0; i < count; ++i) {
      turns_->Start(source, bytes, [this, source] { started_.push_back(source); });
    }
  }
  void Read(const std::string& source, int count, std::size_t bytes) {
    for (int i = 0; i < count; ++i) {
      asio::co_spawn(context_, WaiterOf(source).Read(bytes),
                     [this](const std::exception_ptr&) { ++read_; });
    }
  }
  /// How often all that is due has its turn until so many have been read.
  int TurnsUntilRead(int count) {
    int turns = 0;
    std::function<void()> what_else = [&] {
      ++turns;
      if (read_ < count) asio::post(context_, what_else);
    };
    asio::post(context_, what_else);
    context_.run();
    context_.restart();
    return turns;
  }
  /// As long as the test.
  Turns::Waiter& WaiterOf(const std::string& source) {
    return waiters_.emplace_back(turns_, source);
  }
  std::size_t StartedOf(const std::string& source) const {
    return static_cast<std::size_t>(std::ranges::count(started_, source));
  }

  static inline BootTime now_ = BootClock::now();
  asio::io_context context_{1};
  std::vector<std::string> started_;
  int read_ = 0;
  std::shared_ptr<Turns> turns_ =
      std::make_shared<Turns>(context_.get_executor(), [] { return now_; });
  std::deque<Turns::Waiter> waiters_;
};

TEST_F(TurnsTest, FewAreStartedAtOnce) {
  Start("a", 30);
  EXPECT_EQ(started_.size(), 30u);
  context_.poll();
  Start("a", 30);
  EXPECT_EQ(started_.size(), 60u) << "in another turn";
}

TEST_F(TurnsTest, AfterAWhileAsFewMore) {
  for (std::size_t count = 16; count <= 64; count += 16) {
    Start("a", 16);
    EXPECT_EQ(started_.size(), count);
    now_ += std::chrono::milliseconds(2);
  }
}

TEST_F(TurnsTest, WhatTakesLongIsAloneInItsTurn) {
  std::size_t done = 0;
  Start("a", 1, 250'000);
  for (int i = 0; i < 5; ++i) {
    turns_->Start("b", 0, [&] {
      ++done;
      now_ += std::chrono::milliseconds(2);
    });
  }
  for (std::size_t turn = 1; turn <= 5; ++turn) {
    context_.run_one();
    EXPECT_EQ(done, turn);
  }
}

TEST_F(TurnsTest, OfManyEachAddressHasItsTurn) {
  Start("a", 1'000);
  Start("b", 5);
  const std::size_t at_once = started_.size();
  EXPECT_LT(at_once, 100u);
  EXPECT_EQ(StartedOf("b"), 0u) << "others wait before it";
  context_.run_one();
  EXPECT_EQ(StartedOf("b"), 5u);
  EXPECT_LE(started_.size(), 2 * at_once);
  context_.run();
  EXPECT_EQ(StartedOf("a"), 1'000u);
}

TEST_F(TurnsTest, WhatElseIsDueComesInBetween) {
  Start("a", 1'000);
  std::size_t then = 0;
  asio::post(context_, [&] { then = started_.size(); });
  context_.run();
  EXPECT_LT(then, 100u);
}

TEST_F(TurnsTest, WhatCostsMoreComesInSmallerNumbers) {
  Start("a", 1'000, 15 * 1024);
  EXPECT_EQ(started_.size(), 2u);
  context_.run_one();
  EXPECT_EQ(started_.size(), 4u);
  context_.run();
  EXPECT_EQ(started_.size(), 1'000u);
}

TEST_F(TurnsTest, WhatTookLongEndsNoTurn) {
  Start("a", 1, 250'000);
  now_ += std::chrono::milliseconds(3);
  Start("a", 1, 250'000);
  EXPECT_EQ(started_.size(), 1u) << "what was due with it comes first";
  context_.run();
  EXPECT_EQ(started_.size(), 2u);
}

TEST_F(TurnsTest, WhatWasReadIsLookedAtByItsSize) {
  constexpr int kReads = 20;
  Read("a", kReads, 4'096);
  int before = 0;
  int most = 0;
  std::function<void()> what_else = [&] {
    most = std::max(most, read_ - before);
    before = read_;
    if (read_ < kReads) asio::post(context_, what_else);
  };
  asio::post(context_, what_else);
  context_.run();
  EXPECT_EQ(read_, kReads);
  EXPECT_LE(most, 3);
}

TEST_F(TurnsTest, CallsComeBeforeWhatMoreIsRead) {
  Start("b", 40);
  Read("a", 1'000, 256);
  context_.run_one();
  context_.poll_one();
  Start("a", 100);
  while (StartedOf("a") < 100) {
    ASSERT_GT(context_.run_one(), 0u);
    // Those that had begun to be looked at before.
    ASSERT_LT(read_, 100);
  }
  context_.run();
  EXPECT_EQ(read_, 1'000);
}

TEST_F(TurnsTest, AnAddressThatDidNothingWaitsOneTurn) {
  Read("a", 1'000, 4'096);
  while (read_ < 10) context_.run_one();
  int others = 0;
  asio::co_spawn(context_, WaiterOf("b").Read(100),
                 [&](const std::exception_ptr&) { others = read_; });
  while (others == 0) ASSERT_GT(context_.run_one(), 0u);
  EXPECT_LE(others, 20);
}

TEST_F(TurnsTest, WhoGivesUpWaitsNoLongerAndTakesNoTurn) {
  Read("a", 1'000, 4'096);
  while (read_ < 10) context_.run_one();
  for (Turns::Waiter& waiter : waiters_) waiter.Cancel();
  Start("b", 1);
  EXPECT_LT(TurnsUntilRead(1'000), 10) << "each would have one to itself";
  EXPECT_EQ(read_, 1'000);
  EXPECT_EQ(StartedOf("b"), 1u);
  Read("a", 1, 0);
  context_.run();
  Start("c", 20);
  EXPECT_EQ(StartedOf("c"), 20u) << "nothing waits any more";
}

TEST(TurnsOfShard, GoWithTheirShardWhileSomeWait) {
  auto shard = std::make_unique<asio::io_context>(1);
  const auto read = [](std::shared_ptr<Turns> turns, int* begun) -> asio::awaitable<void> {
    Turns::Waiter waiter(std::move(turns), "a");
    ++*begun;
    for (;;) co_await waiter.Read(4'096);
  };
  int begun = 0;
  std::weak_ptr<Turns> turns;
  for (int i = 0; i < 10; ++i) {
    const auto of_shard = Turns::Of(shard->get_executor());
    turns = of_shard;
    asio::co_spawn(*shard, read(of_shard, &begun), asio::detached);
  }
  while (begun < 10) ASSERT_GT(shard->run_one(), 0u);
  shard.reset();
  EXPECT_TRUE(turns.expired());
}

TEST_F(TurnsTest, ReadsOfAnAddressLetTheAnswersOfAnotherPass) {
  int answered = 0;
  Read("a", 1'000, 4'096);
  while (read_ < 10) context_.run_one();
  for (int i = 0; i < 4; ++i) {
    asio::co_spawn(context_, WaiterOf("b").Answer(),
                   [&](const std::exception_ptr&) { ++answered; });
  }
  while (answered < 4) ASSERT_GT(context_.run_one(), 0u);
  EXPECT_LE(read_, 30);
}

TEST_F(TurnsTest, AShardHasOneForAllThatListenThere) {
  asio::io_context another{1};
  EXPECT_EQ(Turns::Of(context_.get_executor()), Turns::Of(context_.get_executor()));
  EXPECT_NE(Turns::Of(context_.get_executor()), Turns::Of(another.get_executor()));
}

}  // namespace
}  // namespace tollbridge::net
