#include "base/core/side_by_side.h"

#include <gtest/gtest.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/core/must_go_on.h"

namespace tollbridge {
namespace {

namespace asio = boost::asio;

/// Work whose turns end when the test says so, and as it says.
class SideBySideTest : public ::testing::Test {
 protected:
  void Start(std::size_t count, std::size_t at_once) {
    asio::co_spawn(
        context_,
        SideBySide(count, at_once,
                   [this](std::size_t index) -> Turn {
                     begun_.push_back(index);
                     asio::steady_timer& open =
                         open_.try_emplace(index, context_, asio::steady_timer::time_point::max())
                             .first->second;
                     co_await open.async_wait(asio::as_tuple(asio::use_awaitable));
                     const bool goes_on = goes_on_[index];
                     open_.erase(index);
                     co_return goes_on;
                   }),
        [this](const std::exception_ptr& thrown, std::size_t begun) {
          EXPECT_FALSE(thrown);
          ended_ = begun;
        });
    Run();
  }

  void End(std::size_t index, bool goes_on = true) {
    goes_on_[index] = goes_on;
    open_.at(index).cancel();
    Run();
  }

  void Run() {
    context_.restart();
    context_.poll();
  }

  asio::io_context context_;
  std::vector<std::size_t> begun_;
  std::map<std::size_t, asio::steady_timer> open_;
  std::map<std::size_t, bool> goes_on_;
  std::optional<std::size_t> ended_;
};

using Indices = std::vector<std::size_t>;

TEST_F(SideBySideTest, NothingToDoEndsAtOnce) {
  Start(0, 3);
  EXPECT_EQ(ended_, 0);
  EXPECT_EQ(begun_, Indices{});
}

TEST_F(SideBySideTest, BeginsInOrderAndNeverMoreThanAllowedAtOnce) {
  Start(4, 2);
  EXPECT_EQ(begun_, (Indices{0, 1}));
  End(1);
  EXPECT_EQ(begun_, (Indices{0, 1, 2}));
  End(2);
  EXPECT_EQ(begun_, (Indices{0, 1, 2, 3}));
  End(0);
  EXPECT_EQ(ended_, std::nullopt);
  End(3);
  EXPECT_EQ(ended_, 4);
}

TEST_F(SideBySideTest, MoreAtOnceThanThereIsToDo) {
  Start(2, 100);
  EXPECT_EQ(begun_, (Indices{0, 1}));
  End(0);
  End(1);
  EXPECT_EQ(ended_, 2);
}

TEST_F(SideBySideTest, AfterAStopNothingIsBegunAndWhatIsUnderWayEnds) {
  Start(5, 2);
  End(0, false);
  EXPECT_EQ(begun_, (Indices{0, 1}));
  EXPECT_EQ(ended_, std::nullopt);
  End(1);
  EXPECT_EQ(begun_, (Indices{0, 1}));
  EXPECT_EQ(ended_, 2);
}

TEST(SideBySideThrows, WhatATurnThrowsComesOutOnceTheOthersHaveEnded) {
  asio::io_context context;
  asio::steady_timer open(context, asio::steady_timer::time_point::max());
  std::vector<std::size_t> begun;
  std::exception_ptr thrown;
  asio::co_spawn(context,
                 SideBySide(3, 2,
                            [&](std::size_t index) -> Turn {
                              begun.push_back(index);
                              if (index == 1) throw std::runtime_error("no memory");
                              co_await open.async_wait(asio::as_tuple(asio::use_awaitable));
                              co_return true;
                            }),
                 [&](std::exception_ptr what, std::size_t) { thrown = std::move(what); });
  context.poll();
  EXPECT_FALSE(thrown) << "one is under way";
  open.cancel();
  context.restart();
  context.poll();
  ASSERT_TRUE(thrown);
  EXPECT_THROW(std::rethrow_exception(thrown), std::runtime_error);
  EXPECT_EQ(begun, (std::vector<std::size_t>{0, 1}));
}

TEST(MustGoOnDeathTest, ALoopThatThrowsEndsTheProcess) {
  EXPECT_DEATH(MustGoOn{}(std::make_exception_ptr(std::runtime_error("no memory"))), "no memory");
  MustGoOn{}(nullptr);
}

TEST_F(SideBySideTest, EndsWithItsShardThoughTurnsAreUnderWay) {
  Start(3, 2);
  EXPECT_EQ(begun_, (Indices{0, 1}));
  EXPECT_EQ(ended_, std::nullopt);
}

}  // namespace
}  // namespace tollbridge
