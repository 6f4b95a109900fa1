// What is down for one project, or for one partition of events, holds up nobody else
// (docs/design/events.md#hints).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/telemetry/metric_definitions.h"
#include "services/domain/errors.h"
#include "services/events/hint_loop.h"
#include "tests/unit/services/events/hint_fixture.h"

namespace tollbridge::events {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr auto kNew = common::v1::ORDER_STATUS_NEW;
constexpr auto kCompleted = common::v1::ORDER_STATUS_COMPLETED;

/// Events of kOtherOrderId, which is created.
constexpr std::size_t kOfTheOther = 1;

class TroubledTest : public HintFixture {
 protected:
  /// The store of these tests keeps shop alone: what is tried for desk fails, and says so.
  void AddDesk() {
    domain::Project desk = projects_.all().front();
    desk.name = "desk";
    projects_ = domain::Projects({projects_.all().front(), desk});
  }
  void PutHintOfDesk() {
    v1::Hint hint = MakeHint(v1::HINT_SOURCE_WEBHOOK, kOtherOrderId);
    hint.set_project("desk");
    PutRaw(offset_++, hint.SerializeAsString());
  }
  void PutHints(int count, const std::string& order_id) {
    for (int i = 0; i < count; ++i) {
      PutHint(offset_++, order_id);
      Pass(seconds(1));
    }
  }
  /// Of kOrderId, whose events are not taken.
  void PutHintThatIsNotTold() {
    reads_.Show(MakeOrder(kCompleted));
    reads_.Show(MakeOrder(kNew, kOtherOrderId));
    events_.not_taken_of = kOrderId;
    StartLoop();
    PutHints(1, kOtherOrderId);
    PutHint(offset_++);
  }
  bool Waits() { return feed_.stored[0].empty() || feed_.stored[0].back() < offset_; }
  ports::PendingOutboxes Pending() {
    return Await(store_.Pending("shop", {.deadline = clock_.BootNow(), .trace = {}})).value();
  }

  std::int64_t offset_ = 0;
};

TEST_F(TroubledTest, OneProjectStopsNoOtherHoweverManyHintsOfThatCome) {
  settings_.max_unfinished = 8;
  AddDesk();
  reads_.Show(MakeOrder(kNew));
  StartLoop();
  PutHintOfDesk();
  PutHints(100, kOrderId);
  EXPECT_EQ(feed_.pauses[0], 0);
  EXPECT_EQ(ReadsOf(kOrderId), 100U);
  EXPECT_TRUE(Waits());
}

TEST_F(TroubledTest, ItsHintsAreBoundedAllTheSame) {
  settings_.max_unfinished = 8;
  AddDesk();
  reads_.Show(MakeOrder(kNew));
  StartLoop();
  PutHintOfDesk();
  Pass(seconds(20));
  for (int i = 1; i < 30; ++i) PutHintOfDesk();
  PutHints(1, kOrderId);
  EXPECT_EQ(feed_.pauses[0], 0);
  PutHintOfDesk();
  PutHintOfDesk();
  EXPECT_EQ(feed_.pauses[0], 1);
}

TEST_F(TroubledTest, SoIsWhatIsFinishedBehindThem) {
  settings_.max_unfinished = 2;
  AddDesk();
  reads_.Show(MakeOrder(kNew));
  StartLoop();
  PutHintOfDesk();
  PutHints(126, kOrderId);
  EXPECT_EQ(feed_.pauses[0], 0);
  PutHints(1, kOrderId);
  EXPECT_EQ(feed_.pauses[0], 1);
}

TEST_F(TroubledTest, EventsThatAreNotTakenAreLeftToTheDueQueueWhereOthersWait) {
  settings_.max_unfinished = 8;
  PutHintThatIsNotTold();
  const WallTime noticed = clock_.WallNow();
  PutHints(2, kOtherOrderId);
  EXPECT_TRUE(Waits()) << "few wait: it is tried again soon";
  PutHints(20, kOtherOrderId);
  EXPECT_EQ(feed_.stored[0].back(), offset_);
  EXPECT_EQ(feed_.pauses[0], 0);
  EXPECT_EQ(Pending().count, 1U);
  EXPECT_LE(Pending().oldest, noticed) << "heartbeats wait for it";

  PassWithPoller(minutes(30));
  EXPECT_EQ(Types().size(), kOfTheOther);
  events_.not_taken_of.clear();
  PassWithPoller(minutes(5));
  EXPECT_EQ(Types().size(), kOfTheOther + 2);
  EXPECT_EQ(Pending().count, 0U);
}

// A reader that begins has the oldest hint first, which is the one that the others wait for.
TEST_F(TroubledTest, TheFirstHintOfAllMayBeOneThatIsNotTold) {
  reads_.Show(MakeOrder(kCompleted));
  reads_.Show(MakeOrder(kNew, kOtherOrderId));
  events_.not_taken_of = kOrderId;
  StartLoop();
  PutHint(offset_++);
  Pass(minutes(5));
  EXPECT_EQ(feed_.pauses[0], 0);
  PutHint(offset_++, kOtherOrderId);
  Pass(seconds(15));
  EXPECT_EQ(Types().size(), kOfTheOther);
}

TEST_F(TroubledTest, ATopicOfDeadLettersThatIsAwayIsNotWaitedForWhereOthersWait) {
  settings_.max_unfinished = 8;
  letters_.SetReachable(false);
  reads_.Show(MakeOrder(kNew));
  StartLoop();
  PutRaw(offset_++, "no hint");
  PutHints(2, kOrderId);
  EXPECT_TRUE(Waits());
  PutHints(30, kOrderId);
  EXPECT_FALSE(Waits());
  EXPECT_EQ(Metric(telemetry::kHintsDeadLettered, "not_taken"), 1);
}

/// What cannot be read as long as a test lasts.
class NeverReadTest : public TroubledTest {
 protected:
  void PassDays(int days) {
    for (int i = 0; i < days * 24 * 2; ++i) {
      clock_.Advance(ports::Millis(minutes(30)));
      Settle();
      Poll();
      for (int j = 0; j < 20; ++j) Pass(ports::Millis(200));
    }
  }
  void Fail(const std::string& order_id) {
    reads_.Fail(order_id, domain::MakeError(absl::StatusCode::kInternal, "an error",
                                            {.reason = domain::reason::kUpstreamRefused}));
  }
};

TEST_F(NeverReadTest, AMemberIsNotReadForEver) {
  common::v1::Order root = MakeOrder(kCompleted);
  root.add_refund_orders(kOtherOrderId);
  reads_.Show(root);
  Fail(kOtherOrderId);
  StartLoop();
  PutHint(0);
  PassDays(40);
  EXPECT_EQ(DueTime(), std::nullopt);
  EXPECT_EQ(letters_.letters().size(), 1U);
  const std::size_t reads = reads_.reads().size();
  EXPECT_LT(reads, 450U);
  PassDays(3);
  EXPECT_EQ(reads_.reads().size(), reads);
}

TEST_F(NeverReadTest, NorIsARootThatHasEnded) {
  reads_.Show(MakeOrder(kCompleted));
  StartLoop();
  PutHint(0);
  PassDays(1);
  Fail(kOrderId);
  PassDays(40);
  EXPECT_EQ(DueTime(), std::nullopt);
  EXPECT_EQ(letters_.letters().size(), 1U);
}

TEST_F(NeverReadTest, AnOrderThatNobodyEverReadIsTriedFor30Days) {
  Fail(kOrderId);
  StartLoop();
  PutHint(0);
  PassDays(29);
  EXPECT_NE(DueTime(), std::nullopt);
  PassDays(3);
  EXPECT_EQ(DueTime(), std::nullopt);
  EXPECT_EQ(letters_.letters().size(), 1U) << "it is not forgotten without a trace";
}

// Archived at the payment service, or another project's.
TEST_F(NeverReadTest, AnOrderWhoseOriginalIsNotThereIsToldAfterADay) {
  common::v1::Order refund = MakeOrder(kCompleted);
  refund.set_refund_of_order_id(kOtherOrderId);
  *refund.mutable_created() = domain::ToTimestamp(clock_.WallNow());
  refund.clear_completed();
  reads_.Show(refund);
  StartLoop();
  PutHint(0);
  PassWithPoller(hours(1));
  EXPECT_TRUE(events_.events.empty()) << "a replica may lag";
  PassDays(2);
  EXPECT_EQ(Types().size(), 2U);
  EXPECT_THAT(Types().at(0), testing::HasSubstr("refund"));
  PassDays(40);
  EXPECT_EQ(Types().size(), 2U);
  EXPECT_EQ(DueTime(), std::nullopt);
}

}  // namespace
}  // namespace tollbridge::events
