// Read replicas that lag for longer than a reader waits: what is told, and what it costs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/telemetry/metric_definitions.h"
#include "tests/unit/services/events/hint_fixture.h"

namespace tollbridge::events {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;

constexpr auto kProcessing = common::v1::ORDER_STATUS_PROCESSING;
constexpr auto kCompleted = common::v1::ORDER_STATUS_COMPLETED;
constexpr auto kError = common::v1::ORDER_STATUS_ERROR;
constexpr char kRefundId[] = "22222222-93b1-4f7a-8a53-1d0f6a4c2b10";

class LaggingReplicaTest : public HintFixture {
 protected:
  common::v1::Order At(common::v1::OrderStatus status, WallTime modified) const {
    common::v1::Order order = MakeOrder(status);
    *order.mutable_modified() = domain::ToTimestamp(modified);
    return order;
  }

  std::int64_t offset_ = 0;
};

TEST_F(LaggingReplicaTest, ALagOfMinutesInventsNoEvent) {
  StartLoop();
  const WallTime began = clock_.WallNow();
  for (const auto& order : {At(kError, began), At(kCompleted, began + seconds(1))}) {
    reads_.Show(order);
    PutHint(offset_++);
    Pass(seconds(1));
  }
  const std::vector<std::string> told = Types();
  ASSERT_THAT(told, ElementsAre("tollbridge.payment.created.v1", "tollbridge.payment.failed.v1",
                                "tollbridge.payment.completed.v1"));

  reads_.Show(At(kError, began));
  PutHint(offset_++);
  PassWithPoller(minutes(5));
  EXPECT_EQ(Types(), told);
  EXPECT_EQ(Kept().snapshot.root().status(), kCompleted);
  EXPECT_EQ(feed_.stored[0].back(), offset_) << "the hint waits in the due queue, not in its lane";

  // A refund was made meanwhile: what the replica shows when it has caught up is told.
  common::v1::Order refund = MakeOrder(kCompleted, kRefundId);
  refund.set_refund_of_order_id(kOrderId);
  common::v1::Order root = At(kCompleted, began + minutes(4));
  root.add_refund_orders(kRefundId);
  reads_.Show(refund);
  reads_.Show(root);
  PassWithPoller(minutes(2));
  EXPECT_EQ(Types().back(), "tollbridge.refund.completed.v1");
  EXPECT_EQ(Types().size(), told.size() + 1);
}

TEST_F(LaggingReplicaTest, ItCostsFewReadsAndHoldsNoPlace) {
  StartLoop();
  reads_.Show(At(kCompleted, clock_.WallNow()));
  PutHint(offset_++);
  Pass(seconds(1));
  reads_.Show(At(kProcessing, clock_.WallNow() - seconds(30)));
  const std::size_t before = reads_.reads().size();
  PutHint(offset_++);
  Pass(seconds(2));
  EXPECT_EQ(reads_.reads().size(), before + 2);
  EXPECT_EQ(feed_.stored[0].back(), offset_);
  PassWithPoller(minutes(10));
  EXPECT_LE(reads_.reads().size(), before + 40);
  EXPECT_GE(Metric(telemetry::kReads, "stale"), 10);
}

TEST_F(LaggingReplicaTest, WhatStaysOlderForAQuarterOfAnHourIsBelieved) {
  StartLoop();
  reads_.Show(At(kCompleted, clock_.WallNow()));
  PutHint(offset_++);
  Pass(seconds(1));
  reads_.Show(At(kProcessing, clock_.WallNow() - seconds(30)));
  PutHint(offset_++);
  PassWithPoller(minutes(14));
  EXPECT_EQ(Kept().snapshot.root().status(), kCompleted);
  PassWithPoller(minutes(3));
  EXPECT_EQ(Kept().snapshot.root().status(), kProcessing) << "the payment service went back";
}

/// Partitions go to another process and come back: what it has read is not known here.
TEST_F(LaggingReplicaTest, ALagOfBeforeAnotherReaderHadTheFamilyIsNotCounted) {
  StartLoop();
  feed_.Assign({0, kPolled});
  reads_.Show(At(kCompleted, clock_.WallNow()));
  PutHint(offset_++);
  Pass(seconds(1));
  const std::vector<std::string> told = Types();
  reads_.Show(At(kProcessing, clock_.WallNow() - seconds(30)));
  PutHint(offset_++);
  Pass(seconds(3));
  feed_.Revoke({0, kPolled});

  reads_.Show(At(kCompleted, clock_.WallNow()));
  EXPECT_EQ(ReadOnce().outcome, ReadOutcome::kDone);
  Pass(minutes(20));

  feed_.Assign({0, kPolled});
  reads_.Show(At(kProcessing, clock_.WallNow() - minutes(21)));
  PutHint(offset_++);
  Pass(seconds(3));
  EXPECT_EQ(Kept().snapshot.root().status(), kCompleted) << "one look at a replica that lags";
  EXPECT_EQ(Types(), told);
}

TEST_F(LaggingReplicaTest, AMemberThatLagsHoldsItsRootBackInNothing) {
  StartLoop();
  const WallTime began = clock_.WallNow();
  common::v1::Order root = At(kProcessing, began);
  root.add_refund_orders(kRefundId);
  common::v1::Order refund = MakeOrder(kProcessing, kRefundId);
  refund.set_refund_of_order_id(kOrderId);
  *refund.mutable_modified() = domain::ToTimestamp(began);
  reads_.Show(root);
  reads_.Show(refund);
  PutHint(offset_++);
  Pass(seconds(1));

  *refund.mutable_modified() = domain::ToTimestamp(began - seconds(9));
  refund.set_status(common::v1::ORDER_STATUS_NEW);
  reads_.Show(refund);
  root.set_status(kCompleted);
  *root.mutable_modified() = domain::ToTimestamp(began + seconds(1));
  reads_.Show(root);
  PutHint(offset_++);
  Pass(seconds(2));
  EXPECT_EQ(Types().back(), "tollbridge.payment.completed.v1");

  refund.set_status(kCompleted);
  *refund.mutable_modified() = domain::ToTimestamp(began + seconds(2));
  reads_.Show(refund);
  PassWithPoller(minutes(1));
  EXPECT_EQ(Types().back(), "tollbridge.refund.completed.v1");
}

}  // namespace
}  // namespace tollbridge::events
