#include "services/events/hint_handler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/telemetry/metric_definitions.h"
#include "services/domain/errors.h"
#include "tests/support/series.h"
#include "tests/unit/services/events/hint_fixture.h"

namespace tollbridge::events {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

using HintHandlerTest = HintFixture;

constexpr auto kNew = common::v1::ORDER_STATUS_NEW;

absl::Status NoAnswer() {
  return domain::MakeError(absl::StatusCode::kDeadlineExceeded, "it did not answer in time",
                           {.reason = domain::reason::kUpstreamUnavailable});
}

TEST_F(HintHandlerTest, GarbageGoesToTheDeadLettersAndTheLoopGoesOn) {
  reads_.Show(MakeOrder(kNew));
  StartLoop();
  v1::Hint unknown_project;
  unknown_project.set_order_id(kOrderId);
  unknown_project.set_project("nobody's");
  v1::Hint no_uuid;
  no_uuid.set_order_id("../../etc");
  no_uuid.set_project("shop");
  PutRaw(0, "\xff\xff garbage");
  PutRaw(1, "");
  PutRaw(2, unknown_project.SerializeAsString());
  PutRaw(3, no_uuid.SerializeAsString());
  PutHint(4);
  ASSERT_EQ(letters_.letters().size(), 4U);
  EXPECT_EQ(letters_.letters()[0].cause, "unparsable");
  EXPECT_EQ(letters_.letters()[0].record.value, "\xff\xff garbage");
  EXPECT_EQ(events_.events.size(), 1U);
  EXPECT_EQ(feed_.stored[0].back(), 5);
}

TEST_F(HintHandlerTest, TimesFromTheChangeToItsEventWhoeverToldOfIt) {
  reads_.Show(MakeOrder(kNew));
  reads_.Show(MakeOrder(kNew, kOtherOrderId));
  StartLoop();
  PutHintFrom(v1::HINT_SOURCE_SWEEP, 0, kOrderId);
  PutHint(1, kOtherOrderId);
  ASSERT_EQ(events_.events.size(), 2U);
  EXPECT_EQ(test::SeriesOf(metrics_, telemetry::kChangeToEvent, {"sweep"}), 1);
  EXPECT_EQ(test::SeriesOf(metrics_, telemetry::kChangeToEvent, {"webhook"}), 1);
  EXPECT_EQ(test::SeriesOf(metrics_, telemetry::kWebhookToEvent), 1);
}

TEST_F(HintHandlerTest, TheOffsetOfADeadLetterWaitsForItsAcknowledgement) {
  letters_.SetReachable(false);
  StartLoop();
  PutRaw(0, "garbage");
  EXPECT_THAT(feed_.stored[0], IsEmpty());
  letters_.SetReachable(true);
  Pass(seconds(2));
  EXPECT_EQ(letters_.letters().size(), 1U);
  EXPECT_THAT(feed_.stored[0], ElementsAre(1));
}

TEST_F(HintHandlerTest, AnOrderWhoseReadGetsNoAnswerGoesToTheDueQueueAtOnce) {
  reads_.Fail(kOrderId, NoAnswer());
  reads_.Show(MakeOrder(kNew, kOtherOrderId));
  StartLoop();
  std::vector<ports::Millis> waits;
  for (std::int64_t offset = 0; offset < 5; ++offset) {
    PutHint(offset);
    EXPECT_FALSE(feed_.paused[0]);
    EXPECT_EQ(feed_.stored[0].back(), offset + 1);
    waits.push_back(*DueTime() - clock_.WallNow());
    TakeOut();
    Pass(seconds(1));
  }
  EXPECT_THAT(waits, ElementsAre(seconds(1), seconds(5), seconds(30), minutes(1), minutes(2)));
  PutHint(5, kOtherOrderId);
  EXPECT_EQ(events_.events.size(), 1U) << "others are not held up";
}

/// No array of the root names it.
TEST_F(HintHandlerTest, AMemberOfARootThatCannotBeReadComesAgain) {
  StartLoop();
  reads_.Show(MakeOrder(common::v1::ORDER_STATUS_NEW));
  PutHint(0);
  reads_.FailAll(absl::DeadlineExceededError("no answer"));
  PutMemberHint(1, kOtherOrderId);
  Pass(ports::Millis(2'000));
  ASSERT_TRUE(DueTime(kOtherOrderId).has_value());
  EXPECT_LE(*DueTime(kOtherOrderId), clock_.WallNow() + settings_.longest_read_interval);
}

/// As above, when the root is read again at last.
TEST_F(HintHandlerTest, AMemberThatNothingNamesIsToldWhenItsRootCouldNotBeReadForDays) {
  StartLoop();
  reads_.Show(MakeOrder(common::v1::ORDER_STATUS_COMPLETED));
  PutHint(0);
  common::v1::Order refund = MakeOrder(common::v1::ORDER_STATUS_COMPLETED, kOtherOrderId);
  refund.set_refund_of_order_id(kOrderId);
  reads_.Show(refund);
  reads_.Fail(kOrderId, NoAnswer());
  PutHint(1, kOtherOrderId);

  std::int64_t offset = 2;
  std::size_t passed_on = 0;
  const auto pass_hours = [&](int count) {
    for (int i = 0; i < count; ++i) {
      clock_.Advance(hours(1));
      PassWithPoller(seconds(3));
      for (; passed_on < hints_.hints.size(); ++passed_on) {
        PutRaw(offset++, hints_.hints[passed_on].SerializeAsString());
      }
      PassWithPoller(seconds(3));
    }
  };
  const std::size_t reads = ReadsOf(kOrderId);
  pass_hours(72);
  EXPECT_LE(ReadsOf(kOrderId) - reads, 40U);
  EXPECT_LE(ReadsOf(kOtherOrderId), 2U) << "where its root is, is known";
  ASSERT_EQ(events_.events.size(), 2U);
  reads_.Fail(kOrderId, absl::OkStatus());
  pass_hours(7);
  ASSERT_EQ(events_.events.size(), 3U);
  EXPECT_EQ(HeaderOf(events_.events.back(), "ce_type"), "tollbridge.refund.completed.v1");
  EXPECT_FALSE(DueTime(kOtherOrderId));
}

TEST_F(HintHandlerTest, WaitsGrowToHoursAlthoughThePollerMovedTheOrder) {
  EnterOperation({.traceparent = kTraceparent});
  reads_.Fail(kOrderId, NoAnswer());
  StartLoop();
  std::vector<ports::Millis> waits;
  for (std::int64_t offset = 0; offset < 12; ++offset) {
    PollerMoved();
    PutHintFrom(v1::HINT_SOURCE_POLLER, offset, kOrderId);
    waits.push_back(*DueTime() - clock_.WallNow());
    Pass(seconds(1));
  }
  EXPECT_THAT(waits,
              ElementsAre(seconds(1), seconds(5), seconds(30), minutes(1), minutes(2), minutes(4),
                          minutes(8), minutes(15), hours(1), hours(4), hours(6), hours(6)));
}

TEST_F(HintHandlerTest, WhatAnOperationMadeDueDuringAReadIsNotPutOff) {
  reads_.Fail(kOrderId, NoAnswer());
  StartLoop();
  for (std::int64_t offset = 0; offset < 5; ++offset) {
    PollerMoved();
    PutHint(offset);
    Pass(seconds(1));
  }
  PollerMoved();
  reads_.during_read = [this](const std::string&) -> boost::asio::awaitable<void> {
    const ports::FamilyKey key = Key();
    const ports::Context context{.deadline = clock_.BootNow(), .trace = {}};
    const absl::Status entered = co_await store_.Enter(key, clock_.WallNow(), context);
    EXPECT_TRUE(entered.ok());
  };
  PutHint(5);
  EXPECT_EQ(DueTime(), clock_.WallNow());
}

TEST_F(HintHandlerTest, AnUnknownOrderIsAskedForAfter1And5And30SecondsAndThenDropped) {
  StartLoop();
  std::vector<ports::Millis> waits;
  for (std::int64_t offset = 0; offset < 3; ++offset) {
    PutHint(offset);
    EXPECT_EQ(feed_.stored[0].back(), offset + 1) << "its offset does not wait";
    ASSERT_NE(DueTime(), std::nullopt);
    waits.push_back(*DueTime() - clock_.WallNow());
    TakeOut();
    Pass(seconds(30));
  }
  EXPECT_THAT(waits, ElementsAre(seconds(1), seconds(5), seconds(30)));
  PutHint(3);
  EXPECT_EQ(feed_.stored[0].back(), 4);
  EXPECT_EQ(DueTime(), std::nullopt);
  EXPECT_THAT(letters_.letters(), IsEmpty());
}

TEST_F(HintHandlerTest, TriesAreCountedAnewAfterARead) {
  StartLoop();
  for (std::int64_t offset = 0; offset < 2; ++offset) {
    PutHint(offset);
    TakeOut();
    Pass(seconds(2));
  }
  reads_.AnswerNext(MakeOrder(kNew));
  PutHint(2);
  TakeOut();
  Pass(seconds(2));
  PutHint(3);
  EXPECT_EQ(DueTime(), clock_.WallNow() + seconds(1));
}

TEST_F(HintHandlerTest, ADroppedOrderIsAskedForAnewWhenANewHintComes) {
  StartLoop();
  for (std::int64_t offset = 0; offset < 4; ++offset) {
    PutHint(offset);
    TakeOut();
    Pass(seconds(2));
  }
  PutHint(4);
  EXPECT_EQ(DueTime(), clock_.WallNow() + seconds(1));
}

TEST_F(HintHandlerTest, AnOrderOfOursThatIsNotFoundStaysInTheDueQueue) {
  EnterOperation({.traceparent = kTraceparent});
  StartLoop();
  for (std::int64_t offset = 0; offset < 4; ++offset) {
    PutHint(offset);
    Pass(seconds(2));
  }
  EXPECT_NE(DueTime(), std::nullopt);
}

TEST_F(HintHandlerTest, AnOrderOfOursThatStaysGoneIsGivenUpAfterADay) {
  EnterOperation({.traceparent = kTraceparent});
  StartLoop();
  const WallTime began = clock_.WallNow();
  std::int64_t offset = 0;
  Enter(began);
  for (; DueTime() && offset < 100; ++offset) {
    clock_.Advance(std::max(*DueTime() - clock_.WallNow(), ports::Millis(seconds(1))));
    Settle();
    PollerMoved();
    PutHintFrom(v1::HINT_SOURCE_POLLER, offset, kOrderId);
  }
  EXPECT_EQ(DueTime(), std::nullopt);
  EXPECT_GE(clock_.WallNow() - began, hours(24));
  EXPECT_LE(clock_.WallNow() - began, hours(31));
  EXPECT_LE(ReadsOf(kOrderId), 20U);
  EXPECT_EQ(Metric(telemetry::kReads, "gone"), 1);
  EXPECT_THAT(letters_.letters(), IsEmpty());
}

TEST_F(HintHandlerTest, AnOrderThatWasGivenUpIsReadWhenANewHintComes) {
  EnterOperation({.traceparent = kTraceparent});
  StartLoop();
  std::int64_t offset = 0;
  for (const ports::Millis wait : {ports::Millis(0), ports::Millis(hours(25))}) {
    clock_.Advance(wait);
    Settle();
    for (int i = 0; i < 4; ++i) {
      PutHint(offset++);
      Pass(seconds(1));
    }
  }
  ASSERT_EQ(Metric(telemetry::kReads, "gone"), 1);
  reads_.Show(MakeOrder(kNew));
  PutHint(offset++);
  EXPECT_EQ(events_.events.size(), 1U);
}

TEST_F(HintHandlerTest, WhoeverFailedOtherwiseMeanwhileIsNotGone) {
  EnterOperation({.traceparent = kTraceparent});
  StartLoop();
  std::int64_t offset = 0;
  for (const bool not_found : {true, false, true}) {
    reads_.Fail(kOrderId, not_found ? absl::OkStatus() : NoAnswer());
    for (int i = 0; i < 4; ++i) {
      PutHint(offset++);
      Pass(seconds(1));
    }
    clock_.Advance(hours(12));
    Settle();
  }
  PutHint(offset++);
  EXPECT_EQ(Metric(telemetry::kReads, "gone"), 0) << "it was not found for 12 h";
  EXPECT_NE(DueTime(), std::nullopt);
  clock_.Advance(hours(12));
  Settle();
  PutHint(offset++);
  EXPECT_EQ(Metric(telemetry::kReads, "gone"), 1);
}

TEST_F(HintHandlerTest, WhatAnotherReaderMayHaveFoundMeanwhileIsNotGone) {
  EnterOperation({.traceparent = kTraceparent});
  StartLoop();
  feed_.Assign({0});
  PutHint(0);
  Pass(seconds(1));
  feed_.Revoke({0});
  clock_.Advance(hours(25));
  Settle();
  feed_.Assign({0});
  for (std::int64_t offset = 1; offset < 5; ++offset) {
    PutHint(offset);
    Pass(seconds(2));
  }
  EXPECT_EQ(Metric(telemetry::kReads, "gone"), 0) << "it was not found for some seconds";
  EXPECT_NE(DueTime(), std::nullopt);
}

TEST_F(HintHandlerTest, UnknownOrdersBeyondTheCapAreDroppedAtOnce) {
  settings_.max_unknown_orders = 1;
  StartLoop();
  PutHint(0);
  PutHint(1, kOtherOrderId);
  EXPECT_NE(DueTime(), std::nullopt);
  EXPECT_EQ(DueTime(kOtherOrderId), std::nullopt);
  EXPECT_EQ(feed_.stored[0].back(), 2);
}

TEST_F(HintHandlerTest, RefusedCredentialsSendTheHintToTheDueQueue) {
  reads_.FailAll(domain::MakeError(absl::StatusCode::kInternal, "401",
                                   {.reason = domain::reason::kUpstreamCredentials}));
  StartLoop();
  PutHint(0);
  EXPECT_FALSE(feed_.paused[0]);
  EXPECT_EQ(DueTime(), clock_.WallNow() + seconds(30));
  EXPECT_THAT(feed_.stored[0], ElementsAre(1));
}

TEST_F(HintHandlerTest, ARateLimitIsKeptAsLongAsTheServiceAsks) {
  reads_.FailAll(domain::MakeError(
      absl::StatusCode::kResourceExhausted, "429",
      {.reason = domain::reason::kUpstreamRateLimited, .retry_after = minutes(2)}));
  StartLoop();
  PollerMoved();
  PutHint(0);
  EXPECT_EQ(DueTime(), clock_.WallNow() + minutes(2));
}

TEST_F(HintHandlerTest, ARateLimitIsKeptNoLongerThanTheServiceAsks) {
  const auto limit_for = [this](milliseconds asked) {
    reads_.FailAll(
        domain::MakeError(absl::StatusCode::kResourceExhausted, "429",
                          {.reason = domain::reason::kUpstreamRateLimited, .retry_after = asked}));
  };
  limit_for(seconds(3));
  StartLoop();
  PollerMoved();
  PutHint(0);
  EXPECT_EQ(DueTime(), clock_.WallNow() + seconds(3));
  limit_for(milliseconds(0));
  Pass(seconds(3));
  PutHint(1);
  EXPECT_EQ(DueTime(), clock_.WallNow() + seconds(1)) << "an order is read once a second";
}

TEST_F(HintHandlerTest, ARateLimitThatSaysNoTimeIsKeptForHalfAMinute) {
  reads_.FailAll(domain::MakeError(absl::StatusCode::kResourceExhausted, "429",
                                   {.reason = domain::reason::kUpstreamRateLimited}));
  StartLoop();
  PollerMoved();
  PutHint(0);
  EXPECT_EQ(DueTime(), clock_.WallNow() + seconds(30));
}

TEST_F(HintHandlerTest, AnAnswerThatStaysUnreadableBecomesADeadLetter) {
  reads_.FailAll(domain::MakeError(absl::StatusCode::kInternal, "unreadable",
                                   {.reason = domain::reason::kUpstreamUnreadable}));
  StartLoop();
  const WallTime began = clock_.WallNow();
  for (std::int64_t offset = 0; offset < 4; ++offset) {
    EXPECT_THAT(letters_.letters(), IsEmpty());
    PutHint(offset);
    Pass(seconds(30));
  }
  ASSERT_EQ(letters_.letters().size(), 1U);
  EXPECT_EQ(letters_.letters()[0].cause, "unreadable_answer");
  EXPECT_EQ(letters_.letters()[0].tries, 4U);
  EXPECT_EQ(letters_.letters()[0].first_failure, began);
  EXPECT_EQ(letters_.letters()[0].last_failure, began + seconds(90));
  EXPECT_EQ(feed_.stored[0].back(), 4);
  EXPECT_NE(DueTime(), std::nullopt) << "the order is not given up";
}

TEST_F(HintHandlerTest, AnOrderThatStaysUnreadableMakesOneDeadLetter) {
  EnterOperation({.traceparent = kTraceparent});
  reads_.FailAll(domain::MakeError(absl::StatusCode::kInternal, "unreadable",
                                   {.reason = domain::reason::kUpstreamUnreadable}));
  StartLoop();
  for (std::int64_t offset = 0; offset < 12; ++offset) {
    PollerMoved();
    PutHintFrom(v1::HINT_SOURCE_POLLER, offset, kOrderId);
    Pass(seconds(1));
  }
  EXPECT_EQ(letters_.letters().size(), 1U);
  EXPECT_GE(*DueTime() - clock_.WallNow(), hours(5));
}

TEST_F(HintHandlerTest, HintsOfAProjectThatIsNotHereAreLettersUnlessTheyComeAgain) {
  StartLoop();
  std::int64_t offset = 0;
  for (const v1::HintSource source :
       {v1::HINT_SOURCE_POLLER, v1::HINT_SOURCE_SWEEP, v1::HINT_SOURCE_WEBHOOK,
        v1::HINT_SOURCE_READER, v1::HINT_SOURCE_OPERATOR}) {
    v1::Hint hint = MakeHint(source, kOrderId);
    hint.set_project("nobody's");
    PutRaw(offset++, hint.SerializeAsString());
  }
  EXPECT_EQ(feed_.stored[0].back(), 5);
  ASSERT_EQ(letters_.letters().size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(letters_.letters()[i].cause, "unknown_project");
    EXPECT_EQ(letters_.letters()[i].record.offset, static_cast<std::int64_t>(i) + 2);
  }
  EXPECT_EQ(Metric(telemetry::kHintsOfUnknownProjects, "poller"), 1);
  EXPECT_EQ(Metric(telemetry::kHintsOfUnknownProjects, "sweep"), 1);
}

}  // namespace
}  // namespace tollbridge::events
