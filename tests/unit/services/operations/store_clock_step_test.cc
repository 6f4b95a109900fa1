// What a resolver makes of absence when the store's clock was set, or may have been
// (docs/design/operations.md#rule-4).

#include "base/telemetry/metric_definitions.h"
#include "tests/support/series.h"
#include "tests/unit/services/operations/engine_fixture.h"

namespace tollbridge::operations {
namespace {

using test::FakePaymentService;
using test::SeriesOf;

class StoreClockStepTest : public EngineTest {
 protected:
  StoreClockStepTest() {
    service_.AnswerNext(FakePaymentService::NoAnswer("timeout"));
    ShowNothing();
    Call("key");
  }
  /// Looks for so long, as often as there is something to look at.
  void LookFor(ports::Millis duration) {
    const BootTime end = clock_.BootNow() + duration;
    while (clock_.BootNow() < end) {
      clock_.Advance(settings_.absence_read_interval);
      Resolve();
    }
  }
  const ports::Millis quarantine_ = Quarantine(settings_, true);
  /// Enough for three looks, a minute apart.
  static constexpr ports::Millis kReads{200'000};
};

TEST_F(StoreClockStepTest, AStepForwardMakesNothingOld) {
  memory_.AdvanceTime(std::chrono::hours(1));
  LookFor(quarantine_ - ports::Millis(30'000));
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_UNKNOWN);
  EXPECT_EQ(SeriesOf(metrics_, telemetry::kStoreClockSteps, {"shop"}), 1);
  LookFor(kReads);
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_NOT_EXECUTED);
  EXPECT_EQ(SeriesOf(metrics_, telemetry::kStoreClockSteps, {"shop"}), 1);
}

TEST_F(StoreClockStepTest, WithoutAStepTheQuarantineIsEnough) {
  LookFor(quarantine_ + ports::Millis(90'000));
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_NOT_EXECUTED);
}

TEST_F(StoreClockStepTest, AProcessThatHasJustStartedHasSeenNoTimePass) {
  clock_.Advance(quarantine_);
  RestartResolver();
  LookFor(quarantine_ - ports::Millis(30'000));
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_UNKNOWN);
  LookFor(kReads);
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_NOT_EXECUTED);
}

TEST_F(StoreClockStepTest, WhatIsThereCountsAtOnce) {
  memory_.AdvanceTime(std::chrono::hours(1));
  Show(service_.MakeOrder(Request("other", 500)));
  Resolve();
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_DONE);
}

}  // namespace
}  // namespace tollbridge::operations
