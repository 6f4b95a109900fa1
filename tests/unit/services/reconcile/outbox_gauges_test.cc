#include "services/reconcile/outbox_gauges.h"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <optional>

#include "base/telemetry/metric_definitions.h"
#include "tests/support/async_test.h"
#include "tests/support/fakes/fake_clock.h"
#include "tests/support/fakes/fake_store.h"
#include "tests/support/series.h"

namespace tollbridge::reconcile {
namespace {

using std::chrono::seconds;

class OutboxGaugesTest : public ::testing::Test {
 protected:
  void Save(std::uint8_t number, WallTime noticed_at) {
    const ports::Context within{.deadline = clock_.BootNow() + seconds(5), .trace = {}};
    ports::SaveRequest request{.key = {.project = "shop", .root = Uuid{{number}}},
                               .noticed_at = noticed_at,
                               .retention = seconds(1000)};
    request.snapshot.set_epoch(test::Await(context_, store_.Load(request.key, within))->epoch);
    request.outbox.add_entries()->set_id("event");
    ASSERT_TRUE(test::Await(context_, store_.Save(request, within)).ok());
  }
  void Measure() { test::Await(context_, gauges_->Measure("shop")); }
  std::optional<double> Pending() const {
    return test::SeriesOf(metrics_, telemetry::kOutboxesPending, {"shop"});
  }
  std::optional<double> Oldest() const {
    return test::SeriesOf(metrics_, telemetry::kOldestOutbox, {"shop"});
  }

  boost::asio::io_context context_;
  test::FakeClock clock_;
  telemetry::Metrics metrics_;
  test::FakeStore store_{[this] { return clock_.WallNow(); }};
  std::shared_ptr<OutboxGauges> gauges_ =
      OutboxGauges::Create({.snapshots = store_, .clock = clock_, .metrics = metrics_});
};

TEST_F(OutboxGaugesTest, TheyCountOutboxesAndShowTheAgeOfTheOldest) {
  Measure();
  EXPECT_EQ(Pending(), 0);
  EXPECT_EQ(Oldest(), 0);
  Save(1, clock_.WallNow() - seconds(3));
  Save(2, clock_.WallNow() - seconds(40));
  Measure();
  EXPECT_EQ(Pending(), 2);
  EXPECT_EQ(Oldest(), 40);
}

TEST_F(OutboxGaugesTest, WhileTheStoreCannotBeAskedTheyAreLeftOut) {
  Save(1, clock_.WallNow());
  Measure();
  ASSERT_EQ(Pending(), 1);
  store_.SetAvailable(false);
  Measure();
  EXPECT_EQ(Pending(), std::nullopt);
  EXPECT_EQ(Oldest(), std::nullopt);
}

TEST_F(OutboxGaugesTest, TheyAreMeasuredEveryFewSecondsUntilStop) {
  bool ended = false;
  boost::asio::co_spawn(context_, gauges_->Run("shop"), [&](std::exception_ptr) { ended = true; });
  ASSERT_TRUE(test::RunUntil(context_, [&] { return clock_.sleepers() == 1; }));
  EXPECT_EQ(Pending(), 0);
  Save(1, clock_.WallNow());
  clock_.Advance(seconds(5));
  ASSERT_TRUE(test::RunUntil(context_, [&] { return Pending() == 1; }));
  gauges_->Stop();
  clock_.Advance(seconds(5));
  EXPECT_TRUE(test::RunUntil(context_, [&] { return ended; }));
}

}  // namespace
}  // namespace tollbridge::reconcile
