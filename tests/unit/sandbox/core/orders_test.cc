#include "sandbox/core/orders.h"

#include <gtest/gtest.h>

#include <chrono>

#include "tests/unit/sandbox/core/world_test.h"

namespace tollbridge::sandbox {
namespace {

using std::chrono::seconds;

class HistoryTest : public WorldTest {
 protected:
  Time Now() const { return world_.simulation.clock.Now(); }
  OrderStatus StatusAsOf(const Uuid& id, Millis ago) const {
    return world_.orders.AsOf(id, Now() - ago)->status;
  }
};

TEST_F(HistoryTest, OrderIsNotThereBeforeItWasCreated) {
  world_.orders.KeepHistory(seconds(10));
  Advance(seconds(5));
  const Uuid order = Create("credit-card");
  EXPECT_EQ(world_.orders.AsOf(order, Now() - Millis{1}), nullptr);
  EXPECT_NE(world_.orders.AsOf(order, Now()), nullptr);
  EXPECT_EQ(world_.orders.AsOf(Uuid(), Now()), nullptr);
}

TEST_F(HistoryTest, ShowsTheStateOfThatTime) {
  world_.orders.KeepHistory(seconds(60));
  const Uuid order = Create("credit-card");
  const Uuid card = Store(order, kApprovedPan);
  Advance(seconds(10));
  EXPECT_FALSE(Authenticate(order, card));
  Advance(seconds(10));
  EXPECT_TRUE(world_.payments.Approve(order).ok());
  EXPECT_EQ(StatusAsOf(order, seconds(0)), OrderStatus::kCompleted);
  EXPECT_EQ(StatusAsOf(order, seconds(1)), OrderStatus::kProcessing);
  EXPECT_EQ(StatusAsOf(order, seconds(10)), OrderStatus::kProcessing);
  EXPECT_EQ(StatusAsOf(order, seconds(11)), OrderStatus::kNew);
}

TEST_F(HistoryTest, BeyondWhatIsKeptTheOldestKnownStateIsShown) {
  world_.orders.KeepHistory(seconds(15));
  const Uuid order = Create("credit-card");
  Advance(seconds(10));
  EXPECT_FALSE(Authenticate(order, Store(order, kApprovedPan)));
  Advance(seconds(16));
  EXPECT_TRUE(world_.payments.Approve(order).ok());
  EXPECT_EQ(StatusAsOf(order, seconds(20)), OrderStatus::kProcessing);
}

TEST_F(HistoryTest, WithoutHistoryOnlyTheCurrentStateIsKnown) {
  const Uuid order = Create("credit-card");
  Advance(seconds(10));
  EXPECT_FALSE(PayOnPage(order, kApprovedPan));
  EXPECT_EQ(StatusAsOf(order, seconds(5)), OrderStatus::kCompleted);
}

TEST_F(HistoryTest, ResetForgetsAll) {
  world_.orders.KeepHistory(seconds(60));
  const Uuid order = Paid();
  world_.Reset();
  EXPECT_EQ(world_.orders.Find(order), nullptr);
  EXPECT_EQ(world_.orders.AsOf(order, Now()), nullptr);
  EXPECT_TRUE(world_.simulation.ledger.entries().empty());
  EXPECT_EQ(world_.simulation.timeline.size(), 0U);
}

TEST(OrdersDeathTest, TriggerOutsideTheTableEndsTheProcess) {
  Simulation simulation({}, 1, ParseTime("2026-11-21"));
  Orders orders(&simulation);
  Order& order = orders.Add({});
  EXPECT_DEATH(orders.Apply(order, Trigger::kSettled), "has no transition by 'settled'");
}

}  // namespace
}  // namespace tollbridge::sandbox
