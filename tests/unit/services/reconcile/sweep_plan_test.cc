#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "services/reconcile/search_sweep.h"
#include "services/reconcile/sweep_plan.h"
#include "tests/unit/services/reconcile/sweep_fixture.h"

// Which pass comes when: what is new before what is old, and nothing is held up for ever.

namespace tollbridge::reconcile {
namespace {

using common::v1::ORDER_STATUS_COMPLETED;
using domain::ToTimestamp;
using domain::ToWallTime;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;
using ::testing::Pair;
using ::testing::SizeIs;

TEST_F(SweepTest, DuringALongFirstPassNewOrdersAreFoundAllTheSame) {
  constexpr std::uint32_t kOld = 100'000;
  settings_.pages_per_second = 1;
  search_.count = kOld;
  search_.answers_nothing_to = "status:";
  const WallTime began = clock_.WallNow();
  search_.make = [&](std::uint32_t number) {
    if (number < kOld) return Of(ORDER_STATUS_COMPLETED, hours(24 * 30));
    return CreatedAt(began + minutes(5));
  };
  Start(shop_);
  Pass(minutes(5), seconds(1));
  search_.count = kOld + 1;
  Pass(minutes(6), seconds(1));
  EXPECT_THAT(HintedOrders(), ElementsAre(IdText(kOld)));
  EXPECT_TRUE(Progress().has_first_pass()) << "it goes on";
  EXPECT_FALSE(Progress().has_pass());
  Pass(minutes(8), seconds(1));
  EXPECT_FALSE(Progress().has_first_pass()) << "and comes to its end";
}

/// A project whose first pass found nothing, with `kOld` orders then that are looked at slowly.
class SweepOfADayTest : public SweepTest {
 protected:
  static constexpr std::uint32_t kOld = 2000;

  void SetUp() override {
    settings_.hints_per_second = 1;
    search_.answers_nothing_to = "status:";
    sweep_ = Start(shop_);
    Pass(seconds(2));
    ASSERT_TRUE(Progress().has_last_ended());
  }
  /// The old ones, created at `old`, and one more after them, which is shown from now on.
  void ShowOneMore(WallTime old) {
    search_.count = kOld + 1;
    const WallTime now = clock_.WallNow();
    search_.make = [=](std::uint32_t number) { return CreatedAt(number < kOld ? old : now); };
  }

  std::shared_ptr<SearchSweep> sweep_;
};

TEST_F(SweepOfADayTest, DuringALongPassOverTheDayNewOrdersAreFoundAllTheSame) {
  const WallTime old = clock_.WallNow() - hours(5);
  search_.count = kOld;
  search_.make = [=](std::uint32_t) { return CreatedAt(old); };
  Pass(hours(1) + minutes(5), seconds(1));
  ASSERT_TRUE(Progress().has_day_pass());
  ASSERT_THAT(HintedOrders(), Not(Contains(IdText(kOld))));
  ShowOneMore(old);
  // A page of the day's, which is a hundred hints, may be under way when one is due.
  Pass(settings_.interval + settings_.index_lag + minutes(2), seconds(1));
  EXPECT_THAT(HintedOrders(), Contains(IdText(kOld)));
  EXPECT_TRUE(Progress().has_day_pass()) << "it goes on";
  EXPECT_FALSE(Progress().has_pass());
  Pass(minutes(40), seconds(1));
  EXPECT_FALSE(Progress().has_day_pass()) << "and comes to its end";
  const std::vector<std::string> hinted = HintedOrders();
  EXPECT_THAT(std::set(hinted.begin(), hinted.end()), SizeIs(kOld + 1));
}

TEST_F(SweepOfADayTest, AfterADowntimeNewOrdersDoNotWaitForThoseOfTheDowntime) {
  sweep_->Stop();
  Pass(settings_.interval);
  clock_.Advance(hours(50));
  ShowOneMore(clock_.WallNow() - hours(40));
  Start(shop_);
  Pass(settings_.interval + settings_.index_lag + minutes(2), seconds(1));
  EXPECT_THAT(HintedOrders(), Contains(IdText(kOld)));
  ASSERT_TRUE(Progress().has_day_pass());
  Pass(minutes(40), seconds(1));
  EXPECT_FALSE(Progress().has_day_pass());
  const std::vector<std::string> hinted = HintedOrders();
  EXPECT_THAT(std::set(hinted.begin(), hinted.end()), SizeIs(kOld + 1)) << "all behind the cursor";
}

/// What is due when, without a search.
class SweepPlanTest : public ::testing::Test {
 protected:
  /// The first pass is behind it, and nothing is under way.
  static storage::v1::SweepProgress SweptTo(WallTime time) {
    storage::v1::SweepProgress progress;
    for (auto* at : {progress.mutable_swept_to(), progress.mutable_first_began(),
                     progress.mutable_day_swept(), progress.mutable_last_began()}) {
      *at = ToTimestamp(time);
    }
    return progress;
  }
  static common::v1::OrderSearchResult Page(const std::string& last) {
    common::v1::OrderSearchResult page;
    page.add_orders()->set_id(last);
    page.set_search_after(last);
    return page;
  }
  static bool Ends(SweepPlace place, WallTime now, storage::v1::SweepProgress* progress) {
    return *MoveOn({}, now, place, progress);
  }

  const WallTime now_ = WallTime() + hours(24 * 365 * 50);
  const SweepSettings settings_{.index_lag = minutes(1)};
  const WallTime to_ = now_ - settings_.index_lag;
};

TEST_F(SweepPlanTest, NothingStarvesWhereAPassOverWhatIsNewIsAlwaysUnderWay) {
  storage::v1::SweepProgress progress;
  progress.mutable_pass();
  progress.mutable_day_pass();
  progress.mutable_first_pass();
  std::map<SweepPlace, int> pages;
  for (std::uint64_t page = 0; page < 80; ++page) ++pages[*PlaceOfPage(page, progress)];
  EXPECT_THAT(pages, ElementsAre(Pair(SweepPlace::kNew, 40), Pair(SweepPlace::kDay, 20),
                                 Pair(SweepPlace::kFirst, 20)));
}

TEST_F(SweepPlanTest, WithoutAPassOverWhatIsNewTheOthersShareAllPages) {
  storage::v1::SweepProgress progress;
  EXPECT_EQ(PlaceOfPage(0, progress), std::nullopt);
  progress.mutable_first_pass();
  for (std::uint64_t page = 0; page < 8; ++page) {
    EXPECT_EQ(PlaceOfPage(page, progress), SweepPlace::kFirst);
  }
  progress.mutable_day_pass();
  std::map<SweepPlace, int> pages;
  for (std::uint64_t page = 0; page < 80; ++page) ++pages[*PlaceOfPage(page, progress)];
  EXPECT_THAT(pages, ElementsAre(Pair(SweepPlace::kDay, 40), Pair(SweepPlace::kFirst, 40)));
}

TEST_F(SweepPlanTest, WhatIsLeftOutLeavesItsPagesToTheRest) {
  storage::v1::SweepProgress progress;
  progress.mutable_pass();
  progress.mutable_day_pass();
  progress.mutable_first_pass();
  for (std::uint64_t page = 0; page < 16; ++page) {
    EXPECT_NE(PlaceOfPage(page, progress, {SweepPlace::kDay}), SweepPlace::kDay);
    EXPECT_NE(PlaceOfPage(page, progress, {SweepPlace::kNew}), SweepPlace::kNew);
    EXPECT_EQ(PlaceOfPage(page, progress, {SweepPlace::kDay, SweepPlace::kFirst}),
              SweepPlace::kNew);
  }
}

TEST_F(SweepPlanTest, ThePassOverTheDayMovesNoCursor) {
  storage::v1::SweepProgress progress = SweptTo(now_ - hours(2));
  ASSERT_TRUE(BeginDue(now_, settings_, &progress));
  EXPECT_EQ(ToWallTime(progress.day_pass().from()), to_ - hours(24));
  EXPECT_EQ(ToWallTime(progress.day_pass().to()), to_);
  EXPECT_EQ(ToWallTime(progress.pass().from()), to_ - 2 * settings_.interval);
  ASSERT_TRUE(Ends(SweepPlace::kDay, now_, &progress));
  EXPECT_FALSE(progress.has_day_pass());
  EXPECT_TRUE(progress.has_pass());
  EXPECT_EQ(ToWallTime(progress.swept_to()), now_ - hours(2));
  EXPECT_EQ(ToWallTime(progress.day_swept()), now_);
  ASSERT_TRUE(Ends(SweepPlace::kNew, now_, &progress));
  EXPECT_EQ(ToWallTime(progress.swept_to()), to_);
  EXPECT_FALSE(BeginDue(now_, settings_, &progress)) << "none is due";
}

TEST_F(SweepPlanTest, WhatADowntimeLeavesDuringTheDaysPassIsOwedToTheNext) {
  storage::v1::SweepProgress progress = SweptTo(now_ - hours(2));
  ASSERT_TRUE(BeginDue(now_, settings_, &progress));
  ASSERT_FALSE(*MoveOn(Page("a"), now_, SweepPlace::kDay, &progress));
  ASSERT_TRUE(Ends(SweepPlace::kNew, now_, &progress));
  const WallTime later = now_ + hours(50);
  ASSERT_TRUE(BeginDue(later, settings_, &progress));
  EXPECT_EQ(progress.day_pass().search_after(), "a") << "it goes on";
  EXPECT_EQ(ToWallTime(progress.pass().from()), to_ + hours(50) - 2 * settings_.interval);
  EXPECT_EQ(ToWallTime(progress.owed_from()), to_ - settings_.interval);
  ASSERT_TRUE(Ends(SweepPlace::kNew, later, &progress));
  ASSERT_TRUE(Ends(SweepPlace::kDay, later, &progress));
  ASSERT_TRUE(BeginDue(later, settings_, &progress));
  EXPECT_FALSE(progress.has_owed_from());
  EXPECT_EQ(ToWallTime(progress.day_pass().from()), to_ - hours(12))
      << "and what the index showed late meanwhile";
  EXPECT_EQ(ToWallTime(progress.day_pass().to()), to_ + hours(50));
}

TEST_F(SweepPlanTest, ACursorALittleBehindIsCaughtUpWithAtOnce) {
  storage::v1::SweepProgress progress = SweptTo(now_ - minutes(40));
  ASSERT_TRUE(BeginDue(now_, settings_, &progress));
  EXPECT_EQ(ToWallTime(progress.pass().from()), now_ - minutes(40) - settings_.interval);
  EXPECT_FALSE(progress.has_day_pass());
}

TEST_F(SweepPlanTest, SoItIsHoweverOftenTheDayIsLookedAt) {
  SweepSettings often = settings_;
  often.interval = seconds(3);
  often.day_interval = seconds(30);
  storage::v1::SweepProgress progress = SweptTo(now_ - minutes(2));
  ASSERT_TRUE(BeginDue(now_, often, &progress));
  ASSERT_TRUE(progress.has_day_pass());
  EXPECT_EQ(ToWallTime(progress.pass().from()), now_ - minutes(2) - often.interval)
      << "it waits for no pass over the day that is under way";
}

TEST_F(SweepPlanTest, ACursorThatLiesAheadWhileTheDayIsLookedAtOwesADay) {
  storage::v1::SweepProgress progress = SweptTo(now_ - hours(2));
  ASSERT_TRUE(BeginDue(now_, settings_, &progress));
  progress.clear_pass();
  *progress.mutable_swept_to() = ToTimestamp(now_ + hours(1));
  *progress.mutable_last_began() = ToTimestamp(now_ + hours(1));
  ASSERT_TRUE(BeginDue(now_, settings_, &progress));
  EXPECT_EQ(ToWallTime(progress.pass().from()), to_ - 2 * settings_.interval);
  EXPECT_EQ(ToWallTime(progress.owed_from()), to_ - hours(24));
  EXPECT_EQ(ToWallTime(progress.day_pass().began()), now_) << "and does not begin it anew";
}

TEST_F(SweepPlanTest, TheDayIsDueWhileAPassOverWhatIsNewIsUnderWay) {
  storage::v1::SweepProgress progress = SweptTo(now_ - minutes(50));
  ASSERT_TRUE(BeginDue(now_, settings_, &progress));
  ASSERT_FALSE(progress.has_day_pass());
  ASSERT_TRUE(BeginDue(now_ + minutes(20), settings_, &progress));
  EXPECT_TRUE(progress.has_day_pass());
  EXPECT_EQ(ToWallTime(progress.pass().began()), now_);
}

TEST_F(SweepPlanTest, BesideAFirstPassOfTodayTheDayBeginsWhereThatEnds) {
  storage::v1::SweepProgress progress;
  ASSERT_TRUE(BeginDue(now_, settings_, &progress));
  ASSERT_TRUE(BeginDue(now_ + minutes(45), settings_, &progress));
  EXPECT_FALSE(progress.has_day_pass());
  ASSERT_TRUE(Ends(SweepPlace::kNew, now_ + minutes(45), &progress));
  for (const int hour : {1, 2, 20}) {
    const WallTime now = now_ + hours(hour);
    BeginDue(now, settings_, &progress);
    EXPECT_EQ(ToWallTime(progress.day_pass().from()), to_ - settings_.interval) << hour;
    EXPECT_EQ(ToWallTime(progress.day_pass().to()), to_ + hours(hour));
    ASSERT_TRUE(Ends(SweepPlace::kDay, now, &progress));
    ASSERT_TRUE(Ends(SweepPlace::kNew, now, &progress));
    EXPECT_FALSE(BeginDue(now, settings_, &progress)) << hour;
  }
  ASSERT_TRUE(BeginDue(now_ + hours(24), settings_, &progress));
  EXPECT_EQ(ToWallTime(progress.day_pass().from()), to_ - hours(12))
      << "one that goes on for longer: what the index showed late meanwhile";
}

TEST_F(SweepPlanTest, SoItDoesWhereTheFirstPassWasBegunByAClockAhead) {
  storage::v1::SweepProgress progress;
  ASSERT_TRUE(BeginDue(now_ + hours(120), settings_, &progress));
  BringBackPasses(now_, &progress);
  ASSERT_TRUE(BeginDue(now_, settings_, &progress));
  progress.clear_day_pass();
  progress.clear_owed_from();
  BeginDue(now_ + hours(2), settings_, &progress);
  EXPECT_EQ(ToWallTime(progress.day_pass().from()), to_ - settings_.interval);
}

TEST_F(SweepPlanTest, ThatIsNotTheWholeDayAlsoWhereItIsAsLong) {
  storage::v1::SweepProgress progress;
  ASSERT_TRUE(BeginDue(now_, settings_, &progress));
  ASSERT_TRUE(BeginDue(now_ + hours(24) - minutes(5), settings_, &progress));
  EXPECT_LE(ToWallTime(progress.day_pass().from()), to_ - minutes(5));
  EXPECT_FALSE(progress.day_pass().whole_day());
}

TEST_F(SweepPlanTest, SoItDoesWhereTheFirstPassEndsBefore) {
  storage::v1::SweepProgress progress;
  ASSERT_TRUE(BeginDue(now_, settings_, &progress));
  progress.clear_first_pass();
  ASSERT_TRUE(BeginDue(now_ + hours(20), settings_, &progress));
  EXPECT_EQ(ToWallTime(progress.day_pass().from()), to_ - hours(12));
}

TEST_F(SweepPlanTest, TheEndOfTheFirstPassSaysNothingOfTheDay) {
  storage::v1::SweepProgress progress;
  ASSERT_TRUE(BeginDue(now_ - hours(5), settings_, &progress));
  progress.mutable_first_pass()->set_stage(storage::v1::SWEEP_STAGE_PERIOD);
  *progress.mutable_day_swept() = ToTimestamp(now_ - minutes(10));
  ASSERT_TRUE(Ends(SweepPlace::kFirst, now_, &progress));
  EXPECT_EQ(ToWallTime(progress.day_swept()), now_ - minutes(10));
}

TEST_F(SweepPlanTest, APassOverTheDayThatAnEarlierVersionBeganIsTheDays) {
  storage::v1::SweepProgress progress = SweptTo(now_ - minutes(50));
  storage::v1::SweepPass& pass = *progress.mutable_pass();
  pass.set_stage(storage::v1::SWEEP_STAGE_PERIOD);
  *pass.mutable_began() = ToTimestamp(now_);
  *pass.mutable_from() = ToTimestamp(to_ - hours(24));
  *pass.mutable_to() = ToTimestamp(to_);
  pass.set_whole_day(true);
  ASSERT_TRUE(Ends(SweepPlace::kNew, now_, &progress));
  EXPECT_EQ(ToWallTime(progress.day_swept()), now_);
  EXPECT_EQ(ToWallTime(progress.swept_to()), to_);
  ASSERT_TRUE(BeginDue(now_ + settings_.interval, settings_, &progress));
  EXPECT_FALSE(progress.has_day_pass());
}

}  // namespace
}  // namespace tollbridge::reconcile
