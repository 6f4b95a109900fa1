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

  std::int64_t offset_ = 0;
};

TEST_F(TroubledTest, OneProjectStopsNoOtherHoweverManyHintsOfThatCome) {
  settings_.max_unfinished = 8;
  AddDesk();
  reads_.Show(MakeOrder(kNew));
  StartLoop();
  PutHintOfDesk(offset_++);
  PutHints(100, kOrderId);
  EXPECT_EQ(feed_.pauses[0], 0);
  EXPECT_EQ(ReadsOf(kOrderId), 100U);
  EXPECT_TRUE(Waits());
}

TEST_F(TroubledTest, NorDoesOneWhoseReadsHang) {
  settings_.max_unfinished = 64;
  settings_.max_reads = 8;  // four of one project
  AddDesk();
  reads_.FailAll(domain::MakeError(absl::StatusCode::kDeadlineExceeded, "no answer in time",
                                   {.reason = domain::reason::kUpstreamUnavailable}));
  reads_.during_read = [this](const std::string&) -> boost::asio::awaitable<void> {
    co_await clock_.Sleep(seconds(10));
  };
  StartLoop();
  for (std::uint8_t number = 0; number < 200; ++number) {
    PutHints(2, Uuid{{0x40, number}}.ToString());
  }
  EXPECT_EQ(feed_.pauses[0], 0);
  EXPECT_LT(reads_.reads().size(), 60U) << "one at a time, when it is known";
  // What was put off is read when it is over.
  reads_.FailAll(absl::OkStatus());
  reads_.during_read = nullptr;
  const std::string first = Uuid{{0x40, 0}}.ToString();
  reads_.Show(MakeOrder(kNew, first));
  PassWithPoller(minutes(10));
  EXPECT_THAT(Types(), testing::ElementsAre("tollbridge.payment.created.v1"));
}

TEST_F(TroubledTest, ItsHintsAreBoundedAllTheSame) {
  settings_.max_unfinished = 8;
  AddDesk();
  reads_.Show(MakeOrder(kNew));
  StartLoop();
  PutHintOfDesk(offset_++);
  Pass(seconds(20));
  for (int i = 1; i < 30; ++i) PutHintOfDesk(offset_++);
  PutHints(1, kOrderId);
  EXPECT_EQ(feed_.pauses[0], 0);
  PutHintOfDesk(offset_++);
  PutHintOfDesk(offset_++);
  EXPECT_EQ(feed_.pauses[0], 1);
}

TEST_F(TroubledTest, SoIsWhatIsFinishedBehindThem) {
  settings_.max_unfinished = 2;
  AddDesk();
  reads_.Show(MakeOrder(kNew));
  StartLoop();
  PutHintOfDesk(offset_++);
  PutHints(126, kOrderId);
  EXPECT_EQ(feed_.pauses[0], 0);
  PutHints(1, kOrderId);
  EXPECT_EQ(feed_.pauses[0], 1);
}

TEST_F(TroubledTest, EventsThatAreNotTakenStopNoOthersHoweverManyHintsCome) {
  settings_.max_unfinished = 8;
  PutHintThatIsNotTold();
  for (int i = 0; i < 15; ++i) PutHint(offset_++, kOrderId);
  PutHints(100, kOtherOrderId);
  EXPECT_EQ(feed_.pauses[0], 0);
  EXPECT_EQ(ReadsOf(kOtherOrderId), 101U);
  EXPECT_TRUE(Waits()) << "the hint is what is left where the store loses its memory";
  EXPECT_EQ(ReadsOf(kOrderId), 1U) << "what is decided is not read again";

  events_.not_taken_of.clear();
  Pass(minutes(1));
  EXPECT_EQ(Types().size(), kOfTheOther + 2);
  EXPECT_FALSE(Waits());
}

TEST_F(TroubledTest, ThePollersHintsOfThoseAreNoFurtherOnes) {
  settings_.max_unfinished = 2;
  PutHintThatIsNotTold();
  for (int i = 0; i < 100; ++i) {
    PutHintFrom(v1::HINT_SOURCE_POLLER, offset_++, kOrderId);
    Pass(minutes(1));
  }
  EXPECT_EQ(feed_.pauses[0], 0);
  EXPECT_TRUE(Waits());
  events_.not_taken_of.clear();
  Pass(minutes(2));
  EXPECT_FALSE(Waits());
}

TEST_F(TroubledTest, HintsOfThoseAreBoundedAllTheSame) {
  settings_.max_unfinished = 8;
  PutHintThatIsNotTold();
  for (int i = 1; i < 32; ++i) {
    PutHint(offset_++, kOrderId);
    Pass(seconds(10));
  }
  EXPECT_EQ(feed_.pauses[0], 1);
  events_.not_taken_of.clear();
  Pass(minutes(1));
  EXPECT_FALSE(feed_.paused[0]);
  EXPECT_FALSE(Waits());
}

// A reader that begins has the oldest hint first, which is the one that the others wait for.
TEST_F(TroubledTest, HoweverManyHintsAreNotToldOthersAreRead) {
  settings_.max_reads = 4;
  reads_.Show(MakeOrder(kCompleted));
  reads_.Show(MakeOrder(kNew, kOtherOrderId));
  events_.not_taken_of = kOrderId;
  StartLoop();
  for (int i = 0; i < 10; ++i) PutHint(offset_++);
  Pass(minutes(5));
  EXPECT_EQ(feed_.pauses[0], 0);
  PutHint(offset_++, kOtherOrderId);
  Pass(seconds(15));
  EXPECT_EQ(Types().size(), kOfTheOther);
}

TEST_F(TroubledTest, ThePauseOfAllEndsWithThatOfOthersThoughMuchOfOneWaits) {
  settings_.max_unfinished = 8;
  AddDesk();
  reads_.Show(MakeOrder(kNew));
  StartLoop();
  PutHintOfDesk(offset_++);
  for (int i = 0; i < 20; ++i) PutHintOfDesk(offset_++);
  store_.SetAvailable(false);
  PutHint(offset_++);
  Pass(seconds(20));
  ASSERT_TRUE(feed_.paused[0]);
  store_.SetAvailable(true);
  Pass(seconds(20));
  EXPECT_FALSE(feed_.paused[0]);
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

TEST_F(TroubledTest, ALetterThatIsNotTakenIsWrittenLaterAndHoldsUpNobody) {
  letters_.SetReachable(false);
  reads_.Fail(kOrderId, domain::MakeError(absl::StatusCode::kInternal, "too deep",
                                          {.reason = domain::reason::kUpstreamUnreadable}));
  StartLoop();
  PutHint(offset_++);
  PassWithPoller(minutes(10));
  EXPECT_FALSE(Waits());
  EXPECT_TRUE(letters_.letters().empty());
  letters_.SetReachable(true);
  PassWithPoller(minutes(5));
  EXPECT_EQ(letters_.letters().size(), 1U);
}

class HangingReadsTest : public TroubledTest {
 protected:
  HangingReadsTest() {
    settings_.max_unfinished = 64;
    settings_.max_reads = 8;  // four of one project
    AddDesk();
  }
  static absl::Status NoAnswer() {
    return domain::MakeError(absl::StatusCode::kDeadlineExceeded, "no answer in time",
                             {.reason = domain::reason::kUpstreamUnavailable});
  }
  void Hang() {
    reads_.FailAll(NoAnswer());
    reads_.during_read = [this](const std::string&) -> boost::asio::awaitable<void> {
      ++under_way_;
      most_under_way_ = std::max(most_under_way_, under_way_);
      co_await clock_.Sleep(seconds(10));
      --under_way_;
    };
  }
  void Recover(ports::Millis read_takes = {}) {
    reads_.FailAll(absl::OkStatus());
    reads_.during_read = [this, read_takes](const std::string&) -> boost::asio::awaitable<void> {
      co_await clock_.Sleep(read_takes);
    };
  }
  static std::string Order(int number) {
    return Uuid{
        {static_cast<std::uint8_t>(0x40 + number / 200), static_cast<std::uint8_t>(number % 200)}}
        .ToString();
  }
  /// A hint of each of so many orders, one a second.
  void PutOrders(int count) {
    for (int number = 0; number < count; ++number) PutHints(1, Order(number));
  }
  void ShowOrders(int count) {
    for (int number = 0; number < count; ++number) {
      reads_.Show(MakeOrder(kNew, Order(number)));
    }
  }
  /// As PassWithPoller, with the hints on the partition of the others.
  void PassOnOnePartition(ports::Millis duration) {
    const std::string project = "shop";
    const std::vector<ports::Millis> moves = {minutes(1)};
    for (; duration > ports::Millis(0); duration -= seconds(1)) {
      Pass(seconds(1));
      const ports::Context context{.deadline = clock_.BootNow(), .trace = {}};
      const auto due = Await(store_.Take(project, clock_.WallNow(), moves, 1000, context)).value();
      for (const ports::DueOrder& each : due) {
        PutHintFrom(v1::HINT_SOURCE_POLLER, offset_++, each.key.root.ToString());
      }
    }
  }

  int under_way_ = 0;
  int most_under_way_ = 0;
};

// A hint of a known member is passed on: nobody is asked, so nobody answers.
TEST_F(HangingReadsTest, HintsOfKnownMembersSayNothingOfThem) {
  Hang();
  const ports::MemberNote note{.member = Key(kOtherOrderId),
                               .root = *Uuid::Parse(kOrderId),
                               .seen_due = std::nullopt,
                               .retention = hours(24 * 400)};
  ASSERT_TRUE(Await(store_.NoteMember(note, {.deadline = clock_.BootNow(), .trace = {}})).ok());
  StartLoop();
  for (const int every : {3, 10, 30}) {
    const std::size_t before = reads_.reads().size();
    for (int number = 0; number < 600; ++number) {
      PutHints(1, Order(number));
      if (number % every == 0) PutHint(offset_++, kOtherOrderId);
    }
    EXPECT_LT(reads_.reads().size() - before, 80U) << "one at a time, with one each " << every;
  }
  EXPECT_EQ(feed_.pauses[0], 0);
}

TEST_F(HangingReadsTest, NorDoEventsThatAreNotTaken) {
  PutHintThatIsNotTold();
  Hang();
  PutOrders(600);
  EXPECT_LT(reads_.reads().size(), 80U) << "one at a time, when it is known";
}

TEST_F(HangingReadsTest, OneWithoutAnAnswerLongAgoDelaysNoOther) {
  for (const ports::Millis ago : {ports::Millis(seconds(20)), ports::Millis(hours(3))}) {
    events_.events.clear();
    reads_.Fail(kOrderId, NoAnswer());
    if (!loop_) StartLoop();
    PutHint(offset_++);
    Pass(ago);
    Recover(ports::Millis(200));
    reads_.Fail(kOrderId, NoAnswer());
    const int first = ago < hours(1) ? 0 : 50;
    for (int number = first; number < first + 50; ++number) {
      reads_.Show(MakeOrder(kNew, Order(number)));
      PutHint(offset_++, Order(number));
    }
    Pass(seconds(20));
    EXPECT_EQ(Types().size(), 50U);
  }
}

TEST_F(HangingReadsTest, NorDoSeveralWhenTheLastIsLongAgo) {
  Hang();
  StartLoop();
  PutOrders(60);
  Pass(hours(1));
  Recover(ports::Millis(200));
  ShowOrders(100);
  for (int number = 50; number < 100; ++number) PutHint(offset_++, Order(number));
  Pass(seconds(20));
  EXPECT_EQ(Types().size(), 50U);
}

// All that is put off comes again half a minute later, and nothing in between.
TEST_F(HangingReadsTest, WhatComesAgainAtOnceIsPutOffAgain) {
  Hang();
  StartLoop();
  PutOrders(40);
  for (int number = 40; number < 240; ++number) PutHint(offset_++, Order(number));
  Pass(seconds(25));
  const std::size_t before = reads_.reads().size();
  most_under_way_ = 0;
  PassOnOnePartition(minutes(10));
  EXPECT_LE(most_under_way_, 1);
  EXPECT_LE(reads_.reads().size() - before, 61U);
  EXPECT_EQ(feed_.pauses[0], 0);
}

TEST_F(HangingReadsTest, NoHintIsDroppedHoweverManyOrdersNobodyKnows) {
  settings_.max_unknown_orders = 40;
  Hang();
  StartLoop();
  PutOrders(200);
  EXPECT_EQ(feed_.pauses[0], 0) << "others come in meanwhile";
  EXPECT_TRUE(Waits());
  std::size_t due = 0;
  for (int number = 0; number < 200; ++number) due += DueTime(Order(number)) ? 1U : 0U;
  EXPECT_EQ(due, 40U) << "the store's part is bounded";
  Recover();
  ShowOrders(200);
  PassWithPoller(hours(1));
  EXPECT_EQ(Types().size(), 200U);
  EXPECT_EQ(Metric(telemetry::kReads, "dropped"), 0);
  EXPECT_FALSE(Waits());
}

TEST_F(HangingReadsTest, NorWhenItIsOverAndTheBudgetIsSpentOnTheOthers) {
  settings_.max_unknown_orders = 20;
  settings_.max_unknown_reads_per_second = 1;
  Hang();
  StartLoop();
  PutOrders(200);
  // A service that comes back answers with errors first.
  Recover();
  reads_.FailAll(domain::MakeError(
      absl::StatusCode::kUnavailable, "503",
      {.reason = domain::reason::kUpstreamUnavailable, .metadata = {{"provider_status", "503"}}}));
  PassWithPoller(minutes(2));
  reads_.FailAll(absl::OkStatus());
  ShowOrders(200);
  PassWithPoller(hours(1));
  EXPECT_EQ(Types().size(), 200U);
  EXPECT_EQ(Metric(telemetry::kReads, "dropped"), 0);
}

TEST_F(HangingReadsTest, HintsForWhichThereIsNoRoomAreBoundedAllTheSame) {
  settings_.max_unknown_orders = 4;
  Hang();
  StartLoop();
  PutOrders(250);
  EXPECT_FALSE(feed_.paused[0]);
  for (int number = 250; number < 300; ++number) PutHint(offset_++, Order(number));
  EXPECT_TRUE(feed_.paused[0]) << "they cost memory";
  Recover();
  ShowOrders(300);
  PassWithPoller(minutes(10));
  EXPECT_FALSE(feed_.paused[0]);
  EXPECT_EQ(Types().size(), 300U);
}

TEST_F(HangingReadsTest, WhatFindsNoRoomOfARefusedProjectStopsNoOther) {
  settings_.max_unknown_orders = 4;
  Hang();
  StartLoop();
  PutOrders(250);
  for (int number = 250; number < 300; ++number) PutHint(offset_++, Order(number));
  ASSERT_TRUE(feed_.paused[0]);
  Recover();
  reads_.FailAll(domain::MakeError(absl::StatusCode::kUnauthenticated, "401",
                                   {.reason = domain::reason::kUpstreamCredentials}));
  PassWithPoller(hours(2));
  EXPECT_FALSE(feed_.paused[0]);
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
  common::v1::Order root = MakeOrder(kCompleted);
  *root.mutable_modified() = domain::ToTimestamp(clock_.WallNow());
  reads_.Show(root);
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

class NoParentTest : public NeverReadTest {
 protected:
  void ShowRefund(ports::Millis age) {
    common::v1::Order refund = MakeOrder(kCompleted);
    refund.set_refund_of_order_id(kOtherOrderId);
    *refund.mutable_created() = domain::ToTimestamp(clock_.WallNow() - age);
    refund.clear_completed();
    reads_.Show(refund);
  }
  void ShowOriginal() {
    common::v1::Order original = MakeOrder(kCompleted, kOtherOrderId);
    original.add_refund_orders(kOrderId);
    reads_.Show(original);
  }
};

// A replica that lags says that it is not there; so does a store that lost its memory.
TEST_F(NoParentTest, AnOldOrderWaitsForItsOriginalTooForAWhile) {
  ShowRefund(hours(24 * 20));
  StartLoop();
  PutHint(0);
  PassWithPoller(minutes(20));
  ASSERT_TRUE(events_.events.empty());
  ShowOriginal();
  PassWithPoller(hours(2));
  for (const v1::Hint& hint : hints_.hints) EXPECT_EQ(hint.order_id(), kOtherOrderId);
  EXPECT_EQ(hints_.hints.size(), 1U) << "it is passed on to its original";
}

// The sweep counts what it finds as noticed when the day that it reads began.
TEST_F(NoParentTest, ANewOneThatTheSweepFindsWaitsForADay) {
  ShowRefund(minutes(5));
  StartLoop();
  const ports::Noticed noticed{.at = clock_.WallNow() - hours(25), .seen = true};
  ASSERT_TRUE(
      Await(store_.Note(Key(kOrderId), noticed, {.deadline = clock_.BootNow(), .trace = {}})).ok());
  PutHintFrom(v1::HINT_SOURCE_SWEEP, 0, kOrderId);
  PassWithPoller(hours(6));
  EXPECT_TRUE(events_.events.empty());
}

TEST_F(NeverReadTest, WhatSomebodyWantsToldAgainIsTriedOn) {
  reads_.Show(MakeOrder(kCompleted));
  StartLoop();
  PutHint(0);
  PassDays(40);
  ASSERT_EQ(DueTime(), std::nullopt);
  Fail(kOrderId);
  const ports::TellAgainRequest wanted{.key = Key(kOrderId),
                                       .what = {.from = clock_.WallNow() - hours(24 * 60)},
                                       .due = clock_.WallNow(),
                                       .retention = hours(24 * 100)};
  ASSERT_TRUE(
      Await(store_.AskToTellAgain(wanted, {.deadline = clock_.BootNow(), .trace = {}})).ok());
  PassDays(20);
  EXPECT_NE(DueTime(), std::nullopt);
}

}  // namespace
}  // namespace tollbridge::events
