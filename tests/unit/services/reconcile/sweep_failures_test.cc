#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/telemetry/metric_definitions.h"
#include "services/reconcile/search_sweep.h"
#include "tests/support/series.h"
#include "tests/support/test_keyspace.h"
#include "tests/unit/services/reconcile/sweep_fixture.h"

// Sweeps of which something fails: what fails holds up nothing else, and nothing is left out.

namespace tollbridge::reconcile {
namespace {

using common::v1::ORDER_STATUS_COMPLETED;
using common::v1::ORDER_STATUS_NEW;
using domain::ToWallTime;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;

class SweepThatFailsTest : public SweepTest {
 protected:
  /// So many new orders each second from now on, for so long.
  void ShowSteady(std::uint32_t per_second, seconds time) {
    began_ = clock_.WallNow();
    search_.count = per_second * static_cast<std::uint32_t>(time.count());
    search_.make = [this, per_second](std::uint32_t number) {
      return CreatedAt(MadeAt(number, per_second));
    };
  }
  WallTime MadeAt(std::uint32_t number, std::uint32_t per_second) const {
    return began_ + milliseconds(1000) * number / per_second;
  }
  /// The longest time from the creation of one of the first `count` to its first hint, or until
  /// now.
  seconds Longest(std::uint32_t count, std::uint32_t per_second) const {
    std::map<std::string, WallTime> first;
    for (const events::v1::Hint& hint : Hints()) {
      first.try_emplace(hint.order_id(), ToWallTime(hint.noticed_at()));
    }
    ports::Millis longest{0};
    for (std::uint32_t number = 0; number < count; ++number) {
      const auto found = first.find(IdText(number));
      const WallTime by = found == first.end() ? clock_.WallNow() : found->second;
      longest = std::max(longest, ports::Millis(by - MadeAt(number, per_second)));
    }
    return std::chrono::duration_cast<seconds>(longest);
  }
  /// Two orders a second for three hours are each found in time, with the pause after a failure.
  void ExpectNewOrdersInTime() {
    ShowSteady(2, hours(3));
    Start(shop_);
    Pass(hours(3), seconds(1));
    const seconds bound = std::chrono::duration_cast<seconds>(
        settings_.interval + settings_.index_lag + minutes(5) + seconds(30));
    EXPECT_LE(Longest(2 * static_cast<std::uint32_t>((hours(3) - bound) / seconds(1)), 2), bound);
  }
  /// Questions about a period from a day to two fail.
  void FailTheDay() {
    search_.fail_query = [](std::string_view query) {
      const auto [from, to] = PeriodOf(query);
      return to - from >= hours(24) && to - from < hours(48);
    };
  }

  WallTime began_;
};

TEST_F(SweepThatFailsTest, AFirstPassThatFailsForEverHoldsUpNothingNew) {
  search_.fail_query = [](std::string_view query) { return query.starts_with("status:"); };
  ExpectNewOrdersInTime();
  EXPECT_TRUE(Progress().has_first_pass());
}

TEST_F(SweepThatFailsTest, NorDoesADayThatFailsForEver) {
  FailTheDay();
  ExpectNewOrdersInTime();
  EXPECT_TRUE(Progress().has_day_pass());
}

TEST_F(SweepThatFailsTest, NorDoesSuchADayHoldUpTheFirstPass) {
  settings_.pages_per_second = 1;
  settings_.day_interval = minutes(10);
  search_.answers_nothing_to = "status:";
  search_.count = 100'000;
  search_.make = [this](std::uint32_t) { return Of(ORDER_STATUS_COMPLETED, hours(24 * 30)); };
  FailTheDay();
  Start(shop_);
  Pass(hours(3), seconds(1));
  EXPECT_TRUE(Progress().has_day_pass());
  EXPECT_FALSE(Progress().has_first_pass());
}

TEST_F(SweepThatFailsTest, WherePagesOfWhatIsNewFailTheDayFindsIt) {
  search_.answers_nothing_to = "status:";
  Start(shop_);
  Pass(seconds(5));
  ShowSteady(1, hours(1));
  search_.fail_query = [this](std::string_view query) {
    return query.starts_with("created:[" + domain::ToRfc3339(began_).substr(0, 10));
  };
  Pass(hours(2), seconds(1));
  EXPECT_LE(Longest(3000, 1), hours(1) + minutes(15));
}

TEST_F(SweepThatFailsTest, EndsOfPassesShowWhileAnotherGoesOn) {
  settings_.hints_per_second = 1;
  search_.answers_nothing_to = "status:";
  Start(shop_);
  Pass(seconds(2));
  const WallTime old = clock_.WallNow() - hours(5);
  search_.count = 5000;
  search_.make = [old](std::uint32_t) { return CreatedAt(old); };
  Pass(hours(2), seconds(1));
  ASSERT_TRUE(Progress().has_day_pass());
  const std::chrono::duration<double> ended =
      ToWallTime(Progress().last_ended()).time_since_epoch();
  const std::string project = "shop";
  EXPECT_EQ(test::SeriesOf(metrics_, telemetry::kSweepEnded, {project}), ended.count());
}

TEST_F(SweepThatFailsTest, TwoProcessesThatWaitForPagesLongerThanTheLeaseKeepTheirProjects) {
  settings_.lease = seconds(1);
  search_.answers_nothing_to = "status:";
  search_.count = 500;
  search_.make = [this](std::uint32_t) { return Of(ORDER_STATUS_COMPLETED, hours(24 * 30)); };
  settings_.pages_per_second = 1;
  const std::vector<domain::Project>& projects = test::StoreProjects().all();
  const std::shared_ptr<SearchSweep> one = Make();
  const std::shared_ptr<SearchSweep> other = Make();
  for (const domain::Project& project : projects) Run(one, project);
  Pass(seconds(7));
  for (const domain::Project& project : projects) Run(other, project);
  // Nine pages of each, and those of what is new.
  const std::size_t pages = projects.size() * 9;
  Pass(seconds(1) * (2 * pages + 60));
  for (const domain::Project& project : projects) {
    EXPECT_TRUE(Progress(project.name).has_last_ended()) << project.name;
  }
  EXPECT_LE(search_.pages, pages + 2 * projects.size()) << "none is asked for in vain";
}

TEST_F(SweepThatFailsTest, AStoreThatGoesBackUnderASweepTakesItBackToo) {
  settings_.pages_per_second = 1;
  search_.answers_nothing_to = "status:";
  search_.count = 3000;
  search_.make = [this](std::uint32_t number) {
    return Of(number == 150 ? ORDER_STATUS_NEW : ORDER_STATUS_COMPLETED, hours(24 * 30));
  };
  Start(shop_);
  auto copy = store_.server().TakeCopy();
  for (int i = 0; i < 1000 && Hints().empty(); ++i) {
    copy = store_.server().TakeCopy();
    Pass(milliseconds(100));
  }
  ASSERT_THAT(HintedOrders(), ElementsAre(IdText(150)));
  store_.server().FailOver(copy);
  ASSERT_FALSE(StateOf(150).due.has_value());
  Pass(minutes(1), seconds(1));
  EXPECT_THAT(HintedOrders(), ElementsAre(IdText(150), IdText(150)));
  EXPECT_TRUE(StateOf(150).due.has_value()) << "an open order is looked at again";
}

TEST_F(SweepThatFailsTest, ADayThatFailedIsTriedAgainBesidePassesThatFollowEachOther) {
  // A page a pass and a page a second: each follows the other at once.
  settings_.interval = seconds(1);
  settings_.day_interval = minutes(10);
  settings_.pages_per_second = 1;
  search_.answers_nothing_to = "status:";
  Start(shop_);
  Pass(seconds(30));
  FailTheDay();
  Pass(minutes(12));
  EXPECT_GT(test::SeriesOf(metrics_, telemetry::kSweepFailures).value_or(0), 0);
  search_.fail_query = nullptr;
  const WallTime over = clock_.WallNow();
  Pass(minutes(30));
  EXPECT_GT(ToWallTime(Progress().day_swept()), over);
}

}  // namespace
}  // namespace tollbridge::reconcile
