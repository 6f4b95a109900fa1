// Sweeps of which a page is never answered, and of hosts whose clocks are a little apart.
#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/mini_redis/mini_redis.h"
#include "tests/support/test_keyspace.h"
#include "tests/unit/services/reconcile/sweep_fixture.h"

namespace tollbridge::reconcile {
namespace {

using domain::ToTimestamp;
using domain::ToWallTime;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using storage::v1::SweepProgress;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::Ge;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

class SweepInVainTest : public SweepTest {
 protected:
  /// Whose first pass has found nothing.
  void StartOnNothing() {
    search_.answers_nothing_to = "status:";
    Start(shop_);
    Pass(seconds(5));
    ASSERT_FALSE(Progress().has_first_pass());
    began_ = clock_.WallNow();
  }
  bool IsHinted(std::uint32_t number) {
    const auto& records = topic_.records(0);
    for (; read_ < records.size(); ++read_) {
      events::v1::Hint hint;
      EXPECT_TRUE(hint.ParseFromString(records[read_].value));
      hinted_.insert(hint.order_id());
    }
    return hinted_.contains(IdText(number));
  }
  /// How long it takes from now on until that order has a hint, `longest` at most.
  ports::Millis Until(std::uint32_t number, ports::Millis longest) {
    constexpr seconds kStep(5);
    ports::Millis passed{0};
    for (; passed < longest && !IsHinted(number); passed += kStep) Pass(kStep, kStep);
    return passed;
  }

  WallTime began_;

 private:
  std::size_t read_ = 0;
  std::set<std::string> hinted_;
};

TEST_F(SweepInVainTest, OneOrderThatIsNeverAnsweredHoldsUpNoOther) {
  StartOnNothing();
  // One each minute for ten hours. The ids do not sort as they were created.
  constexpr std::uint32_t kOrders = 600;
  const auto minute = [](std::uint32_t number) { return number * 7 % kOrders; };
  search_.count = kOrders;
  search_.make = [=, this](std::uint32_t number) {
    return CreatedAt(began_ + minutes(minute(number)));
  };
  constexpr std::uint32_t kPoisoned = 300;
  search_.poisoned = {kPoisoned};
  std::vector<ports::Millis> late(kOrders, hours(99));
  for (ports::Millis passed{0}; passed < hours(12); passed += seconds(10)) {
    Pass(seconds(10), seconds(10));
    for (std::uint32_t number = 0; number < kOrders; ++number) {
      if (late[number] != hours(99) || !IsHinted(number)) continue;
      late[number] = passed - ports::Millis(minutes(minute(number)));
    }
  }
  EXPECT_FALSE(IsHinted(kPoisoned));
  late[kPoisoned] = ports::Millis(0);
  EXPECT_LE(*std::ranges::max_element(late), hours(3));
  std::ranges::sort(late);
  EXPECT_LE(late[kOrders * 9 / 10], minutes(20)) << "most as if there were none";

  // It is asked for when it is no longer of the last day, too.
  Pass(hours(30), seconds(10));
  EXPECT_THAT(Progress().in_vain(), AllOf(Not(IsEmpty()), SizeIs(Le(2))));
  search_.poisoned.clear();
  EXPECT_LE(Until(kPoisoned, hours(4)), hours(2));
  EXPECT_THAT(Progress().in_vain(), IsEmpty());
}

TEST_F(SweepInVainTest, ManyThatAreNeverAnsweredAreAskedForAgain) {
  StartOnNothing();
  constexpr std::uint32_t kOrders = 600;
  std::mt19937 random(5);
  std::map<std::uint32_t, WallTime> made;
  for (std::uint32_t number = 0; number < kOrders; ++number) {
    made[number] = began_ + seconds(random() % 36'000);
    if (random() % 50 == 0) search_.poisoned.insert(number);
  }
  ASSERT_THAT(search_.poisoned, SizeIs(Ge(8)));
  search_.count = kOrders;
  search_.make = [&](std::uint32_t number) { return CreatedAt(made[number]); };
  Pass(hours(16), seconds(10));
  std::vector<std::uint32_t> missing;
  for (std::uint32_t number = 0; number < kOrders; ++number) {
    if (!IsHinted(number) && !search_.poisoned.contains(number)) missing.push_back(number);
  }
  // Of the same second, or of the first one asked for together with many.
  EXPECT_THAT(missing, SizeIs(Le(2)));
  search_.poisoned.clear();
  Pass(hours(4), seconds(10));
  for (std::uint32_t number = 0; number < kOrders; ++number) {
    EXPECT_TRUE(IsHinted(number)) << number;
  }
  EXPECT_THAT(Progress().in_vain(), IsEmpty());
}

TEST_F(SweepInVainTest, AStageOfTheFirstPassThatIsNeverAnsweredIsAskedForLast) {
  search_.fail_query = [](std::string_view query) {
    return query.starts_with("status:processing");
  };
  search_.answers_nothing_to = "status:";
  const WallTime created = clock_.WallNow() - hours(2);
  search_.count = 1;
  search_.make = [=](std::uint32_t) { return CreatedAt(created); };
  Start(shop_);
  EXPECT_LE(Until(0, hours(2)), 2 * settings_.interval);
  EXPECT_TRUE(Progress().has_first_pass());
  search_.fail_query = nullptr;
  Pass(minutes(6), seconds(1));
  EXPECT_FALSE(Progress().has_first_pass());
  EXPECT_THAT(search_.queries, Contains("status:processing"));
}

TEST_F(SweepInVainTest, WhatTheFirstPassAskedForInVainIsAskedForInTurn) {
  // Each is in a part of its own that stays in vain, but for the stage.
  const WallTime now = clock_.WallNow();
  search_.count = 3;
  search_.make = [=](std::uint32_t number) { return CreatedAt(now - hours(40 + number)); };
  search_.poisoned = {0, 1, 2};
  bool answered = false;
  search_.fail_query = [&](std::string_view query) { return query == "status:new" && !answered; };
  Start(shop_);
  Pass(hours(6), seconds(5));
  ASSERT_THAT(Progress().first_pass().later(), SizeIs(Ge(3)));
  answered = true;
  search_.queries.clear();
  Pass(hours(2), seconds(5));
  EXPECT_THAT(search_.queries, Contains("status:new"));
  search_.poisoned = {0, 1};
  EXPECT_LE(Until(2, hours(4)), hours(2));
  EXPECT_TRUE(Progress().has_first_pass());
  search_.poisoned.clear();
  Pass(hours(2), seconds(5));
  EXPECT_FALSE(Progress().has_first_pass());
}

TEST_F(SweepInVainTest, WhereNothingIsAnsweredItIsDividedOnce) {
  StartOnNothing();
  Pass(minutes(55), seconds(1));
  search_.fail = [](const domain::Project&) { return absl::UnavailableError("away"); };
  Pass(hours(30), seconds(10));
  const SweepProgress progress = Progress();
  EXPECT_TRUE(progress.has_day_pass());
  EXPECT_THAT(progress.day_pass().later(), SizeIs(1));
  search_.fail = nullptr;
  const WallTime back = clock_.WallNow();
  search_.count = 1;
  search_.make = [this](std::uint32_t) { return CreatedAt(began_ + hours(3)); };
  EXPECT_LE(Until(0, hours(2)), minutes(6)) << "what is owed";
  EXPECT_GT(ToWallTime(Progress().last_ended()), back);
}

TEST_F(SweepInVainTest, ARecordThatCannotBeUnderstoodIsAHintAndHoldsUpNoOther) {
  StartOnNothing();
  search_.count = 2;
  search_.make = [this](std::uint32_t) { return CreatedAt(began_); };
  test::MiniConnection connection(store_.server());
  const std::string key = test::ShopKeys() + "f:" + OrderId(0).ToBytes();
  ASSERT_TRUE(test::Await(context_, connection.Execute({"HSET", key, "o", "\xff\xff"},
                                                       clock_.BootNow() + hours(1)))
                  .ok());
  EXPECT_LE(Until(1, hours(1)), minutes(15));
  EXPECT_TRUE(IsHinted(0));
}

TEST_F(SweepInVainTest, AClockThatIsSetRightDuringTheFirstPassLeavesNothingOut) {
  search_.answers_nothing_to = "status:";
  settings_.pages_per_second = 1;
  const WallTime now = clock_.WallNow();
  search_.count = 3000;
  search_.make = [=](std::uint32_t number) {
    Order order = CreatedAt(now - (number == 2000 ? hours(30) : hours(480)));
    *order.mutable_completed() = order.created();
    return order;
  };
  clock_.StepWall(hours(120));
  Start(shop_);
  Pass(seconds(5));
  clock_.StepWall(-hours(120));
  EXPECT_LE(Until(2000, hours(2)), minutes(5));
}

TEST_F(SweepInVainTest, AnEndThatCouldNotBeSavedIsAnEndAllTheSame) {
  StartOnNothing();
  const WallTime old = began_ - hours(24 * 180);
  search_.count = 2000;
  search_.make = [=](std::uint32_t) { return CreatedAt(old); };
  bool was_under_way = false;
  int failed = 0;
  state_.fail_save = [&](const SweepProgress& progress, ports::Millis lease) {
    const bool ends = std::exchange(was_under_way, progress.has_pass()) && !progress.has_pass();
    failed += ends && lease > ports::Millis(0);
    return ends && lease > ports::Millis(0);
  };
  search_.queries.clear();
  Pass(hours(2), seconds(1));
  EXPECT_GT(failed, 5);
  EXPECT_THAT(search_.queries, Each(StartsWith("created:[202")));
  EXPECT_THAT(Hints(), IsEmpty());
  EXPECT_GT(ToWallTime(Progress().swept_to()), began_ + hours(1));
}

/// An hour of orders, of two a minute, that is never answered for: as where a part of the index is
/// away.
class SweepBesideAnHourTest : public SweepInVainTest {
 protected:
  static constexpr std::uint32_t kOrders = 2 * 60 * 12;

  void SetUp() override {
    StartOnNothing();
    search_.count = kOrders + 1;
    search_.make = [this](std::uint32_t number) {
      if (number == kOrders) return CreatedAt(late_);
      return CreatedAt(began_ + seconds(30) * number);
    };
    search_.fail_query = [this](std::string_view query) {
      ++asked_;
      const auto [from, to] = PeriodOf(query);
      return away_ || (from <= began_ + hours(2) && to >= began_ + hours(1));
    };
  }

  std::uint64_t asked_ = 0;
  bool away_ = false;
  /// When the last order was created.
  WallTime late_ = WallTime() + hours(24 * 365 * 90);
};

TEST_F(SweepBesideAnHourTest, OthersAreFoundAndLittleIsAsked) {
  for (int hour = 0; hour < 12; ++hour) {
    // Shown an hour late.
    if (hour == 6) late_ = began_ + hours(5);
    const std::uint64_t before = asked_;
    Pass(hours(1), seconds(2));
    EXPECT_LE(asked_ - before, 500) << hour;
    EXPECT_LE(Progress().ByteSizeLong(), 8'000) << hour;
    EXPECT_GE(ToWallTime(Progress().day_swept()), clock_.WallNow() - hours(4)) << hour;
  }
  EXPECT_TRUE(IsHinted(kOrders));
  // A minute beside the hour may be asked for together with it.
  for (std::uint32_t number = 0; number < 2 * 60 * 11; ++number) {
    if (number < 2 * 59 || number > 2 * 121) EXPECT_TRUE(IsHinted(number)) << number;
  }
  search_.fail_query = nullptr;
  Pass(hours(2), seconds(2));
  for (std::uint32_t number = 0; number <= kOrders; ++number) {
    EXPECT_TRUE(IsHinted(number)) << number;
  }
}

TEST_F(SweepInVainTest, WhereAllThatIsNewIsNeverAnsweredWhatIsOlderIsFound) {
  StartOnNothing();
  Pass(hours(2), seconds(1));
  const WallTime since = clock_.WallNow() - minutes(5);
  search_.fail_query = [=](std::string_view query) { return PeriodOf(query).to >= since; };
  search_.count = 1;
  search_.make = [this](std::uint32_t) { return CreatedAt(began_ + minutes(30)); };
  EXPECT_LE(Until(0, hours(6)), hours(3));
}

/// A part of the index that is older than a day and away, and one poisoned order of today.
TEST_F(SweepInVainTest, WhatIsOldAndAwayLeavesRoomToDivideWhatIsNew) {
  StartOnNothing();
  constexpr std::uint32_t kOrders = 2 * 60 * 40;
  search_.count = kOrders;
  search_.make = [this](std::uint32_t number) { return CreatedAt(began_ + seconds(30) * number); };
  search_.fail_query = [this](std::string_view query) {
    const auto [from, to] = PeriodOf(query);
    return from <= began_ + hours(2) && to >= began_ + hours(1);
  };
  constexpr std::uint32_t kPoisoned = 2 * 60 * 35;
  search_.poisoned = {kPoisoned};
  Pass(hours(40), seconds(10));
  for (std::uint32_t number = kPoisoned - 100; number < kPoisoned + 100; ++number) {
    const bool beside = number + 4 >= kPoisoned && number <= kPoisoned + 4;
    EXPECT_TRUE(beside || IsHinted(number)) << number;
  }
}

TEST_F(SweepBesideAnHourTest, WhereTheSearchGoesAwayMeanwhileItIsAskedLessAndLess) {
  for (int passed = 0; passed < 8 * 3600 && !Progress().day_pass().has_part(); ++passed) {
    Pass(seconds(1), seconds(1));
  }
  ASSERT_TRUE(Progress().day_pass().has_part());
  away_ = true;
  asked_ = 0;
  Pass(minutes(10), seconds(1));
  EXPECT_LE(asked_, 100);
  asked_ = 0;
  Pass(minutes(50), seconds(1));
  EXPECT_LE(asked_, 60);
}

/// Seeds.
class SweepInTroubleTest : public SweepInVainTest, public ::testing::WithParamInterface<int> {};
INSTANTIATE_TEST_SUITE_P(Seed, SweepInTroubleTest, ::testing::Values(0, 2, 3),
                         ::testing::PrintToStringParamName());

TEST_P(SweepInTroubleTest, NothingIsMissed) {
  std::mt19937 random(static_cast<unsigned>(GetParam()));
  const auto one_in = [&random](unsigned many) { return random() % many == 0; };
  struct Shown {
    WallTime created;
    /// A tenth is up to 11 h late.
    WallTime from;
  };
  constexpr std::uint32_t kOrders = 1500;
  std::vector<Shown> orders;
  began_ = clock_.WallNow();
  for (std::uint32_t number = 0; number < kOrders; ++number) {
    const WallTime created = began_ - hours(48) + seconds(random() % (72 * 3600));
    const seconds late(one_in(10) ? random() % (11 * 3600) : 20);
    orders.push_back({.created = created, .from = created + late});
    if (one_in(150)) search_.poisoned.insert(number);
  }
  search_.count = kOrders;
  search_.make = [&](std::uint32_t number) {
    const Shown& order = orders[number];
    const bool shown = clock_.WallNow() >= order.from;
    Order made = CreatedAt(shown ? order.created : began_ + hours(24 * 365));
    if (shown && number % 9 == 0) made.set_status(common::v1::ORDER_STATUS_PROCESSING);
    return made;
  };
  std::shared_ptr<SearchSweep> sweep = Start(shop_);
  bool dead = false;
  bool away = false;
  unsigned one_save_fails_in = 0;
  state_.fail_save = [&](const SweepProgress&, ports::Millis) {
    return dead || (one_save_fails_in > 0 && one_in(one_save_fails_in));
  };
  search_.fail = [&](const domain::Project&) {
    return away ? absl::UnavailableError("no answer") : absl::OkStatus();
  };
  for (int minute = 0; minute < 30 * 60; ++minute) {
    if (one_in(60)) away = !away && one_in(2);
    if (one_in(90)) one_save_fails_in = one_in(3) ? 5 : 0;
    if (one_in(45)) {
      dead = true;
      sweep->Stop();
      Pass(seconds(random() % 600 + 1), seconds(1));
      dead = false;
      sweep = Start(shop_);
    }
    Pass(minutes(1), seconds(2));
  }
  away = false;
  one_save_fails_in = 0;
  Pass(hours(5), seconds(5));
  for (std::uint32_t number = 0; number < kOrders; ++number) {
    EXPECT_TRUE(search_.poisoned.contains(number) || IsHinted(number)) << number;
  }
  search_.poisoned.clear();
  Pass(hours(3), seconds(5));
  EXPECT_THAT(Progress().in_vain(), IsEmpty());
  EXPECT_FALSE(Progress().has_first_pass());
  for (std::uint32_t number = 0; number < kOrders; ++number) {
    EXPECT_TRUE(IsHinted(number)) << number;
  }
}

/// A clock that is off by so much.
class OtherClock final : public ports::Clock {
 public:
  OtherClock(ports::Clock& clock, ports::Millis off, std::mt19937& random)
      : clock_(clock), off_(off), random_(random) {}
  WallTime WallNow() const override { return clock_.WallNow() + off_; }
  BootTime BootNow() const override { return clock_.BootNow(); }
  boost::asio::awaitable<void> Sleep(ports::Millis duration) override {
    // Timers are a little late, now of one, now of the other.
    co_await clock_.Sleep(duration + milliseconds(20) * (random_() % 3));
  }

 private:
  ports::Clock& clock_;
  const ports::Millis off_;
  std::mt19937& random_;
};

class SweepsOfTwoHostsTest : public SweepInVainTest, public ::testing::WithParamInterface<int> {};
INSTANTIATE_TEST_SUITE_P(Apart, SweepsOfTwoHostsTest, ::testing::Values(0, 100, 1000, 20'000),
                         ::testing::PrintToStringParamName());

TEST_P(SweepsOfTwoHostsTest, AskForTheDayOnceAnHour) {
  std::mt19937 random(1);
  OtherClock right(clock_, milliseconds(0), random);
  OtherClock behind(clock_, -milliseconds(GetParam()), random);
  search_.count = 0;
  for (OtherClock* const clock : {&right, &behind}) Run(Make(*clock), shop_);
  Pass(hours(10), milliseconds(20));
  const auto days = std::ranges::count_if(search_.queries, [](const std::string& query) {
    const auto [from, to] = PeriodOf(query);
    return to - from == hours(24);
  });
  EXPECT_THAT(days, AllOf(Ge(8), Le(10)));
}

}  // namespace
}  // namespace tollbridge::reconcile
