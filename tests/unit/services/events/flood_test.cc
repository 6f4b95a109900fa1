// Webhooks that nobody sent honestly, hanging reads and members that cannot be read: what the
// pipeline asks the payment service then, and what still comes through.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "base/telemetry/metric_definitions.h"
#include "services/domain/errors.h"
#include "tests/unit/services/events/hint_fixture.h"

namespace tollbridge::events {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr auto kCompleted = common::v1::ORDER_STATUS_COMPLETED;

class FloodTest : public HintFixture {
 protected:
  FloodTest() {
    settings_.max_reads_per_second = 20;
    settings_.max_unknown_reads_per_second = 5;
    settings_.max_unknown_orders = 200;
  }

  /// Webhooks of orders that are not there.
  void Flood(int count) {
    for (int i = 0; i < count; ++i) {
      ++made_up_;
      PutHint(offset_++, Uuid{{0xf1, static_cast<std::uint8_t>(made_up_ >> 8),
                               static_cast<std::uint8_t>(made_up_ & 0xff)}}
                             .ToString());
    }
  }
  /// As the poller does: hints of what is due.
  void Poll() {
    const auto due = Take(clock_.WallNow(), minutes(5));
    for (const ports::DueOrder& each : due) {
      PutHintFrom(v1::HINT_SOURCE_POLLER, offset_++, each.key.root.ToString());
    }
  }
  std::vector<ports::DueOrder> Take(WallTime now, ports::Millis move_by) {
    const std::string project = "shop";
    const std::vector<ports::Millis> moves = {move_by};
    const ports::Context context{.deadline = clock_.BootNow(), .trace = {}};
    return Await(store_.Take(project, now, moves, 10'000, context)).value();
  }
  /// An order of a finished operation.
  void MakeKnown(const std::string& order_id) {
    store_.entries[Key(order_id)] = {.key = Key(order_id), .traceparent = kTraceparent};
    reads_.Show(MakeOrder(kCompleted, order_id));
  }
  static std::string Honest(int number) {
    return Uuid{{0x40, static_cast<std::uint8_t>(number)}}.ToString();
  }

  std::int64_t offset_ = 0;
  int made_up_ = 0;
};

TEST_F(FloodTest, MadeUpOrdersNeverTakeMoreThanTheirShareOfReads) {
  StartLoop();
  std::vector<std::size_t> reads_by_second;
  for (int second = 0; second < 30; ++second) {
    const std::size_t before = reads_.reads().size();
    Flood(50);
    Poll();
    Pass(seconds(1));
    reads_by_second.push_back(reads_.reads().size() - before);
  }
  // One second's worth may have been saved up.
  EXPECT_LE(reads_.reads().size(), 5U * 31U);
  EXPECT_LE(*std::ranges::max_element(reads_by_second), 10U);
  EXPECT_GE(reads_.reads().size(), 5U * 29U) << "the share is used";
  EXPECT_FALSE(feed_.paused[0]);
  EXPECT_EQ(feed_.stored[0].back(), offset_) << "no offset waits";
}

TEST_F(FloodTest, TheReadsOfAProcessFollowItsShareOfThePartitions) {
  settings_.hint_partitions = 4;
  settings_.max_unknown_reads_per_second = settings_.max_reads_per_second = 20;
  StartLoop();
  const auto reads_of_a_flood = [this] {
    Pass(seconds(2));
    const std::size_t before = reads_.reads().size();
    Flood(50);
    return reads_.reads().size() - before;
  };
  feed_.Assign({0, 1, 2, 3});
  EXPECT_EQ(reads_of_a_flood(), 20U);
  feed_.Revoke({0, 1, 2, 3});
  feed_.Assign({0});
  EXPECT_EQ(reads_of_a_flood(), 5U) << "three others have the rest";
  feed_.Assign({1});
  EXPECT_EQ(reads_of_a_flood(), 10U);
}

TEST_F(FloodTest, WhatThePipeRepeatsCountsAsRead) {
  settings_.max_unknown_reads_per_second = settings_.max_reads_per_second = 20;
  StartLoop();
  // Each read is answered by the second attempt.
  reads_.during_read = [this](const std::string&) -> boost::asio::awaitable<void> {
    reader_->NoteRepeat("shop");
    co_return;
  };
  Flood(50);
  EXPECT_EQ(reads_.reads().size(), 10U);
}

TEST_F(FloodTest, OrdersThatWeKnowComeThroughAFloodAtOnce) {
  StartLoop();
  for (int second = 0; second < 10; ++second) {
    Flood(50);
    const std::string order = Honest(second);
    MakeKnown(order);
    PutHint(offset_++, order);
    EXPECT_EQ(events_.events.size(), 2U * static_cast<std::size_t>(second + 1)) << second;
    Pass(seconds(1));
  }
}

TEST_F(FloodTest, WhatWaitsBeyondTheCapIsDroppedAndCounted) {
  StartLoop();
  Flood(300);
  std::int64_t due = 0;
  while (true) {
    const auto taken = Take(clock_.WallNow() + minutes(10), minutes(60));
    if (taken.empty()) break;
    due += static_cast<std::int64_t>(taken.size());
  }
  EXPECT_EQ(due, 200);
  EXPECT_EQ(Metric(telemetry::kReads, "dropped"), 100);
}

TEST_F(FloodTest, AnOrderOfOursThatAReplicaDoesNotHaveYetIsAskedForASecondLater) {
  StartLoop();
  Flood(300);
  EnterOperation({.traceparent = kTraceparent});
  PutHint(offset_++);
  EXPECT_EQ(DueTime(), clock_.WallNow() + seconds(1));
}

TEST_F(FloodTest, AnOutcomeThatMakesMadeUpOrdersWaitNeverTakesMoreThanTheCap) {
  namespace reason = domain::reason;
  settings_.max_unknown_reads_per_second = settings_.max_reads_per_second = 1000;
  StartLoop();
  for (const std::string_view why :
       {reason::kUpstreamCredentials, reason::kUpstreamUnreadable, reason::kUpstreamUnavailable}) {
    reads_.FailAll(domain::MakeError(absl::StatusCode::kInternal, "no answer", {.reason = why}));
    Flood(300);
    Pass(seconds(1));
  }
  EXPECT_EQ(Take(clock_.WallNow() + minutes(60), minutes(600)).size(), 200U);
  EXPECT_EQ(feed_.stored[0].back(), offset_);
  EXPECT_THAT(letters_.letters(), IsEmpty());
}

TEST_F(FloodTest, AnOrderMadeElsewhereComesThroughWhenItsTurnComes) {
  StartLoop();
  Flood(20);
  reads_.Show(MakeOrder(kCompleted));
  PutHint(offset_++);
  EXPECT_THAT(events_.events, IsEmpty());
  for (int i = 0; i < 60; ++i) {
    Pass(seconds(1));
    Poll();
  }
  EXPECT_EQ(events_.events.size(), 2U);
}

TEST_F(FloodTest, WhatTheSweepHasSeenIsNotMadeUp) {
  StartLoop();
  Flood(20);
  reads_.Show(MakeOrder(kCompleted));
  PutHintFrom(v1::HINT_SOURCE_SWEEP, offset_++, kOrderId);
  EXPECT_EQ(events_.events.size(), 2U);
}

TEST_F(FloodTest, KnownOrdersOverTheBudgetWaitForTheirTurnAndAllCome) {
  StartLoop();
  for (int i = 0; i < 100; ++i) {
    MakeKnown(Honest(i));
    PutHint(offset_++, Honest(i));
  }
  EXPECT_EQ(reads_.reads().size(), 20U);
  for (int second = 1; second <= 20; ++second) {
    Pass(seconds(1));
    EXPECT_LE(reads_.reads().size(), 20U * static_cast<std::size_t>(second + 1));
    Poll();
  }
  EXPECT_EQ(events_.events.size(), 200U);
}

TEST_F(FloodTest, AReadThatHangsDelaysNoOtherOrder) {
  settings_ = Settings();
  reads_.Show(MakeOrder(kCompleted, kOtherOrderId));
  HoldReadsOf(kOtherOrderId);
  StartLoop();
  PutHint(offset_++, kOtherOrderId);
  for (int i = 0; i < 50; ++i) {
    MakeKnown(Honest(i));
    PutHint(offset_++, Honest(i));
    EXPECT_EQ(events_.events.size(), 2U * static_cast<std::size_t>(i + 1))
        << "in the instant in which its hint came";
  }
  EXPECT_FALSE(feed_.paused[0]);
  ReleaseReads();
  EXPECT_EQ(feed_.stored[0].back(), offset_);
}

TEST_F(FloodTest, AMemberThatIsNotFoundIsAskedForAfter1And5And30SecondsAndThenWithItsFamily) {
  common::v1::Order root = MakeOrder(kCompleted);
  root.add_refund_orders(kOtherOrderId);
  reads_.Show(root);
  StartLoop();
  std::vector<ports::Millis> waits;
  for (int i = 0; i < 4; ++i) {
    PutHint(offset_++);
    waits.push_back(*DueTime() - clock_.WallNow());
    TakeOut();
    Pass(seconds(2));
  }
  ASSERT_EQ(waits.size(), 4U);
  EXPECT_EQ(waits[0], seconds(1));
  EXPECT_EQ(waits[1], seconds(5));
  EXPECT_EQ(waits[2], seconds(30));
  EXPECT_GT(waits[3], minutes(30));
  EXPECT_EQ(events_.events.size(), 2U);
  EXPECT_EQ(feed_.stored[0].back(), offset_);
}

TEST_F(FloodTest, ARootWhoseKindAnUnreadMemberMayTellWaitsForItButNotForEver) {
  common::v1::Order root = MakeOrder(kCompleted);
  root.add_related_orders(kOtherOrderId);
  reads_.Show(root);
  StartLoop();
  for (int i = 0; i < 3; ++i) {
    PutHint(offset_++);
    EXPECT_THAT(events_.events, IsEmpty());
    EXPECT_LE(*DueTime(), clock_.WallNow() + seconds(30));
    Pass(seconds(30));
  }
  PutHint(offset_++);
  EXPECT_THAT(Types(),
              ElementsAre("tollbridge.payment.created.v1", "tollbridge.payment.completed.v1"));
}

TEST_F(FloodTest, ARootWhoseCaptureIsReadInTheEndIsAnAuthorization) {
  common::v1::Order root = MakeOrder(kCompleted);
  root.add_related_orders(kOtherOrderId);
  reads_.Show(root);
  StartLoop();
  PutHint(offset_++);
  common::v1::Order capture = MakeOrder(kCompleted, kOtherOrderId);
  capture.set_capture_of_order_id(kOrderId);
  reads_.Show(capture);
  Pass(seconds(1));
  PutHint(offset_++);
  EXPECT_THAT(Types(), ElementsAre("tollbridge.authorization.created.v1",
                                   "tollbridge.authorization.completed.v1",
                                   "tollbridge.capture.completed.v1"));
}

TEST_F(FloodTest, AMemberWhoseAnswersStayUnreadableBecomesADeadLetter) {
  common::v1::Order root = MakeOrder(kCompleted);
  root.add_refund_orders(kOtherOrderId);
  reads_.Show(root);
  reads_.Fail(kOtherOrderId, domain::MakeError(absl::StatusCode::kInternal, "unreadable",
                                               {.reason = domain::reason::kUpstreamUnreadable}));
  StartLoop();
  for (int i = 0; i < 4; ++i) {
    PutHint(offset_++);
    Pass(seconds(30));
  }
  ASSERT_EQ(letters_.letters().size(), 1U);
  EXPECT_EQ(letters_.letters()[0].cause, "unreadable_answer");
  EXPECT_EQ(events_.events.size(), 2U) << "the root's are out";
}

TEST_F(FloodTest, MembersThatSeveralHintsNameAreReadTogether) {
  reads_.Show(MakeOrder(kCompleted));
  std::vector<std::string> refunds;
  for (int i = 0; i < 3; ++i) {
    common::v1::Order refund = MakeOrder(kCompleted, Honest(i));
    refund.set_refund_of_order_id(kOrderId);
    reads_.Show(refund);
    refunds.push_back(Honest(i));
  }
  HoldReadsOf(kOrderId);
  StartLoop();
  PutHint(offset_++);
  for (const std::string& refund : refunds) PutMemberHint(offset_++, refund);
  ReleaseReads();
  Pass(seconds(1));
  EXPECT_EQ(ReadsOf(kOrderId), 2U);
  EXPECT_EQ(events_.events.size(), 5U);
  EXPECT_EQ(feed_.stored[0].back(), offset_);
}

TEST_F(FloodTest, AHintWhoseMemberIsNoOrderIdIsADeadLetter) {
  StartLoop();
  PutMemberHint(offset_++, "../../etc");
  ASSERT_EQ(letters_.letters().size(), 1U);
  EXPECT_EQ(letters_.letters()[0].cause, "unparsable");
}

}  // namespace
}  // namespace tollbridge::events
