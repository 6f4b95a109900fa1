#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/telemetry/metric_definitions.h"
#include "services/domain/mark.h"
#include "tests/support/series.h"
#include "tests/unit/services/events/hint_fixture.h"

namespace tollbridge::events {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr auto kNew = common::v1::ORDER_STATUS_NEW;
constexpr auto kCompleted = common::v1::ORDER_STATUS_COMPLETED;

/// Orders that carry the mark of an operation (docs/design/operations.md#evidence).
class OrphanTest : public HintFixture {
 protected:
  static domain::Mark Mark() {
    return {.operation = *Uuid::Parse("55555555-93b1-4f7a-8a53-1d0f6a4c2b10"),
            .epoch = "ab12cd34",
            .attempt = 2};
  }
  common::v1::Order Marked(common::v1::OrderStatus status) const {
    common::v1::Order order = MakeOrder(status);
    (*order.mutable_extra()->mutable_fields())[std::string(domain::kMarkField)].set_string_value(
        domain::ToText(Mark()));
    return order;
  }
  /// An orphan, of which a first transaction was declined.
  void ReadWithTransaction(common::v1::OrderStatus status, common::v1::TransactionStatus second) {
    registry_.judgement = ports::MarkVerdict::kOrphan;
    common::v1::Order order = Marked(status);
    order.add_transactions()->set_status(common::v1::TRANSACTION_STATUS_DECLINED);
    order.add_transactions()->set_status(second);
    reads_.Show(order);
    EXPECT_EQ(ReadOnce().outcome, ReadOutcome::kDone);
  }
};

TEST_F(OrphanTest, AnOrderWithTheMarkOfItsOperationIsPublishedAsAnyOther) {
  reads_.Show(Marked(kNew));
  EXPECT_EQ(ReadOnce().outcome, ReadOutcome::kDone);
  EXPECT_THAT(Types(), ElementsAre("tollbridge.payment.created.v1"));
  ASSERT_THAT(registry_.judged, SizeIs(1));
  EXPECT_EQ(registry_.judged[0].mark, Mark());
  EXPECT_EQ(registry_.judged[0].order, Key());
  EXPECT_FALSE(registry_.judged[0].paid);
}

TEST_F(OrphanTest, TheMarkIsJudgedOnceAndNotAgainWhenThereIsASnapshot) {
  reads_.Show(Marked(kNew));
  ReadOnce();
  registry_.judgement = ports::MarkVerdict::kOrphan;
  reads_.Show(Marked(kCompleted));
  EXPECT_EQ(ReadOnce().published, 1U);
  EXPECT_THAT(registry_.judged, SizeIs(1));
}

TEST_F(OrphanTest, AnOrderWithoutAMarkOrWithAnUnreadableOneIsNotAskedAbout) {
  reads_.AnswerNext(MakeOrder(kNew));
  ReadOnce();
  common::v1::Order unreadable = MakeOrder(kNew, kOtherOrderId);
  (*unreadable.mutable_extra()->mutable_fields())[std::string(domain::kMarkField)].set_string_value(
      "no mark");
  reads_.AnswerNext(unreadable);
  EXPECT_EQ(ReadOnce(kOtherOrderId).published, 1U);
  EXPECT_THAT(registry_.judged, IsEmpty());
}

TEST_F(OrphanTest, AnUnpaidOrphanPublishesNothingAndKeepsNoSnapshot) {
  registry_.judgement = ports::MarkVerdict::kOrphan;
  reads_.Show(Marked(kNew));
  StartLoop();
  PutHint(0);
  EXPECT_THAT(events_.events, IsEmpty());
  EXPECT_EQ(Kept().version, 0U);
  EXPECT_THAT(feed_.stored[0], ElementsAre(1)) << "its hint is finished";
  EXPECT_EQ(test::SeriesOf(metrics_, telemetry::kReads, {"orphan", "shop"}), 1);
  EXPECT_EQ(Metric(telemetry::kOrphans, "unpaid"), 1);
}

TEST_F(OrphanTest, AnUnpaidOrphanIsLookedAtAgainLikeAnyOpenOrder) {
  registry_.judgement = ports::MarkVerdict::kOrphan;
  common::v1::Order order = Marked(kNew);
  *order.mutable_created() = domain::ToTimestamp(clock_.WallNow() - minutes(20));
  reads_.Show(order);
  StartLoop();
  // As the poller leaves it: due earlier than it needs to be.
  const ports::FamilyKey key = Key();
  ASSERT_TRUE(Await(store_.Enter(key, clock_.WallNow() + seconds(60),
                                 {.deadline = clock_.BootNow(), .trace = {}}))
                  .ok());
  PutHint(0);
  EXPECT_EQ(DueTime(), clock_.WallNow() + minutes(10));
}

TEST_F(OrphanTest, WhatAnOperationMadeDueWhileItWasJudgedStaysDue) {
  registry_.judgement = ports::MarkVerdict::kOrphan;
  for (const bool over : {false, true}) {
    common::v1::Order order = Marked(over ? common::v1::ORDER_STATUS_EXPIRED : kNew);
    *order.mutable_created() = domain::ToTimestamp(clock_.WallNow() - std::chrono::days(40));
    reads_.Show(order);
    StartLoop();
    PollerMoved();
    reads_.during_read = [this](const std::string&) -> boost::asio::awaitable<void> {
      const ports::FamilyKey key = Key();
      const ports::Context context{.deadline = clock_.BootNow(), .trace = {}};
      const absl::Status entered = co_await store_.Enter(key, clock_.WallNow(), context);
      EXPECT_TRUE(entered.ok());
    };
    PutHint(over ? 1 : 0);
    EXPECT_EQ(DueTime(), clock_.WallNow());
    Pass(seconds(1));
  }
}

TEST_F(OrphanTest, AnOrphanThatIsOverForLongIsNotLookedAtAgain) {
  registry_.judgement = ports::MarkVerdict::kOrphan;
  common::v1::Order order = Marked(common::v1::ORDER_STATUS_EXPIRED);
  *order.mutable_created() = domain::ToTimestamp(clock_.WallNow() - std::chrono::days(40));
  reads_.Show(order);
  StartLoop();
  const ports::FamilyKey key = Key();
  ASSERT_TRUE(
      Await(store_.Enter(key, clock_.WallNow(), {.deadline = clock_.BootNow(), .trace = {}})).ok());
  PutHint(0);
  EXPECT_EQ(DueTime(), std::nullopt);
  EXPECT_THAT(feed_.stored[0], ElementsAre(1));
}

TEST_F(OrphanTest, AnOrphanThatIsPaidLaterIsPublishedThen) {
  registry_.judgement = ports::MarkVerdict::kOrphan;
  reads_.Show(Marked(kNew));
  StartLoop();
  PutHint(0);
  reads_.Show(Marked(kCompleted));
  Pass(seconds(1));
  PutHint(1);
  EXPECT_THAT(Types(),
              ElementsAre("tollbridge.payment.created.v1", "tollbridge.payment.completed.v1"));
  ASSERT_THAT(registry_.judged, SizeIs(2));
  EXPECT_FALSE(registry_.judged[0].paid);
  EXPECT_TRUE(registry_.judged[1].paid);
  EXPECT_EQ(Metric(telemetry::kOrphans, "paid"), 1);
}

TEST_F(OrphanTest, ACompletedTransactionIsPaidWhateverTheOrderSays) {
  ReadWithTransaction(common::v1::ORDER_STATUS_PROCESSING,
                      common::v1::TRANSACTION_STATUS_COMPLETED);
  EXPECT_TRUE(registry_.judged.at(0).paid);
  EXPECT_GT(Kept().version, 0U);
}

TEST_F(OrphanTest, ACapturedTransactionIsPaidToo) {
  ReadWithTransaction(common::v1::ORDER_STATUS_SEE_TRANSACTIONS,
                      common::v1::TRANSACTION_STATUS_CAPTURED);
  EXPECT_TRUE(registry_.judged.at(0).paid);
}

TEST_F(OrphanTest, OneThatIsAdoptedAfterDaysIsToldFromItsBeginning) {
  registry_.judgement = ports::MarkVerdict::kOrphan;
  common::v1::Order order = Marked(common::v1::ORDER_STATUS_EXPIRED);
  *order.mutable_modified() = domain::ToTimestamp(clock_.WallNow());
  reads_.Show(order);
  StartLoop();
  PutHint(0);
  ASSERT_THAT(events_.events, IsEmpty());
  clock_.Advance(std::chrono::hours(80));
  // A person closes the operation with this order.
  registry_.judgement = ports::MarkVerdict::kOurs;
  Enter(clock_.WallNow());
  PassWithPoller(minutes(2));
  EXPECT_THAT(Types(),
              ElementsAre("tollbridge.payment.created.v1", "tollbridge.payment.expired.v1"));
  EXPECT_EQ(Metric(telemetry::kEventsUntold, "before_baseline"), 0);
}

TEST_F(OrphanTest, WhileTheRegistryIsAwayThePartitionPausesAndNoTryIsCounted) {
  registry_.down = test::FakeOperationRegistry::Down();
  reads_.Show(Marked(kNew));
  StartLoop();
  PutHint(0);
  EXPECT_TRUE(feed_.paused[0]);
  EXPECT_THAT(feed_.stored[0], IsEmpty());
  Pass(minutes(1));
  EXPECT_THAT(feed_.stored[0], IsEmpty());
  EXPECT_THAT(events_.events, IsEmpty());
  registry_.down = absl::OkStatus();
  Pass(minutes(1));
  EXPECT_FALSE(feed_.paused[0]);
  EXPECT_THAT(feed_.stored[0], ElementsAre(1));
  EXPECT_THAT(Types(), ElementsAre("tollbridge.payment.created.v1"));
}

}  // namespace
}  // namespace tollbridge::events
