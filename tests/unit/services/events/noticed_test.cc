// Orders that are read long after somebody noticed them: what happened meanwhile is told.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/telemetry/metric_definitions.h"
#include "services/domain/errors.h"
#include "tests/unit/services/events/hint_fixture.h"

namespace tollbridge::events {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr auto kCompleted = common::v1::ORDER_STATUS_COMPLETED;

class NoticedTest : public HintFixture {
 protected:
  /// An order that was paid now.
  common::v1::Order Paid(const std::string& order_id = kOrderId) const {
    common::v1::Order order = MakeOrder(kCompleted, order_id);
    *order.mutable_completed() = domain::ToTimestamp(clock_.WallNow());
    return order;
  }
  /// An order, and a refund of it by an order of its own, both paid now.
  void ShowRefund() {
    common::v1::Order refund = Paid(kOtherOrderId);
    refund.set_refund_of_order_id(kOrderId);
    reads_.Show(refund);
    common::v1::Order root = Paid();
    root.add_refund_orders(kOtherOrderId);
    reads_.Show(root);
  }
  absl::Status Refused() const {
    return domain::MakeError(absl::StatusCode::kInternal, "wrong key",
                             {.reason = domain::reason::kUpstreamCredentials});
  }
  void Note(WallTime at, bool seen) {
    const ports::FamilyKey key = Key();
    const ports::Noticed noticed{.at = at, .seen = seen};
    const ports::Context context{.deadline = clock_.BootNow(), .trace = {}};
    ASSERT_TRUE(Await(store_.Note(key, noticed, context)).ok());
  }

  std::int64_t offset_ = 0;
};

TEST_F(NoticedTest, WhatWasPaidWhileTheKeyDidNotWorkForDaysIsTold) {
  StartLoop();
  reads_.Show(Paid());
  reads_.FailAll(Refused());
  PutHint(offset_++);
  PassWithPoller(minutes(2));
  // The weekend: the poller's hints say when they were written.
  clock_.Advance(hours(86));
  reads_.FailAll(absl::OkStatus());
  PassWithPoller(minutes(2));
  EXPECT_THAT(Types(),
              ElementsAre("tollbridge.payment.created.v1", "tollbridge.payment.completed.v1"));
  EXPECT_EQ(Metric(telemetry::kEventsUntold, "before_baseline"), 0);
  EXPECT_FALSE(Kept().noticed);
}

TEST_F(NoticedTest, WhatAFirstSweepFoundDaysAgoIsTold) {
  StartLoop();
  reads_.Show(Paid());
  Note(clock_.WallNow() + hours(71), true);
  clock_.Advance(hours(90));
  PutHintFrom(v1::HINT_SOURCE_SWEEP, offset_++, kOrderId);
  EXPECT_THAT(Types(),
              ElementsAre("tollbridge.payment.created.v1", "tollbridge.payment.completed.v1"));
}

TEST_F(NoticedTest, WhatALateSweepFoundIsToldThoughTheStoreForgotWhenItWasNoticed) {
  StartLoop();
  reads_.Show(Paid());
  const WallTime noticed = clock_.WallNow();
  clock_.Advance(hours(90));
  v1::Hint hint = MakeHint(v1::HINT_SOURCE_SWEEP, kOrderId);
  *hint.mutable_noticed_as_of() = domain::ToTimestamp(noticed);
  PutRaw(offset_++, hint.SerializeAsString());
  EXPECT_THAT(Types(),
              ElementsAre("tollbridge.payment.created.v1", "tollbridge.payment.completed.v1"));
}

TEST_F(NoticedTest, WhatASweepHasSeenIsKnownHoweverItComesAgain) {
  settings_.max_unknown_orders = 0;
  StartLoop();
  reads_.FailAll(Refused());
  PutHintFrom(v1::HINT_SOURCE_SWEEP, offset_++, kOrderId);
  PassWithPoller(minutes(1));
  reads_.FailAll(absl::OkStatus());
  reads_.Show(Paid());
  PassWithPoller(minutes(2));
  EXPECT_EQ(Metric(telemetry::kReads, "dropped"), 0);
  EXPECT_THAT(Types(),
              ElementsAre("tollbridge.payment.created.v1", "tollbridge.payment.completed.v1"));
}

TEST_F(NoticedTest, OfAnOrderThatIsNotThereNothingIsKept) {
  StartLoop();
  PutHint(offset_++);
  EXPECT_TRUE(Kept().noticed) << "it comes again in a second";
  PassWithPoller(minutes(2));
  EXPECT_FALSE(Kept().noticed);
  EXPECT_FALSE(DueTime());
  EXPECT_EQ(Metric(telemetry::kReads, "dropped"), 1);
}

// Else it looks days late to whoever measures the oldest hint.
TEST_F(NoticedTest, WhatASweepFindsLateIsPassedOnAsNoticedNow) {
  ShowRefund();
  StartLoop();
  const WallTime now = clock_.WallNow();
  v1::Hint hint = MakeHint(v1::HINT_SOURCE_SWEEP, kOtherOrderId);
  *hint.mutable_noticed_as_of() = domain::ToTimestamp(now - hours(50));
  PutRaw(offset_++, hint.SerializeAsString());
  Pass(seconds(5));
  PutHint(offset_++, kOtherOrderId);
  ASSERT_EQ(hints_.hints.size(), 2U);
  EXPECT_EQ(domain::ToWallTime(hints_.hints[0].noticed_at()), now);
  EXPECT_EQ(domain::ToWallTime(hints_.hints[0].noticed_as_of()), now - hours(50));
  EXPECT_EQ(domain::ToWallTime(hints_.hints[1].noticed_at()), clock_.WallNow());
  EXPECT_FALSE(hints_.hints[1].has_noticed_as_of());
}

TEST_F(NoticedTest, AMemberSaysToItsRootWhenItWasNoticed) {
  StartLoop();
  ShowRefund();
  reads_.FailAll(Refused());
  const WallTime noticed = clock_.WallNow();
  PutHint(offset_++, kOtherOrderId);
  PassWithPoller(minutes(1));
  clock_.Advance(hours(86));
  reads_.FailAll(absl::OkStatus());
  PassWithPoller(minutes(2));
  ASSERT_FALSE(hints_.hints.empty());
  const v1::Hint& passed = hints_.hints.back();
  EXPECT_EQ(domain::ToWallTime(passed.noticed_as_of()), noticed);
  EXPECT_GT(domain::ToWallTime(passed.noticed_at()), clock_.WallNow() - minutes(2))
      << "the poller's hint was no older";
}

}  // namespace
}  // namespace tollbridge::events
