#include "base/wire/start_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tollbridge::wire {
namespace {

namespace asio = boost::asio;

class StartQueueTest : public testing::Test {
 protected:
  void Start(const std::string& source, int count, std::size_t weight = 1) {
    for (int i = 0; i < count; ++i) {
      queue_->Start(source, {[this, source] { started_.push_back(source); }, weight});
    }
  }
  std::size_t StartedOf(const std::string& source) const {
    return static_cast<std::size_t>(std::ranges::count(started_, source));
  }

  asio::io_context context_{1};
  std::vector<std::string> started_;
  std::shared_ptr<StartQueue> queue_ = std::make_shared<StartQueue>(context_.get_executor());
};

TEST_F(StartQueueTest, FewAreStartedAtOnce) {
  Start("a", 10);
  EXPECT_EQ(started_.size(), 10u);
  context_.poll();
  Start("a", 10);
  EXPECT_EQ(started_.size(), 20u) << "in another turn";
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

TEST_F(StartQueueTest, SaysOfWhichAddressAnythingWaits) {
  Start("a", 100);
  EXPECT_TRUE(queue_->Waits("a"));
  EXPECT_FALSE(queue_->Waits("b"));
  context_.run();
  EXPECT_FALSE(queue_->Waits("a"));
}

TEST_F(StartQueueTest, WhatElseIsDueComesInBetween) {
  Start("a", 1'000);
  std::size_t then = 0;
  asio::post(context_, [&] { then = started_.size(); });
  context_.run();
  EXPECT_LT(then, 100u);
}

TEST_F(StartQueueTest, WhatCostsMoreComesInSmallerNumbers) {
  Start("a", 1'000, 16);
  EXPECT_EQ(started_.size(), 2u);
  context_.run_one();
  EXPECT_EQ(started_.size(), 4u);
  context_.run();
  EXPECT_EQ(started_.size(), 1'000u);
}

TEST_F(StartQueueTest, WhatWasReadWaitsForATurnByItsSize) {
  Start("a", 40);
  ASSERT_TRUE(queue_->Waits("a"));
  constexpr int kReads = 20;
  int looked_at = 0;
  for (int i = 0; i < kReads; ++i) {
    asio::co_spawn(context_, queue_->Read("a", 16'384),
                   [&](const std::exception_ptr&) { ++looked_at; });
  }
  int before = 0;
  int most = 0;
  std::function<void()> what_else = [&] {
    most = std::max(most, looked_at - before);
    before = looked_at;
    if (looked_at < kReads) asio::post(context_, what_else);
  };
  asio::post(context_, what_else);
  context_.run();
  EXPECT_EQ(looked_at, kReads);
  EXPECT_LE(most, 2);
}

}  // namespace
}  // namespace tollbridge::wire
