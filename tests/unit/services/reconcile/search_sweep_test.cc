#include "services/reconcile/search_sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <exception>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/telemetry/metric_definitions.h"
#include "tests/support/series.h"
#include "tests/unit/services/reconcile/slow_hint_log.h"
#include "tests/unit/services/reconcile/sweep_fixture.h"

namespace tollbridge::reconcile {
namespace {

using common::v1::ORDER_STATUS_COMPLETED;
using common::v1::ORDER_STATUS_ERROR;
using common::v1::ORDER_STATUS_EXPIRED;
using common::v1::ORDER_STATUS_NEW;
using common::v1::ORDER_STATUS_PROCESSING;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using test::SeriesOf;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

TEST_F(SweepTest, TheFirstPassAsksForOpenOrdersOfAnyAgeAndForTheLast90Days) {
  Start(shop_);
  Pass(seconds(2));
  // The clock starts at 2026-01-01T00:00:00Z.
  EXPECT_THAT(search_.queries,
              ElementsAre("status:new", "status:processing", "status:see-transactions",
                          "created:[2025-10-02T23:59:00Z TO 2025-12-31T23:59:00Z]"));
  EXPECT_TRUE(Progress().has_last_ended());
  EXPECT_FALSE(Progress().has_first_pass());
}

TEST_F(SweepTest, WritesAHintForEachOrderThatNobodyHasRead) {
  Show({Of(ORDER_STATUS_COMPLETED, hours(1)), Of(ORDER_STATUS_PROCESSING, hours(2))});
  Start(shop_);
  Pass(seconds(2));
  // The second one is found by its status and by its time of creation.
  EXPECT_THAT(HintedOrders(), ElementsAre(IdText(1), IdText(0)));
  for (const events::v1::Hint& hint : Hints()) {
    EXPECT_EQ(hint.project(), "shop");
    EXPECT_EQ(hint.source(), events::v1::HINT_SOURCE_SWEEP);
    EXPECT_FALSE(hint.has_member());
    EXPECT_TRUE(hint.has_noticed_at());
  }
}

TEST_F(SweepTest, LooksAtWhatCannotBeReadByItselfAndGoesOn) {
  Show({Of(ORDER_STATUS_COMPLETED, hours(1)), Of(ORDER_STATUS_COMPLETED, hours(1)),
        Of(ORDER_STATUS_COMPLETED, hours(1))});
  search_.unreadable = {0, 1};
  Record(OrderId(1), ORDER_STATUS_COMPLETED, clock_.WallNow() - hours(1));
  Start(shop_);
  Pass(seconds(2));
  EXPECT_TRUE(Progress().has_last_ended());
  EXPECT_THAT(HintedOrders(), UnorderedElementsAre(IdText(0), IdText(2)));
}

TEST_F(SweepTest, APageOfNothingThatCanBeReadIsNotTheLast) {
  std::vector<Order> orders(150, Of(ORDER_STATUS_COMPLETED, hours(1)));
  Show(orders);
  search_.tells_hits = false;
  for (std::uint32_t i = 0; i < 100; ++i) search_.unreadable.insert(i);
  Start(shop_);
  Pass(minutes(1));
  EXPECT_TRUE(Progress().has_last_ended());
  EXPECT_EQ(HintedOrders().size(), 150U);
}

TEST_F(SweepTest, WritesNoHintForWhatASnapshotShowsAlready) {
  Show({Of(ORDER_STATUS_COMPLETED, hours(1)),    // the same
        Of(ORDER_STATUS_COMPLETED, hours(1)),    // another status
        Of(ORDER_STATUS_COMPLETED, hours(1)),    // modified since
        Of(ORDER_STATUS_COMPLETED, hours(1))});  // the index lags
  const WallTime modified = clock_.WallNow() - hours(1);
  Record(OrderId(0), ORDER_STATUS_COMPLETED, modified);
  Record(OrderId(1), ORDER_STATUS_ERROR, modified);
  Record(OrderId(2), ORDER_STATUS_COMPLETED, modified - seconds(1));
  Record(OrderId(3), ORDER_STATUS_ERROR, modified + seconds(1));
  Start(shop_);
  Pass(seconds(2));
  EXPECT_THAT(HintedOrders(), ElementsAre(IdText(1), IdText(2)));
}

TEST_F(SweepTest, TheHintAboutAKnownMemberNamesItsRoot) {
  Show({Of(ORDER_STATUS_COMPLETED, hours(1)), Of(ORDER_STATUS_ERROR, hours(1)),
        Of(ORDER_STATUS_COMPLETED, hours(1))});
  Record(OrderId(0), ORDER_STATUS_COMPLETED, clock_.WallNow() - hours(1), OrderId(1));
  Start(shop_);
  Pass(seconds(2));
  ASSERT_THAT(HintedOrders(), ElementsAre(IdText(0), IdText(2)));
  EXPECT_EQ(Hints()[0].member(), IdText(1));
  EXPECT_FALSE(Hints()[1].has_member());
}

TEST_F(SweepTest, TheFirstPassLeavesAloneWhatEndedLongAgo) {
  Show({Of(ORDER_STATUS_COMPLETED, hours(24 * 10)), Of(ORDER_STATUS_COMPLETED, hours(71)),
        Of(ORDER_STATUS_NEW, hours(24 * 300)), Of(ORDER_STATUS_EXPIRED, hours(73))});
  Start(shop_);
  Pass(seconds(2));
  EXPECT_THAT(HintedOrders(), ElementsAre(IdText(2), IdText(1)));
}

TEST_F(SweepTest, ALaterPassHintsAtWhatEndedWhileNobodySwept) {
  const std::shared_ptr<SearchSweep> sweep = Start(shop_);
  Pass(seconds(2));
  sweep->Stop();
  clock_.Advance(hours(24 * 10));
  Settle();
  Show({Of(ORDER_STATUS_COMPLETED, hours(24 * 9))});
  Start(shop_);
  Pass(seconds(40));
  EXPECT_THAT(HintedOrders(), ElementsAre(IdText(0)));
}

TEST_F(SweepTest, EachPassOverlapsTheOneBeforeAndEndsAnIndexLagAgo) {
  Start(shop_);
  Pass(seconds(2));
  search_.queries.clear();
  Pass(minutes(10));
  EXPECT_THAT(search_.queries,
              ElementsAre("created:[2025-12-31T23:49:00Z TO 2026-01-01T00:09:00Z]"));
}

TEST_F(SweepTest, OnceAnHourTheLast24HoursAreAskedForAgain) {
  Start(shop_);
  Pass(seconds(2));
  search_.queries.clear();
  Pass(hours(2), seconds(1));
  EXPECT_THAT(search_.queries, SizeIs(14)) << "each behind that over what is new";
  EXPECT_EQ(search_.queries.at(6), "created:[2025-12-31T00:59:00Z TO 2026-01-01T00:59:00Z]");
  EXPECT_EQ(search_.queries.at(13), "created:[2025-12-31T01:59:00Z TO 2026-01-01T01:59:00Z]");
}

TEST_F(SweepTest, ReadsAllPagesWhetherTheServiceCountsHitsOrNot) {
  for (const bool tells_hits : {true, false}) {
    store_.LoseMemory();
    search_.tells_hits = tells_hits;
    search_.count = 250;
    search_.make = [this](std::uint32_t) { return Of(ORDER_STATUS_COMPLETED, hours(1)); };
    const std::size_t before = Hints().size();
    const std::shared_ptr<SearchSweep> sweep = Start(shop_);
    Pass(seconds(10));
    sweep->Stop();
    EXPECT_EQ(Hints().size() - before, 250U);
    EXPECT_EQ(search_.largest_page, 100);
  }
}

TEST_F(SweepTest, WhoGoesOnAfterADeadOneBeginsWhereItWas) {
  search_.count = 1000;
  search_.make = [this](std::uint32_t) { return Of(ORDER_STATUS_COMPLETED, hours(1)); };
  boost::asio::io_context dying;
  const std::shared_ptr<SearchSweep> first = Make();
  boost::asio::co_spawn(dying, first->Run(shop_), [](std::exception_ptr) {});
  for (int i = 0; i < 100; ++i) {
    dying.poll();
    dying.restart();
    clock_.Advance(milliseconds(100));
  }
  const std::size_t by_dead = Hints().size();
  EXPECT_GT(by_dead, 200U);
  EXPECT_LT(by_dead, 600U);
  EXPECT_TRUE(Progress().has_first_pass());
  // It never runs again, and has not given the project up.
  Start(shop_);
  Pass(settings_.lease - seconds(1));
  EXPECT_EQ(Hints().size(), by_dead) << "the lease still holds";
  Pass(minutes(1));
  EXPECT_FALSE(Progress().has_first_pass());
  EXPECT_GE(Hints().size(), 1000U);
  EXPECT_LE(Hints().size(), 1100U) << "at most one page comes again";
  std::set<std::string> all;
  for (const std::string& id : HintedOrders()) all.insert(id);
  EXPECT_THAT(all, SizeIs(1000));
}

TEST_F(SweepTest, TwoProcessesDoNotSweepAProjectAtTheSameTime) {
  search_.count = 300;
  search_.make = [this](std::uint32_t) { return Of(ORDER_STATUS_COMPLETED, hours(1)); };
  Start(shop_);
  Start(shop_);
  Pass(minutes(9));
  EXPECT_THAT(Hints(), SizeIs(300));
}

TEST_F(SweepTest, WhileTheHintLogIsAwayWhatItFindsIsDueAndNothingIsLost) {
  constexpr std::uint32_t kOrders = 120;
  Show(std::vector<Order>(kOrders, Of(ORDER_STATUS_COMPLETED, hours(1))));
  topic_.SetReachable(false);
  Start(shop_);
  Pass(minutes(5));
  EXPECT_FALSE(Progress().has_last_ended());
  EXPECT_LE(search_.pages, 20U) << "asked less and less often";
  topic_.SetReachable(true);
  Pass(minutes(6));
  EXPECT_TRUE(Progress().has_last_ended());
  const std::vector<std::string> hinted = HintedOrders();
  EXPECT_EQ(std::set(hinted.begin(), hinted.end()).size(), hinted.size());
  EXPECT_GT(hinted.size(), kOrders / 2);
  // Those whose hints were not taken are the poller's.
  for (std::uint32_t number = 0; number < kOrders; ++number) {
    const ports::FamilyState state = StateOf(number);
    EXPECT_TRUE(state.due.has_value()) << number;
  }
}

TEST_F(SweepTest, AProjectThatIsRefusedWaitsAndHoldsUpNoOther) {
  Show({Of(ORDER_STATUS_COMPLETED, hours(1))});
  bool refuses = true;
  std::size_t asked = 0;
  search_.fail = [&](const domain::Project& project) -> absl::Status {
    if (project.name != "shop" || !refuses) return absl::OkStatus();
    ++asked;
    return domain::MakeError(absl::StatusCode::kFailedPrecondition, "refused",
                             {.reason = domain::reason::kUpstreamCredentials});
  };
  const std::shared_ptr<SearchSweep> sweep = Start(shop_);
  Run(sweep, other_);
  Pass(hours(1), seconds(1));
  EXPECT_TRUE(Progress("other").has_last_ended());
  EXPECT_FALSE(Progress("shop").has_last_ended());
  EXPECT_LE(asked, 40U) << "by each pass, at longest every 5 minutes";
  refuses = false;
  Pass(minutes(6), seconds(1));
  EXPECT_TRUE(Progress("shop").has_last_ended());
}

TEST_F(SweepTest, AStoreThatIsAwayIsAskedLessAndLessOften) {
  Show({Of(ORDER_STATUS_COMPLETED, hours(1))});
  store_.SetAvailable(false);
  Start(shop_);
  Pass(minutes(30), seconds(1));
  EXPECT_LE(store_.calls(), 30U);
  EXPECT_THAT(Hints(), IsEmpty());
  store_.SetAvailable(true);
  Pass(minutes(6), seconds(1));
  EXPECT_THAT(HintedOrders(), ElementsAre(IdText(0)));
}

TEST_F(SweepTest, AfterLostMemoryAllIsLookedAtAgain) {
  Show({Of(ORDER_STATUS_NEW, hours(24 * 200))});
  Start(shop_);
  Pass(seconds(2));
  EXPECT_THAT(Hints(), SizeIs(1));
  store_.LoseMemory();
  Pass(minutes(11), seconds(1));
  EXPECT_THAT(Hints(), SizeIs(2));
}

TEST_F(SweepTest, ASearchThatDoesNotAdvanceIsAFailureAndNoEndlessLoop) {
  class StandingSearch final : public test::UnaskedPaymentService {
   public:
    int asked = 0;
    Async<common::v1::OrderSearchResult> SearchOrders(const domain::Project&,
                                                      const common::v1::OrderSearch&,
                                                      const ports::Context&) override {
      ++asked;
      common::v1::OrderSearchResult page;
      page.set_hits(500);
      page.add_orders()->set_id(IdText(7));
      page.set_search_after(IdText(7));
      co_return page;
    }
  } standing;
  const std::shared_ptr<SearchSweep> sweep =
      SearchSweep::Create({.payment_service = standing,
                           .known_orders = store_.known_orders(),
                           .state = store_.sweep_state(),
                           .due_queue = store_,
                           .hint_log = hints_,
                           .clock = clock_,
                           .rng = rng_,
                           .metrics = metrics_},
                          settings_);
  Run(sweep, shop_);
  Pass(minutes(10), seconds(1));
  EXPECT_FALSE(Progress().has_last_ended());
  EXPECT_LE(standing.asked, 15);
}

/// A look whose process has a clock that is so far ahead.
class SweepClockTest : public SweepTest {
 protected:
  absl::StatusOr<ports::Millis> LookAhead(ports::Millis ahead) {
    clock_.StepWall(ahead);
    std::optional<absl::StatusOr<ports::Millis>> next;
    boost::asio::co_spawn(context_, sweep_->Look(shop_),
                          [&](std::exception_ptr error, absl::StatusOr<ports::Millis> answer) {
                            EXPECT_FALSE(error);
                            next = std::move(answer);
                          });
    Settle();
    for (int i = 0; i < 100 && !next; ++i) Pass(milliseconds(100));
    clock_.StepWall(-ahead);
    return next.value();
  }

  const std::shared_ptr<SearchSweep> sweep_ = Make();
};

TEST_F(SweepClockTest, AClockThatWasAheadPutsNoPassOff) {
  for (const ports::Millis ahead : {ports::Millis(minutes(30)), ports::Millis(hours(24))}) {
    ASSERT_TRUE(LookAhead(ahead).ok());
    search_.queries.clear();
    const WallTime now = clock_.WallNow();
    const auto next = LookAhead(ports::Millis(0));
    ASSERT_TRUE(next.ok());
    EXPECT_THAT(search_.queries, SizeIs(2)) << "a pass is due at once, and the day's";
    EXPECT_GT(*next, settings_.interval - seconds(2));
    EXPECT_LE(*next, settings_.interval);
    EXPECT_GE(domain::ToWallTime(Progress().day_swept()), now)
        << "of a whole day: nobody knows how far the others came";
    EXPECT_LE(domain::ToWallTime(Progress().day_swept()), clock_.WallNow());
    EXPECT_LE(domain::ToWallTime(Progress().swept_to()), clock_.WallNow());
    clock_.Advance(settings_.interval);
  }
}

TEST_F(SweepClockTest, WhereTheCursorLiesAheadADayIsAskedForAgain) {
  ASSERT_TRUE(LookAhead(ports::Millis(0)).ok());
  clock_.Advance(settings_.interval);
  ASSERT_TRUE(LookAhead(minutes(30)).ok());
  const WallTime now = clock_.WallNow();
  ASSERT_LT(domain::ToWallTime(Progress().day_swept()), now);
  ASSERT_TRUE(LookAhead(ports::Millis(0)).ok());
  EXPECT_GE(domain::ToWallTime(Progress().day_swept()), now);
}

TEST_F(SweepClockTest, TheTimeOfTheLastPassIsNeverShownAsAhead) {
  const std::string project = "shop";
  ASSERT_TRUE(LookAhead(hours(24)).ok());
  search_.fail = [](const domain::Project&) { return absl::UnavailableError("no answer"); };
  EXPECT_FALSE(LookAhead(ports::Millis(0)).ok());
  const std::chrono::duration<double> now = clock_.WallNow().time_since_epoch();
  EXPECT_LE(SeriesOf(metrics_, telemetry::kSweepEnded, {project}).value_or(0), now.count());
}

TEST_F(SweepClockTest, APassThatAClockAheadBeganLeavesNothingOut) {
  search_.fail = [](const domain::Project&) { return absl::UnavailableError("no answer"); };
  EXPECT_FALSE(LookAhead(hours(24)).ok());
  search_.fail = nullptr;
  Show({Of(ORDER_STATUS_COMPLETED, settings_.baseline_window - hours(1))});
  ASSERT_TRUE(LookAhead(ports::Millis(0)).ok());
  EXPECT_THAT(HintedOrders(), ElementsAre(IdText(0)));
  EXPECT_LE(domain::ToWallTime(Progress().first_began()), clock_.WallNow());
}

TEST_F(SweepTest, WhatItHintsAtIsDueWhenNobodyReadsTheHint) {
  Show({Of(ORDER_STATUS_COMPLETED, hours(1))});
  Start(shop_);
  Pass(seconds(2));
  const ports::FamilyState state = StateOf(0);
  ASSERT_TRUE(state.due.has_value());
  EXPECT_GT(*state.due, clock_.WallNow()) << "a hint that is read needs no other";
  EXPECT_LE(*state.due, clock_.WallNow() + minutes(1));
}

TEST_F(SweepTest, WhatNobodyReadsIsHintedAtByThePollerAlone) {
  Show({Of(ORDER_STATUS_COMPLETED, hours(1)), Of(ORDER_STATUS_COMPLETED, hours(1))});
  search_.unreadable = {1};
  Start(shop_);
  Pass(hours(24), minutes(1));
  EXPECT_THAT(HintedOrders(), UnorderedElementsAre(IdText(0), IdText(1)));
  EXPECT_GT(SeriesOf(metrics_, telemetry::kSweepOrders, {"waiting"}).value_or(0), 20);
}

TEST_F(SweepTest, WhatIsDueLaterThanThePollerPutsOffIsHintedAtAgain) {
  Show({Of(ORDER_STATUS_COMPLETED, hours(1))});
  Start(shop_);
  Pass(seconds(2));
  const ports::FamilyState state = StateOf(0);
  ASSERT_TRUE(test::Await(context_,
                          store_.Set(state.entry.key, clock_.WallNow() + hours(24), state.due, {}))
                  .ok());
  Pass(hours(1) + minutes(1), minutes(1));
  EXPECT_THAT(HintedOrders(), ElementsAre(IdText(0), IdText(0)));
}

TEST_F(SweepTest, WhatASlowFirstPassFindsIsNoticedWhenItBegan) {
  settings_.hints_per_second = 1;
  search_.count = 60;
  search_.make = [this](std::uint32_t) { return Of(ORDER_STATUS_COMPLETED, hours(1)); };
  const auto began = std::chrono::floor<seconds>(clock_.WallNow());
  Start(shop_);
  Pass(minutes(2));
  for (const std::uint32_t number : {0U, 59U}) {
    const ports::FamilyState state = StateOf(number);
    ASSERT_TRUE(state.noticed) << number;
    EXPECT_TRUE(state.noticed->seen);
    EXPECT_EQ(std::chrono::floor<seconds>(state.noticed->at), began) << number;
  }
  const events::v1::Hint last = Hints().back();
  EXPECT_EQ(std::chrono::floor<seconds>(domain::ToWallTime(last.noticed_as_of())), began)
      << "should the store forget it";
  EXPECT_GT(domain::ToWallTime(last.noticed_at()), began + minutes(1) - seconds(2));
}

TEST_F(SweepTest, WhatALatePassFindsIsNoticedWhenItsPeriodBegan) {
  Start(shop_);
  Pass(seconds(2));
  search_.fail = [](const domain::Project&) { return absl::UnavailableError("no answer"); };
  const WallTime away = clock_.WallNow();
  Pass(hours(90), minutes(1));
  Show({Of(ORDER_STATUS_COMPLETED, hours(80))});
  search_.fail = nullptr;
  Pass(minutes(12));
  const ports::FamilyState state = StateOf(0);
  ASSERT_TRUE(state.noticed);
  EXPECT_LE(state.noticed->at, away);
  EXPECT_LE(domain::ToWallTime(Hints().back().noticed_as_of()), away);
}

TEST_F(SweepTest, HintsDoNotWaitForEachOtherButAreBounded) {
  settings_.hints_per_second = 1'000;
  std::vector<Order> orders(100, Of(common::v1::ORDER_STATUS_NEW, minutes(5)));
  Show(std::move(orders));
  SlowHintLog log(clock_);
  Run(Make(log), shop_);
  // The first 64 wait for nothing but the pace, the rest for one of them each.
  Pass(milliseconds(500), milliseconds(1));
  EXPECT_GE(log.appended, 100U);
  EXPECT_EQ(log.most, 64U);
}

TEST_F(SweepTest, HintsAndPagesKeepTheirPace) {
  settings_.hints_per_second = 10;
  settings_.pages_per_second = 1;
  search_.count = 1000;
  search_.make = [this](std::uint32_t) { return Of(ORDER_STATUS_COMPLETED, hours(1)); };
  Start(shop_);
  std::uint64_t pages = search_.pages;
  std::size_t hints = Hints().size();
  for (int second = 0; second < 60; ++second) {
    Pass(seconds(1));
    EXPECT_LE(Hints().size() - hints, 11U);
    EXPECT_LE(search_.pages - pages, 2U);
    hints = Hints().size();
    pages = search_.pages;
  }
  EXPECT_GT(hints, 500U);
}

/// Of this process, in MiB.
double ResidentMemory() {
  std::ifstream file("/proc/self/statm");
  double total = 0;
  double resident = 0;
  file >> total >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

TEST_F(SweepTest, TheFirstStartOnAProjectWithManyOldOrdersFloodsNobody) {
  constexpr std::uint32_t kOrders = 100'000;
  constexpr std::uint32_t kRecent = 500;
  search_.count = kOrders;
  search_.answers_nothing_to = "status:";
  search_.make = [this](std::uint32_t number) {
    const bool recent = number % (kOrders / kRecent) == 0;
    return Of(ORDER_STATUS_COMPLETED, recent ? hours(10) : hours(24 * 4 + number % 2'000));
  };
  Start(shop_);
  Pass(minutes(1), seconds(1));
  const double memory = ResidentMemory();
  for (int i = 0; i < 600 && !Progress().has_last_ended(); ++i) Pass(seconds(1), seconds(1));
  ASSERT_TRUE(Progress().has_last_ended());
  EXPECT_EQ(Hints().size(), kRecent) << "those that ended long ago get none";
  EXPECT_GE(search_.pages, kOrders / 100);
  EXPECT_EQ(search_.largest_page, 100) << "no more than a page is in memory";
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
  EXPECT_LT(ResidentMemory() - memory, 16.0);
#else
  (void)memory;
#endif
  const double took = static_cast<double>((domain::ToWallTime(Progress().last_ended()) -
                                           domain::ToWallTime(Progress().first_began()))
                                              .count()) /
                      1000;
  EXPECT_GE(took, kOrders / 100 / 5.0) << "seconds, at 5 pages a second";
}

TEST_F(SweepTest, APageWhoseHintsTakeLongerThanTheLeaseIsStillOurs) {
  settings_.hints_per_second = 1;
  search_.count = 100;
  search_.make = [this](std::uint32_t) { return Of(ORDER_STATUS_COMPLETED, hours(1)); };
  Start(shop_);
  Start(shop_);
  Pass(minutes(3));
  EXPECT_THAT(Hints(), SizeIs(100));
}

TEST_F(SweepTest, StopBeginsNoFurtherPage) {
  search_.count = 1000;
  search_.make = [this](std::uint32_t) { return Of(ORDER_STATUS_COMPLETED, hours(1)); };
  const std::shared_ptr<SearchSweep> sweep = Start(shop_);
  Pass(seconds(3));
  sweep->Stop();
  const std::uint64_t pages = search_.pages;
  Pass(minutes(1));
  EXPECT_EQ(search_.pages, pages);
  EXPECT_EQ(ended_, 1);
}

TEST_F(SweepTest, ShowsWhenTheLastPassEndedWhoeverMadeIt) {
  const std::string project = "shop";
  telemetry::Metrics idle;
  const auto watching = SearchSweep::Create({.payment_service = search_,
                                             .known_orders = store_.known_orders(),
                                             .state = store_.sweep_state(),
                                             .due_queue = store_,
                                             .hint_log = hints_,
                                             .clock = clock_,
                                             .rng = rng_,
                                             .metrics = idle},
                                            settings_);
  Start(shop_);
  Pass(seconds(2));
  const std::optional<double> ended = SeriesOf(metrics_, telemetry::kSweepEnded, {project});
  EXPECT_TRUE(ended.has_value());
  // The first one is at the next pass, and its search hangs.
  search_.fail = [](const domain::Project&) { return absl::UnavailableError("no answer"); };
  const ports::Context context;
  const auto lease =
      test::Await(context_, store_.sweep_state().Take(project, "another", seconds(30), context));
  ASSERT_TRUE(lease.ok() && lease->has_value());
  const auto looked = test::Await(context_, watching->Look(shop_));
  ASSERT_TRUE(looked.ok());
  EXPECT_EQ(SeriesOf(idle, telemetry::kSweepEnded, {project}), ended);
}

TEST_F(SweepTest, SaysNothingOfPassesThatTheStoreDoesNotShow) {
  const std::string project = "shop";
  const auto sweep = Make();
  search_.fail = [](const domain::Project&) { return absl::UnavailableError("no answer"); };
  EXPECT_FALSE(test::Await(context_, sweep->Look(shop_)).ok());
  EXPECT_EQ(SeriesOf(metrics_, telemetry::kSweepEnded, {project}), std::nullopt);
  search_.fail = nullptr;
  Run(sweep, shop_);
  Pass(seconds(2));
  const std::optional<double> ended = SeriesOf(metrics_, telemetry::kSweepEnded, {project});
  EXPECT_TRUE(ended.has_value());

  store_.SetAvailable(false);
  Pass(settings_.interval, seconds(10));
  EXPECT_EQ(SeriesOf(metrics_, telemetry::kSweepEnded, {project}), std::nullopt);
  // What fails is the search alone: the time of the last pass is known.
  search_.fail = [](const domain::Project&) { return absl::UnavailableError("no answer"); };
  store_.SetAvailable(true);
  Pass(settings_.interval, seconds(10));
  EXPECT_EQ(SeriesOf(metrics_, telemetry::kSweepEnded, {project}), ended);
}

}  // namespace
}  // namespace tollbridge::reconcile
