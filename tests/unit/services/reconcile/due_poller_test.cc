#include "services/reconcile/due_poller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <exception>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/telemetry/metric_definitions.h"
#include "services/domain/timestamps.h"
#include "tests/support/fakes/fake_clock.h"
#include "tests/support/fakes/fake_hint_log.h"
#include "tests/support/fakes/fake_store.h"
#include "tests/support/series.h"
#include "tests/support/test_keyspace.h"
#include "tests/unit/services/reconcile/slow_hint_log.h"

namespace tollbridge::reconcile {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

class DuePollerTest : public ::testing::Test {
 protected:
  void StartPoller() {
    poller_ = DuePoller::Create(
        {.due_queue = store_, .hint_log = hints_, .clock = clock_, .metrics = metrics_}, projects_,
        settings_);
    boost::asio::co_spawn(context_, poller_->Run("shop"), [this](std::exception_ptr error) {
      EXPECT_FALSE(error);
      ended_ = true;
    });
    Settle();
  }
  void Settle() {
    context_.poll();
    context_.restart();
  }
  void Pass(ports::Millis duration) {
    for (; duration > ports::Millis(0); duration -= milliseconds(100)) {
      clock_.Advance(milliseconds(100));
      Settle();
    }
  }
  static ports::FamilyKey Key(std::uint8_t number) {
    return {.project = "shop", .root = Uuid{{number}}};
  }
  void Enter(const ports::FamilyKey& key, WallTime due) {
    bool entered = false;
    const ports::Context context;  // outlives the coroutine
    boost::asio::co_spawn(context_, store_.Enter(key, due, context),
                          [&](std::exception_ptr, absl::Status status) { entered = status.ok(); });
    Settle();
    ASSERT_TRUE(entered);
  }

  /// As the reader does: it is not due any more.
  void Read(const ports::FamilyKey& key) {
    store_.server().Run({"ZREM", test::ShopKeys() + "due", key.root.ToBytes()});
  }

  std::vector<events::v1::Hint> Hints() const {
    std::vector<events::v1::Hint> hints;
    for (const ports::HintRecord& record : topic_.records(0)) {
      EXPECT_TRUE(hints.emplace_back().ParseFromString(record.value));
    }
    return hints;
  }
  std::optional<double> OldestMetric() const {
    return test::SeriesOf(metrics_, telemetry::kOldestDueOrder);
  }

  boost::asio::io_context context_;
  test::FakeClock clock_;
  test::FakeStore store_;
  test::FakeHintTopic topic_{1};
  test::FakeHintLog hints_{topic_};
  telemetry::Metrics metrics_;
  PollerSettings settings_;
  domain::Projects projects_{{*test::StoreProjects().Find("shop")}};
  std::shared_ptr<DuePoller> poller_;
  bool ended_ = false;
};

TEST_F(DuePollerTest, WritesAHintForEachOrderThatIsDueAndForNoOther) {
  Enter(Key(1), clock_.WallNow());
  Enter(Key(2), clock_.WallNow() + seconds(5));
  StartPoller();
  ASSERT_EQ(Hints().size(), 1U);
  EXPECT_EQ(Hints()[0].order_id(), Key(1).root.ToString());
  EXPECT_EQ(Hints()[0].project(), "shop");
  EXPECT_EQ(Hints()[0].source(), events::v1::HINT_SOURCE_POLLER);
  EXPECT_EQ(domain::ToWallTime(Hints()[0].noticed_at()), clock_.WallNow());
  Pass(seconds(5));
  ASSERT_EQ(Hints().size(), 2U);
  EXPECT_EQ(Hints()[1].order_id(), Key(2).root.ToString());
}

TEST_F(DuePollerTest, AnOrderThatNobodyReadsComesAgainAfterMoveBy) {
  Enter(Key(1), clock_.WallNow());
  StartPoller();
  Pass(seconds(59));
  EXPECT_EQ(Hints().size(), 1U);
  Pass(seconds(2));
  EXPECT_EQ(Hints().size(), 2U);
}

TEST_F(DuePollerTest, ALogThatIsDownLosesNoOrderAndMakesNoneWaitLong) {
  settings_.take_again_after = minutes(60);
  Enter(Key(1), clock_.WallNow());
  Enter(Key(2), clock_.WallNow());
  topic_.SetReachable(false);
  StartPoller();
  Pass(minutes(3));
  EXPECT_EQ(Hints().size(), 0U);
  topic_.SetReachable(true);
  Pass(seconds(15));
  EXPECT_EQ(Hints().size(), 2U);
}

TEST_F(DuePollerTest, AStoreThatIsDownIsAskedAgainLessOften) {
  Enter(Key(1), clock_.WallNow());
  store_.SetAvailable(false);
  StartPoller();
  Pass(minutes(2));
  EXPECT_LE(store_.calls(), 20U);
  store_.SetAvailable(true);
  Pass(seconds(15));
  EXPECT_EQ(Hints().size(), 1U);
}

TEST_F(DuePollerTest, WritesNoMoreHintsASecondThanAllowed) {
  settings_.max_hints_per_second = 10;
  settings_.interval = milliseconds(100);
  for (std::uint8_t i = 1; i <= 25; ++i) Enter(Key(i), clock_.WallNow());
  StartPoller();
  EXPECT_EQ(Hints().size(), 10U);
  Pass(milliseconds(900));
  EXPECT_EQ(Hints().size(), 10U);
  Pass(milliseconds(1100));
  EXPECT_EQ(Hints().size(), 25U);
}

TEST_F(DuePollerTest, HintsDoNotWaitForEachOtherButAreBounded) {
  SlowHintLog log(clock_);
  settings_.at_once = 8;
  for (std::uint8_t i = 1; i <= 40; ++i) Enter(Key(i), clock_.WallNow());
  poller_ = DuePoller::Create(
      {.due_queue = store_, .hint_log = log, .clock = clock_, .metrics = metrics_}, projects_,
      settings_);
  boost::asio::co_spawn(context_, poller_->Run("shop"), [](std::exception_ptr) {});
  Settle();
  Pass(milliseconds(500));
  EXPECT_EQ(log.appended, 40U);
  EXPECT_EQ(log.most, 8U);
}

TEST_F(DuePollerTest, WhatTheLogDidNotTakeIsPutBackAndOnlyThat) {
  SlowHintLog log(clock_);
  log.takes = 20;
  settings_.at_once = 8;
  settings_.take_again_after = minutes(60);
  for (std::uint8_t i = 1; i <= 40; ++i) Enter(Key(i), clock_.WallNow() - seconds(1));
  poller_ = DuePoller::Create(
      {.due_queue = store_, .hint_log = log, .clock = clock_, .metrics = metrics_}, projects_,
      settings_);
  boost::asio::co_spawn(context_, poller_->Run("shop"), [](std::exception_ptr) {});
  Settle();
  Pass(milliseconds(400));
  const std::string now = std::to_string(clock_.WallNow().time_since_epoch().count());
  EXPECT_EQ(store_.server().Run({"ZCOUNT", test::ShopKeys() + "due", "-inf", now}).integer, 20);
}

TEST_F(DuePollerTest, SeveralPollersShareTheWork) {
  settings_.max_hints_per_second = 5;
  for (std::uint8_t i = 1; i <= 20; ++i) Enter(Key(i), clock_.WallNow());
  StartPoller();
  const std::shared_ptr<DuePoller> first = poller_;
  StartPoller();
  EXPECT_EQ(Hints().size(), 10U);
  Pass(seconds(1));
  std::set<std::string> orders;
  for (const events::v1::Hint& hint : Hints()) orders.insert(hint.order_id());
  EXPECT_EQ(Hints().size(), 20U);
  EXPECT_EQ(orders.size(), 20U) << "each order once";
}

TEST_F(DuePollerTest, MeasuresHowLongTheMostOverdueOrderHasNotBeenRead) {
  settings_.max_hints_per_second = 1;
  Enter(Key(1), clock_.WallNow() - seconds(50));
  Enter(Key(2), clock_.WallNow() - seconds(40));
  StartPoller();
  EXPECT_EQ(OldestMetric(), 50);
  Read(Key(1));
  Pass(seconds(1));
  EXPECT_EQ(OldestMetric(), 41);
  Read(Key(2));
  Pass(seconds(1));
  EXPECT_EQ(OldestMetric(), 0);
}

TEST_F(DuePollerTest, TheMeasuredTimeRisesWhileNobodyReads) {
  for (std::uint8_t i = 1; i <= 3; ++i) Enter(Key(i), clock_.WallNow() + seconds(i));
  StartPoller();
  Pass(seconds(1));
  for (const int minute : {1, 5, 20, 60}) {
    const double before = OldestMetric().value_or(-1);
    Pass(minutes(minute));
    EXPECT_NEAR(OldestMetric().value_or(-1), before + minute * 60, 5) << minute;
  }
  for (std::uint8_t i = 1; i <= 3; ++i) Read(Key(i));
  Pass(seconds(1));
  EXPECT_EQ(OldestMetric(), 0);
}

TEST_F(DuePollerTest, AnOrderThatNobodyReadsIsHintedAtEverMoreRarely) {
  Enter(Key(1), clock_.WallNow());
  StartPoller();
  Pass(minutes(64));
  EXPECT_EQ(Hints().size(), 7U) << "after 1, 2, 4, 8, 16 and 32 min";
  Pass(minutes(65));
  EXPECT_EQ(Hints().size(), 8U) << "but it is found again";
  Pass(minutes(65));
  EXPECT_EQ(Hints().size(), 9U) << "at least once in 64 min";
}

TEST_F(DuePollerTest, AnOrderThatWasReadIsHintedAtAfterAMinuteAgain) {
  Enter(Key(1), clock_.WallNow());
  StartPoller();
  Pass(minutes(10));
  const std::size_t hints = Hints().size();
  Read(Key(1));
  Enter(Key(1), clock_.WallNow());
  Pass(minutes(1) + seconds(2));
  EXPECT_EQ(Hints().size(), hints + 2);
}

TEST_F(DuePollerTest, SaysNothingOfAQueueThatCannotBeRead) {
  settings_.max_hints_per_second = 1;
  Enter(Key(1), clock_.WallNow() - seconds(50));
  Enter(Key(2), clock_.WallNow() - seconds(40));
  StartPoller();
  EXPECT_EQ(OldestMetric(), 50);
  store_.SetAvailable(false);
  Pass(seconds(1));
  EXPECT_EQ(OldestMetric(), std::nullopt);
  store_.SetAvailable(true);
  Pass(seconds(5));
  EXPECT_TRUE(OldestMetric().has_value());
}

TEST_F(DuePollerTest, MeasuresOnWhileTheLogIsDown) {
  Enter(Key(1), clock_.WallNow());
  topic_.SetReachable(false);
  StartPoller();
  Pass(minutes(3));
  EXPECT_GE(OldestMetric().value_or(0), 150);
}

TEST_F(DuePollerTest, StopEndsItWithinOneInterval) {
  StartPoller();
  poller_->Stop();
  Enter(Key(1), clock_.WallNow());
  Pass(settings_.interval);
  EXPECT_TRUE(ended_);
  EXPECT_EQ(Hints().size(), 0U);
}

}  // namespace
}  // namespace tollbridge::reconcile
