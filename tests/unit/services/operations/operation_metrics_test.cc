// What the metrics say of operations, and when they say nothing.

#include "services/operations/operation_metrics.h"

#include <chrono>
#include <optional>
#include <string>

#include "base/telemetry/metric_definitions.h"
#include "tests/support/series.h"
#include "tests/unit/services/operations/engine_fixture.h"

namespace tollbridge::operations {
namespace {

using std::chrono::seconds;
using test::FakePaymentService;
using test::SeriesOf;

class OperationMetricsTest : public EngineTest {
 protected:
  std::optional<double> Passes() const {
    return SeriesOf(metrics_, telemetry::kResolverPasses, {TestProject().name});
  }
  std::optional<double> Unknown() const {
    return SeriesOf(metrics_, telemetry::kOperationsUnresolved, {TestProject().name, "unknown"});
  }
  std::optional<double> NeedReview() const {
    return SeriesOf(metrics_, telemetry::kOperationsNeedReview,
                    {TestProject().name, "LATE_EFFECT"});
  }
  std::optional<double> Oldest() const {
    return SeriesOf(metrics_, telemetry::kOldestUnresolvedOperation,
                    {TestProject().name, "unknown"});
  }
  std::optional<double> OldestRecord() const {
    return SeriesOf(metrics_, telemetry::kOldestUndrainedRecord, {TestProject().name});
  }

  /// One that stays, as that of a process does.
  std::unique_ptr<Resolver> resolver_ = std::make_unique<Resolver>(
      context_.get_executor(),
      Resolver::Ports{service_, store_, memory_, clock_, rng_, metrics_, memory_}, settings_,
      plans_, projects_, Keys());
  void Pass() { test::Await(context_, resolver_->Pass()); }
};

TEST_F(OperationMetricsTest, EveryMutationIsThereAtZeroInEachState) {
  CreateSeries(metrics_, plans_, projects_);
  const std::string rpc(kRpc);
  for (const std::string_view state : telemetry::kOperationStates) {
    EXPECT_EQ(
        SeriesOf(metrics_, telemetry::kOperations, {rpc, std::string(state), TestProject().name}),
        0)
        << state;
  }
  EXPECT_EQ(SeriesOf(metrics_, telemetry::kOperationsReplayed, {rpc}), 0);
  EXPECT_EQ(SeriesOf(metrics_, telemetry::kLateEffects, {rpc}), 0);
}

TEST_F(OperationMetricsTest, ACallThatIsAnsweredIsTimedAsAnswered) {
  const auto answered = [this] {
    return SeriesOf(metrics_, telemetry::kOperationSettled, {"answered"});
  };
  EXPECT_EQ(answered(), 0);
  Call("key");
  EXPECT_EQ(answered(), 1);
}

TEST_F(OperationMetricsTest, WhatShowedAnOutcomeIsTold) {
  const SettledTimes settled(metrics_);
  const auto count = [this](const std::string& how) {
    return SeriesOf(metrics_, telemetry::kOperationSettled, {how});
  };
  ports::FinishRequest finish;
  finish.sent_ago = seconds(2);
  for (const auto state : {v1::OPERATION_STATE_UNKNOWN, v1::OPERATION_STATE_NEEDS_REVIEW}) {
    finish.to = state;
    settled.Note(finish);
  }
  EXPECT_EQ(count("answered"), 0) << "that is no outcome";
  finish.to = v1::OPERATION_STATE_DONE;
  finish.knowledge = v1::KNOWLEDGE_RECOVERED;
  settled.Note(finish);
  finish.to = v1::OPERATION_STATE_NOT_EXECUTED;
  finish.by_resolver = true;
  finish.by_absence = true;
  settled.Note(finish);
  settled.NotePerson(seconds(5));
  EXPECT_EQ(count("recovered"), 1);
  EXPECT_EQ(count("absence"), 1);
  EXPECT_EQ(count("person"), 1);
  EXPECT_EQ(count("answered"), 0);
}

TEST_F(OperationMetricsTest, APassCountsOnlyIfTheStoreAnswered) {
  EXPECT_EQ(Passes(), 0);
  Pass();
  EXPECT_EQ(Passes(), 1);
  memory_.SetAvailable(false);
  Pass();
  Pass();
  EXPECT_EQ(Passes(), 1);
  memory_.SetAvailable(true);
  Pass();
  EXPECT_EQ(Passes(), 2);
}

TEST_F(OperationMetricsTest, GaugesGoWithTheStoreAndComeBackWithIt) {
  service_.AnswerNext(FakePaymentService::NoAnswer("connection reset"));
  Call("key");
  clock_.Advance(seconds(3));
  Pass();
  EXPECT_EQ(Unknown(), 1);
  EXPECT_EQ(NeedReview(), 0);
  EXPECT_GE(Oldest().value_or(0), 3);
  EXPECT_TRUE(OldestRecord().has_value());

  memory_.SetAvailable(false);
  Pass();
  EXPECT_EQ(Unknown(), std::nullopt);
  EXPECT_EQ(NeedReview(), std::nullopt);
  EXPECT_EQ(Oldest(), std::nullopt);
  EXPECT_EQ(OldestRecord(), std::nullopt);

  memory_.SetAvailable(true);
  Pass();
  EXPECT_EQ(Unknown(), 1);
  EXPECT_EQ(NeedReview(), 0);
  EXPECT_GE(Oldest().value_or(0), 3);
  EXPECT_TRUE(OldestRecord().has_value());
}

}  // namespace
}  // namespace tollbridge::operations
