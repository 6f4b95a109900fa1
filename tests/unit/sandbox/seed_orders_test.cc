#include "sandbox/seed_orders.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sandbox/wire/order_json.h"

namespace tollbridge::sandbox {
namespace {

constexpr std::size_t kCount = 1'000;

World MakeWorld(std::uint64_t seed = 7, Settings settings = {}) {
  return World(std::move(settings), seed, ParseTime("2026-11-21T08:00:00Z"));
}

const Project& Demo(const World& world) { return world.simulation.settings.projects.front(); }

std::vector<const Order*> All(const World& world) {
  std::vector<const Order*> orders;
  for (const Uuid& id : world.orders.by_creation()) orders.push_back(world.orders.Find(id));
  return orders;
}

std::map<OrderStatus, std::size_t> CountByStatus(const World& world) {
  std::map<OrderStatus, std::size_t> counts;
  for (const Order* order : All(world)) ++counts[order->status];
  return counts;
}

class SeedOrdersTest : public testing::Test {
 protected:
  World world_ = MakeWorld();
};

TEST_F(SeedOrdersTest, MakesAsManyAsAskedForOfThatProject) {
  EXPECT_EQ(SeedOrders(&world_, Demo(world_), kCount), kCount);
  EXPECT_EQ(world_.orders.by_id().size(), kCount);
  for (const Order* order : All(world_)) {
    EXPECT_EQ(order->project_id, Demo(world_).id);
    EXPECT_TRUE(order->test);
    EXPECT_GT(order->amount, 0);
    EXPECT_FALSE(order->webhook_url.has_value());
  }
}

TEST_F(SeedOrdersTest, MostAreCompletedAndEachOtherStatusIsThere) {
  SeedOrders(&world_, Demo(world_), kCount);
  std::map<OrderStatus, std::size_t> counts = CountByStatus(world_);
  EXPECT_GT(counts[OrderStatus::kCompleted], kCount / 2);
  for (const OrderStatus status : {OrderStatus::kNew, OrderStatus::kProcessing, OrderStatus::kError,
                                   OrderStatus::kCancelled, OrderStatus::kExpired}) {
    EXPECT_GT(counts[status], 0U) << Text(status);
  }
  EXPECT_EQ(counts[OrderStatus::kSeeTransactions], 0U);
}

TEST_F(SeedOrdersTest, StatusesOfOrderAndTransactionAgree) {
  SeedOrders(&world_, Demo(world_), kCount);
  const std::map<OrderStatus, std::set<TransactionStatus>> agreeing = {
      {OrderStatus::kNew, {TransactionStatus::kNew}},
      {OrderStatus::kProcessing, {TransactionStatus::kPending}},
      {OrderStatus::kCompleted, {TransactionStatus::kCompleted}},
      {OrderStatus::kError, {TransactionStatus::kDeclined, TransactionStatus::kError}},
      {OrderStatus::kCancelled, {TransactionStatus::kCancelled}},
      {OrderStatus::kExpired, {TransactionStatus::kExpired}}};
  for (const Order* order : All(world_)) {
    ASSERT_EQ(order->transactions.size(), 1U);
    const Transaction& transaction = order->transactions.front();
    EXPECT_TRUE(agreeing.at(order->status).contains(transaction.status)) << Text(order->status);
    EXPECT_EQ(transaction.events.back().event, transaction.status);
    EXPECT_EQ(order->completed.has_value(), order->status == OrderStatus::kCompleted);
    EXPECT_EQ(order->reason.empty(), order->status == OrderStatus::kNew ||
                                         order->status == OrderStatus::kProcessing ||
                                         order->status == OrderStatus::kCompleted);
  }
}

TEST_F(SeedOrdersTest, AreSpreadOverThe90DaysBeforeNowInTheOrderOfTheirCreation) {
  SeedOrders(&world_, Demo(world_), kCount);
  const Time now = world_.simulation.clock.Now();
  const std::vector<const Order*> orders = All(world_);
  EXPECT_TRUE(
      std::ranges::is_sorted(orders, {}, [](const Order* order) { return order->created; }));
  EXPECT_GE(orders.front()->created, now - std::chrono::days(90));
  EXPECT_LT(orders.front()->created, now - std::chrono::days(89));
  EXPECT_GT(orders.back()->created, now - std::chrono::days(1));
  for (const Order* order : orders) {
    EXPECT_LE(order->created, now);
    EXPECT_LE(order->modified, now);
    EXPECT_GE(order->modified, order->created);
    Time before = order->created;
    for (const EventRecord& event : order->transactions.front().events) {
      EXPECT_GE(event.occurred, before);
      before = event.occurred;
    }
  }
}

TEST_F(SeedOrdersTest, BesideOrdersThatAreThereAllAreCreatedNow) {
  SeedOrders(&world_, Demo(world_), 10);
  SeedOrders(&world_, Demo(world_), 10);
  const std::vector<const Order*> orders = All(world_);
  EXPECT_EQ(orders[10]->created, world_.simulation.clock.Now());
  EXPECT_EQ(orders[9]->merchant_order_id, "seed-000010");
  EXPECT_EQ(orders[10]->merchant_order_id, "seed-000011");
  EXPECT_TRUE(
      std::ranges::is_sorted(orders, {}, [](const Order* order) { return order->created; }));
}

TEST_F(SeedOrdersTest, RefundsAndTheirOrdersNameEachOther) {
  SeedOrders(&world_, Demo(world_), kCount);
  std::size_t refunds = 0;
  for (const Order* order : All(world_)) {
    if (order->relation != Relation::kRefund) continue;
    ++refunds;
    const Order* origin = world_.orders.Find(*order->related_order);
    ASSERT_NE(origin, nullptr);
    EXPECT_EQ(origin->children, (std::vector{std::pair{Relation::kRefund, order->id}}));
    EXPECT_EQ(origin->refunded_amount, order->amount);
    EXPECT_LE(order->amount, origin->amount);
    EXPECT_GE(order->created, origin->completed);
    EXPECT_EQ(order->currency, origin->currency);
    EXPECT_EQ(order->transactions.front().refund_of, origin->transactions.front().id);
    EXPECT_TRUE(order->transactions.front().debit);
  }
  EXPECT_GT(refunds, kCount / 50);
}

TEST_F(SeedOrdersTest, UseSeveralCurrenciesAndMethods) {
  SeedOrders(&world_, Demo(world_), kCount);
  std::map<std::string, int> currencies;
  std::map<std::string, int> methods;
  std::set<std::string> customers;
  for (const Order* order : All(world_)) {
    ++currencies[order->currency];
    ++methods[order->transactions.front().payment_method];
    customers.insert(order->customer);
  }
  EXPECT_GT(currencies.size(), 5U);
  EXPECT_GT(methods["credit-card"], methods["wallet-a-pay"]);
  EXPECT_GT(methods["wallet-b-pay"], 0);
  EXPECT_EQ(methods["credit-card-oct"], 0);
  EXPECT_GT(customers.size(), 500U);
}

TEST_F(SeedOrdersTest, TellNoObserverAndMoveNoMoney) {
  int told = 0;
  world_.orders.Subscribe([&](const Order&) { ++told; });
  SeedOrders(&world_, Demo(world_), kCount);
  world_.simulation.timeline.RunDue();
  EXPECT_EQ(told, 0);
  EXPECT_TRUE(world_.simulation.ledger.entries().empty());
}

TEST_F(SeedOrdersTest, OpenOrdersCanBePaid) {
  SeedOrders(&world_, Demo(world_), kCount);
  for (const Uuid& id : std::vector<Uuid>(world_.orders.by_creation())) {
    const Order& order = *world_.orders.Find(id);
    if (order.status == OrderStatus::kNew) {
      EXPECT_TRUE(world_.payments.Approve(id).ok());
    } else if (order.status == OrderStatus::kProcessing) {
      EXPECT_TRUE(world_.payments.EndChallenge(id, order.transactions.front().id, true).ok());
    } else {
      continue;
    }
    EXPECT_EQ(order.status, OrderStatus::kCompleted);
  }
}

TEST_F(SeedOrdersTest, OpenOrdersExpireAfter30DaysUnlessTheyWerePaid) {
  SeedOrders(&world_, Demo(world_), kCount);
  Uuid paid;
  for (const Order* order : All(world_)) {
    if (order->status == OrderStatus::kNew) paid = order->id;
  }
  ASSERT_TRUE(world_.payments.Approve(paid).ok());
  const Time end = world_.simulation.clock.Now() + std::chrono::days(30);
  while (world_.simulation.timeline.StepTowards(end)) {
  }
  std::map<OrderStatus, std::size_t> counts = CountByStatus(world_);
  EXPECT_EQ(counts[OrderStatus::kNew], 0U);
  EXPECT_EQ(counts[OrderStatus::kProcessing], 0U);
  EXPECT_EQ(world_.orders.Find(paid)->status, OrderStatus::kCompleted);
}

TEST_F(SeedOrdersTest, PaidOrdersCanBeRefundedAsFarAsTheyAreNot) {
  SeedOrders(&world_, Demo(world_), 25);
  for (const Uuid& id : std::vector<Uuid>(world_.orders.by_creation())) {
    const Order& order = *world_.orders.Find(id);
    if (order.status != OrderStatus::kCompleted || order.relation != Relation::kNone) continue;
    const std::int64_t left = order.amount - order.refunded_amount;
    const FollowUps::Made made = world_.follow_ups.Refund(id, std::nullopt, std::nullopt);
    ASSERT_EQ(made.ok(), left > 0);
    if (left > 0) {
      EXPECT_EQ((*made)->amount, left);
    }
  }
}

std::string Written(const World& world) {
  std::string out;
  const Addresses addresses{.base_url = "http://sandbox.test"};
  for (const Order* order : All(world)) AppendOrder(*order, addresses, &out);
  return out;
}

TEST_F(SeedOrdersTest, SameSeedGivesTheSameOrdersAndAnotherOneOthers) {
  World same = MakeWorld();
  World other = MakeWorld(8);
  for (World* world : {&world_, &same, &other}) SeedOrders(world, Demo(*world), 100);
  EXPECT_EQ(Written(world_), Written(same));
  EXPECT_NE(Written(world_), Written(other));
}

TEST(SeedOrders, StopAtMaxOrders) {
  World world = MakeWorld(7, Settings{.max_orders = 30});
  EXPECT_EQ(SeedOrders(&world, Demo(world), 100), 30U);
  EXPECT_EQ(SeedOrders(&world, Demo(world), 1), 0U);
  EXPECT_EQ(world.orders.by_id().size(), 30U);
}

TEST(SeedOrders, NoneAndOneWorkToo) {
  World world = MakeWorld();
  EXPECT_EQ(SeedOrders(&world, Demo(world), 0), 0U);
  EXPECT_EQ(SeedOrders(&world, Demo(world), 1), 1U);
}

TEST(SeedOrders, KeepToWhatTheProjectCanDo) {
  for (const std::vector<std::string>& methods :
       {std::vector<std::string>{"wallet-b-pay"}, {"credit-card"}, {"credit-card-oct"}}) {
    Settings settings;
    settings.projects.front().payment_methods = methods;
    settings.projects.front().currencies = {"SEK"};
    World world = MakeWorld(7, std::move(settings));
    EXPECT_EQ(SeedOrders(&world, Demo(world), 100), 100U);
    for (const Order* order : All(world)) {
      EXPECT_EQ(order->currency, "SEK");
      EXPECT_EQ(order->transactions.front().payment_method, methods.front());
    }
  }
}

}  // namespace
}  // namespace tollbridge::sandbox
