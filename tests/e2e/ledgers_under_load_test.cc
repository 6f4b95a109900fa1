// Redis comes back without its last seconds while orders are made, declined and paid: what the
// example consumers book is what the payment service did.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/core/boot_clock.h"
#include "tests/e2e/ledger_run.h"
#include "tests/e2e/support/mutations.h"
#include "tests/e2e/support/payments.h"
#include "tests/support/http_call.h"
#include "tests/support/stack.h"
#include "tests/support/topic.h"

namespace tollbridge::test {
namespace {

constexpr std::chrono::seconds kLimit{180};
constexpr std::chrono::seconds kLost{5};
/// Of each caller: declined, and paid when so many others have been declined.
constexpr std::size_t kLeftOpen = 15;
constexpr std::size_t kUnderWay = 40;

/// Shops that go on and on: each order is declined once, and paid a while later.
class Shops {
 public:
  explicit Shops(Stack* stack) : stack_(*stack) {
    for (int i = 0; i < kShops; ++i) shops_.emplace_back([this, i] { Sell(i); });
  }
  ~Shops() { over_ = true; }
  Shops(const Shops&) = delete;
  Shops& operator=(const Shops&) = delete;

  std::size_t paid() const { return paid_count_; }
  /// Has them pay what is open, and gives all that was paid.
  std::set<std::string> End() {
    over_ = true;
    shops_.clear();
    return paid_;
  }

 private:
  static constexpr int kShops = 2;

  void Sell(int shop) {
    std::deque<std::string> open;
    const Mutation pattern = Prepare(stack_, Kind::kCreate, "shop-" + std::to_string(shop));
    for (int i = 0; !over_; ++i) {
      const Told told = CallUntilDefinite(
          stack_.grpc(), WithKey(pattern, "order-" + std::to_string(shop * 1'000'000 + i)));
      EXPECT_TRUE(told.definite()) << told.text();
      if (!told.order) continue;
      open.push_back(told.order->id());
      Play(open.back(), "decline");
      if (open.size() <= kLeftOpen) continue;
      Pay(open.front());
      open.pop_front();
    }
    for (const std::string& order : open) Pay(order);
  }

  void Pay(const std::string& order) {
    Play(order, "approve");
    const std::scoped_lock lock(mutex_);
    paid_.insert(order);
    ++paid_count_;
  }

  /// The customer's part.
  void Play(const std::string& order, const std::string& outcome) {
    const http::Response answer =
        HttpCall("POST", stack_.sandbox_url() + "/_sandbox/orders/" + order + "/pay",
                 R"({"outcome": ")" + outcome + "\"}");
    EXPECT_EQ(answer.status, 200) << answer.body;
  }

  Stack& stack_;
  std::atomic<bool> over_{false};
  std::atomic<std::size_t> paid_count_{0};
  std::mutex mutex_;
  std::set<std::string> paid_;
  std::vector<std::jthread> shops_;
};

/// Orders of which the topic tells that they were paid.
std::set<std::string> ToldAsPaid(const std::vector<TopicRecord>& records) {
  std::set<std::string> told;
  for (const TopicRecord& record : records) {
    if (record.header("ce_type") == kPaymentCompleted) told.insert(record.key);
  }
  return told;
}

TEST(LedgersUnderLoadTest, AgreeAfterRedisLostItsLastFiveSeconds) {
  Stack stack({.settings = ShortIntervals(), .sandbox_arguments = ImmediateSandbox()});
  const std::unique_ptr<Topic> events = stack.OpenTopic("events");
  std::vector<std::unique_ptr<LedgerRun>> ledgers;
  for (const LedgerProgram& program : LedgerPrograms()) {
    ledgers.push_back(std::make_unique<LedgerRun>(program, stack));
  }

  Shops shops(&stack);
  ASSERT_TRUE(Eventually([&] { return shops.paid() >= kUnderWay; }));
  // What Redis writes from here on is in its memory alone.
  stack.RedisCommand({"CONFIG", "SET", "appendonly", "no"});
  const BootTime lost_from = BootClock::now();
  const std::size_t before = shops.paid();
  ASSERT_TRUE(Eventually(
      [&] { return BootClock::now() - lost_from >= kLost && shops.paid() >= before + kUnderWay; }));
  // The ledgers know what Redis is about to forget.
  for (const auto& ledger : ledgers) ASSERT_NO_FATAL_FAILURE(ledger->ToEnd());
  stack.redis().Restart();
  const std::size_t at_restart = shops.paid();
  ASSERT_TRUE(Eventually([&] { return shops.paid() >= at_restart + kUnderWay; }));

  const std::set<std::string> paid = shops.End();
  const auto all_told = [&](const std::vector<TopicRecord>& records) {
    const std::set<std::string> told = ToldAsPaid(records);
    return std::ranges::includes(told, paid);
  };
  ASSERT_TRUE(events->ReadUntil(all_told, kLimit));
  EXPECT_EQ(MovedByOrder(stack).size(), paid.size());
  for (const auto& ledger : ledgers) {
    ASSERT_NO_FATAL_FAILURE(ledger->ToEnd());
    ledger->ExpectThatOfThePaymentService();
  }
  EXPECT_FALSE(ledgers.empty());
}

}  // namespace
}  // namespace tollbridge::test
