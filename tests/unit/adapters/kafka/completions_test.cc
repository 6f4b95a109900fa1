#include "adapters/kafka/completions.h"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <thread>

namespace tollbridge::kafka {
namespace {

namespace asio = boost::asio;
using Numbers = Completions<int>;

constexpr std::chrono::seconds kPatience{20};

class CompletionsTest : public ::testing::Test {
 protected:
  /// Begins to wait on the shard, until the deadline; the number of its ticket.
  std::uintptr_t BeginToWait(BootTime deadline = BootClock::now() + kPatience) {
    const Numbers::Ticket ticket = numbers_->Add(shard_->get_executor());
    asio::co_spawn(
        *shard_, Numbers::Wait(numbers_, ticket, deadline),
        [this](const std::exception_ptr&, std::optional<int> answer) { answer_ = answer; });
    shard_->poll();
    return ticket.number;
  }

  std::shared_ptr<Numbers> numbers_ = std::make_shared<Numbers>();
  std::optional<asio::io_context> shard_{1};
  std::optional<int> answer_;
};

TEST_F(CompletionsTest, AnAnswerOfAnotherThreadArrives) {
  const std::uintptr_t number = BeginToWait();
  std::thread([&] { numbers_->Complete(number, 7); }).join();
  EXPECT_EQ(numbers_->size(), 0U);
  shard_->run();
  EXPECT_EQ(answer_, 7);
}

TEST_F(CompletionsTest, AllGetWhatEndsThem) {
  BeginToWait();
  numbers_->CompleteAll([] { return 9; });
  EXPECT_EQ(numbers_->size(), 0U);
  shard_->run();
  EXPECT_EQ(answer_, 9);
}

TEST_F(CompletionsTest, NobodyWaitsPastTheDeadline) {
  const std::uintptr_t number = BeginToWait(BootClock::now());
  shard_->run();
  EXPECT_EQ(answer_, std::nullopt);
  EXPECT_EQ(numbers_->size(), 0U);
  numbers_->Complete(number, 7);
}

TEST_F(CompletionsTest, AnAnswerAfterTheEndOfTheShardIsDropped) {
  const std::uintptr_t number = BeginToWait();
  shard_.reset();
  EXPECT_EQ(numbers_->size(), 0U);
  numbers_->Complete(number, 7);
  EXPECT_EQ(answer_, std::nullopt);
}

}  // namespace
}  // namespace tollbridge::kafka
