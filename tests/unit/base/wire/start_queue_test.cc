#include "base/wire/start_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/core/boot_clock.h"

namespace tollbridge::wire {
namespace {

namespace asio = boost::asio;

class StartQueueTest : public testing::Test {
 protected:
  void Start(const std::string& source, int count, std::size_t bytes = 0) {
    for (int i = 0; i < count; ++i) {
      queue_->Start(source, bytes, [this, source] { started_.push_back(source); });
    }
  }
  void Read(const std::string& source, int count, std::size_t bytes) {
    for (int i = 0; i < count; ++i) {
      asio::co_spawn(context_, queue_->Read(Kept(source), bytes),
                     [this](const std::exception_ptr&) { ++read_; });
    }
  }
  /// As long as the test.
  const std::string& Kept(const std::string& source) { return *sources_.insert(source).first; }
  std::size_t StartedOf(const std::string& source) const {
    return static_cast<std::size_t>(std::ranges::count(started_, source));
  }

  asio::io_context context_{1};
  std::vector<std::string> started_;
  int read_ = 0;
  std::set<std::string> sources_;
  std::shared_ptr<StartQueue> queue_ = std::make_shared<StartQueue>(context_.get_executor());
};

TEST_F(StartQueueTest, FewAreStartedAtOnce) {
  Start("a", 30);
  EXPECT_EQ(started_.size(), 30u);
  context_.poll();
  Start("a", 30);
  EXPECT_EQ(started_.size(), 60u) << "in another turn";
}

TEST_F(StartQueueTest, OfManyEachAddressHasItsTurn) {
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

TEST_F(StartQueueTest, WhatElseIsDueComesInBetween) {
  Start("a", 1'000);
  std::size_t then = 0;
  asio::post(context_, [&] { then = started_.size(); });
  context_.run();
  EXPECT_LT(then, 100u);
}

TEST_F(StartQueueTest, WhatCostsMoreComesInSmallerNumbers) {
  Start("a", 1'000, 15 * 1024);
  EXPECT_EQ(started_.size(), 2u);
  context_.run_one();
  EXPECT_EQ(started_.size(), 4u);
  context_.run();
  EXPECT_EQ(started_.size(), 1'000u);
}

TEST_F(StartQueueTest, WhatTookLongEndsNoTurn) {
  Start("a", 1, 250'000);
  for (const BootTime end = BootClock::now() + std::chrono::milliseconds(3);
       BootClock::now() < end;) {
  }
  Start("a", 1, 250'000);
  EXPECT_EQ(started_.size(), 1u) << "what was due with it comes first";
  context_.run();
  EXPECT_EQ(started_.size(), 2u);
}

TEST_F(StartQueueTest, WhatWasReadIsLookedAtByItsSize) {
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

TEST_F(StartQueueTest, CallsComeBeforeWhatMoreIsRead) {
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

TEST_F(StartQueueTest, AnAddressThatDidNothingWaitsOneTurn) {
  Read("a", 1'000, 4'096);
  while (read_ < 10) context_.run_one();
  int others = 0;
  asio::co_spawn(context_, queue_->Read(Kept("b"), 100),
                 [&](const std::exception_ptr&) { others = read_; });
  while (others == 0) ASSERT_GT(context_.run_one(), 0u);
  EXPECT_LE(others, 20);
}

}  // namespace
}  // namespace tollbridge::wire
