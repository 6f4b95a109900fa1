#include "services/reconcile/outbox_drainer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <exception>
#include <map>
#include <string>
#include <vector>

#include "base/telemetry/metric_definitions.h"
#include "tests/support/async_test.h"
#include "tests/support/fakes/fake_clock.h"
#include "tests/support/fakes/fake_operation_log.h"
#include "tests/support/fakes/fake_refused_calls.h"
#include "tests/support/fakes/fake_store.h"
#include "tests/support/series.h"
#include "tollbridge/operations/v1/operations.pb.h"

namespace tollbridge::reconcile {
namespace {

using operations::v1::OperationRecord;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::SizeIs;

Uuid IdOf(std::uint8_t number) { return Uuid{{number}}; }

/// The outbox that the drainer takes from.
class FakeOutbox final : public ports::OperationOutbox {
 public:
  bool available = true;
  bool lose_drained = false;
  std::vector<std::size_t> limits;
  /// Whether others are kept away.
  bool in_hand = false;
  /// What is old enough to be retired.
  std::size_t old = 0;

  /// One more transition of this operation.
  void Add(std::uint8_t operation) {
    OperationRecord record;
    record.set_operation_id(IdOf(operation).ToString());
    record.mutable_transition()->set_number(++last_[operation]);
    records_.push_back({.place = std::to_string(++places_), .record = record});
  }
  /// Transitions that are not drained yet.
  std::size_t Left() const { return records_.size(); }

  Async<std::vector<ports::UndrainedRecord>> Take(const std::string& /*project*/, std::size_t limit,
                                                  ports::Millis /*lease*/,
                                                  const ports::Context&) override {
    limits.push_back(limit);
    if (!available) co_return absl::UnavailableError("the store is down");
    in_hand = !records_.empty();
    co_return std::vector(records_.begin(), records_.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                                   limit, records_.size())));
  }
  AsyncStatus Drained(const std::string& /*project*/,
                      const std::vector<ports::UndrainedRecord>& records,
                      const ports::Context&) override {
    if (!available || lose_drained) co_return absl::UnavailableError("the store is down");
    in_hand = false;
    for (const ports::UndrainedRecord& drained : records) {
      std::erase_if(records_, [&](const auto& one) { return one.place == drained.place; });
    }
    co_return absl::OkStatus();
  }
  Async<std::size_t> Retire(const std::string& /*project*/, std::size_t limit,
                            const ports::Context&) override {
    if (!available) co_return absl::UnavailableError("the store is down");
    const std::size_t count = std::min(limit, old);
    old -= count;
    co_return count;
  }

 private:
  std::map<std::uint8_t, std::uint32_t> last_;
  std::vector<ports::UndrainedRecord> records_;
  int places_ = 0;
};

class OutboxDrainerTest : public ::testing::Test {
 protected:
  std::shared_ptr<OutboxDrainer> Start() {
    std::shared_ptr<OutboxDrainer> drainer = OutboxDrainer::Create({.outbox = outbox_,
                                                                    .refused_calls = refused_calls_,
                                                                    .log = log_,
                                                                    .clock = clock_,
                                                                    .metrics = metrics_},
                                                                   settings_);
    const auto ended = [this](std::exception_ptr error) {
      EXPECT_FALSE(error);
      ++ended_;
    };
    boost::asio::co_spawn(context_, drainer->Run("shop"), ended);
    boost::asio::co_spawn(context_, drainer->RunRefused("shop"), ended);
    Settle();
    return drainer;
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
  /// The transitions of an operation as they lie in the log.
  std::vector<std::uint32_t> Numbers(std::uint8_t operation) const {
    std::vector<std::uint32_t> numbers;
    for (const OperationRecord& record : log_.records()) {
      if (record.operation_id() == IdOf(operation).ToString()) {
        numbers.push_back(record.transition().number());
      }
    }
    return numbers;
  }
  /// One more refused call waits.
  void Refuse(int number) {
    OperationRecord record;
    record.mutable_privileged()->set_id("action-" + std::to_string(number));
    record.mutable_privileged()->mutable_refused_call()->set_permission("operations.resolve");
    refused_calls_.Add(record);
  }
  /// The refused calls as they lie in the log.
  std::vector<std::string> Actions() const {
    std::vector<std::string> ids;
    for (const OperationRecord& record : log_.records()) {
      if (record.has_privileged()) ids.push_back(record.privileged().id());
    }
    return ids;
  }
  /// Appends under way at a time, at most so far.
  void CountAppends() {
    log_.during_append = [this](const OperationRecord&) -> boost::asio::awaitable<void> {
      most_ = std::max(most_, ++under_way_);
      co_await clock_.Sleep(milliseconds(100));
      --under_way_;
    };
  }

  boost::asio::io_context context_;
  test::FakeClock clock_;
  FakeOutbox outbox_;
  test::FakeRefusedCalls refused_calls_;
  test::FakeOperationLog log_;
  telemetry::Metrics metrics_;
  DrainerSettings settings_;
  int ended_ = 0;
  int under_way_ = 0;
  int most_ = 0;
};

TEST_F(OutboxDrainerTest, BringsEachTransitionToTheTopicInItsOrderAndOutOfTheOutbox) {
  for (int i = 0; i < 3; ++i) outbox_.Add(1);
  outbox_.Add(2);
  Start();
  EXPECT_THAT(Numbers(1), ElementsAre(1, 2, 3));
  EXPECT_THAT(Numbers(2), ElementsAre(1));
  EXPECT_EQ(outbox_.Left(), 0U);
  outbox_.Add(1);
  Pass(settings_.interval);
  EXPECT_THAT(Numbers(1), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(outbox_.Left(), 0U);
}

TEST_F(OutboxDrainerTest, ARecordWaitsForTheDeliveryReportOfTheOneBefore) {
  for (int i = 0; i < 3; ++i) outbox_.Add(1);
  CountAppends();
  Start();
  EXPECT_THAT(Numbers(1), ElementsAre());
  Pass(milliseconds(100));
  EXPECT_THAT(Numbers(1), ElementsAre(1));
  EXPECT_EQ(outbox_.Left(), 3U) << "nothing leaves the outbox before the end";
  Pass(milliseconds(200));
  EXPECT_THAT(Numbers(1), ElementsAre(1, 2, 3));
  EXPECT_EQ(outbox_.Left(), 0U);
  EXPECT_EQ(most_, 1);
}

TEST_F(OutboxDrainerTest, OperationsDoNotWaitForEachOtherButAreBounded) {
  settings_.at_once = 4;
  for (std::uint8_t i = 1; i <= 12; ++i) outbox_.Add(i);
  CountAppends();
  Start();
  Pass(milliseconds(300));
  EXPECT_EQ(outbox_.Left(), 0U);
  EXPECT_EQ(most_, 4);
}

TEST_F(OutboxDrainerTest, AFullPassIsFollowedAtOnceByTheNext) {
  settings_.per_pass = 5;
  for (std::uint8_t i = 1; i <= 12; ++i) outbox_.Add(i);
  Start();
  EXPECT_EQ(outbox_.Left(), 0U) << "without an interval between them";
  EXPECT_THAT(outbox_.limits, ElementsAre(5, 5, 5));
}

TEST_F(OutboxDrainerTest, WhileTheTopicIsAwayNothingIsLostAndItIsAskedLessAndLessOften) {
  for (std::uint8_t i = 1; i <= 40; ++i) outbox_.Add(i);
  log_.SetReachable(false);
  Start();
  Pass(minutes(10));
  EXPECT_EQ(outbox_.Left(), 40U);
  EXPECT_LE(log_.calls(), 32U + 50U) << "one pass in full, then one operation every 15 s";
  log_.SetReachable(true);
  Pass(minutes(1));
  EXPECT_EQ(outbox_.Left(), 0U);
  EXPECT_EQ(log_.records().size(), 40U);
}

/// It may be away for this process alone.
TEST_F(OutboxDrainerTest, WhoDoesNotReachTheTopicKeepsNobodyElseFromIt) {
  outbox_.Add(1);
  log_.SetReachable(false);
  const std::shared_ptr<OutboxDrainer> drainer = Start();
  EXPECT_GT(log_.calls(), 0U);
  EXPECT_FALSE(outbox_.in_hand);
  EXPECT_EQ(outbox_.Left(), 1U);
  log_.SetReachable(true);
  log_.refuse_operation = IdOf(1).ToString();
  Pass(minutes(1));
  EXPECT_FALSE(outbox_.in_hand) << "nor does one that the topic does not take";
}

TEST_F(OutboxDrainerTest, WhatWasDeliveredBeforeTheTopicWentAwayIsNotDeliveredAgain) {
  for (int i = 0; i < 3; ++i) outbox_.Add(1);
  log_.during_append = [this](const OperationRecord& record) -> boost::asio::awaitable<void> {
    log_.SetReachable(record.transition().number() != 3);
    co_return;
  };
  Start();
  EXPECT_THAT(Numbers(1), ElementsAre(1, 2));
  EXPECT_EQ(outbox_.Left(), 1U);
  log_.during_append = nullptr;
  log_.SetReachable(true);
  Pass(minutes(1));
  EXPECT_THAT(Numbers(1), ElementsAre(1, 2, 3));
}

TEST_F(OutboxDrainerTest, ARecordThatCouldNotBeMarkedComesAgainAsAnExactCopy) {
  outbox_.Add(1);
  outbox_.lose_drained = true;
  Start();
  EXPECT_THAT(Numbers(1), ElementsAre(1));
  outbox_.lose_drained = false;
  Pass(minutes(1));
  ASSERT_THAT(Numbers(1), ElementsAre(1, 1));
  EXPECT_EQ(log_.records()[0].SerializeAsString(), log_.records()[1].SerializeAsString());
  EXPECT_EQ(outbox_.Left(), 0U);
}

TEST_F(OutboxDrainerTest, AStoreThatIsDownIsAskedLessAndLessOften) {
  outbox_.available = false;
  outbox_.Add(1);
  Start();
  Pass(minutes(2));
  EXPECT_LE(outbox_.limits.size(), 20U);
  outbox_.available = true;
  Pass(seconds(15));
  EXPECT_THAT(Numbers(1), ElementsAre(1));
}

TEST_F(OutboxDrainerTest, ARecordThatTheTopicNeverTakesHoldsUpNoOtherOperation) {
  outbox_.Add(1);
  outbox_.Add(2);
  settings_.at_once = 1;
  log_.refuse_operation = IdOf(1).ToString();
  Start();
  EXPECT_THAT(Numbers(2), ElementsAre(1));
  outbox_.Add(2);
  Pass(settings_.interval);
  EXPECT_THAT(Numbers(2), ElementsAre(1, 2));
  EXPECT_EQ(outbox_.Left(), 1U) << "it stays, and is tried again";
}

TEST_F(OutboxDrainerTest, RetiresWhatIsOldEnoughPassAfterPass) {
  settings_.per_pass = 5;
  outbox_.old = 12;
  Start();
  EXPECT_EQ(outbox_.old, 0U) << "without an interval between full passes";
  outbox_.old = 1;
  Pass(settings_.interval);
  EXPECT_EQ(outbox_.old, 0U);
}

TEST_F(OutboxDrainerTest, APassOfWhatTheTopicNeverTakesIsNotRepeatedAtOnce) {
  settings_.per_pass = 1;
  outbox_.Add(1);
  log_.refuse_operation = IdOf(1).ToString();
  Start();
  Pass(settings_.interval * 10);
  EXPECT_LE(outbox_.limits.size(), 12U);
}

TEST_F(OutboxDrainerTest, TheTransitionsOfARecordReachTheTopicAndLeaveItsOutbox) {
  test::FakeStore store([this] { return clock_.WallNow(); });
  const ports::Context within{.deadline = clock_.BootNow() + seconds(5), .trace = {}};
  const ports::OperationIdentity identity{.id = IdOf(7),
                                          .rpc = "tollbridge.payments.v1.Payments/CreateOrder",
                                          .project = "shop",
                                          .fingerprints = {{.key_id = "k1", .digest = "digest"}}};
  const ports::ClaimResult claimed = *test::Await(
      context_,
      store.Claim({.identity = identity, .owner = "owner", .lease = seconds(30)}, within));
  ports::FinishRequest finish;
  finish.identity = identity;
  finish.attempt = claimed.attempt;
  finish.epoch = claimed.epoch;
  finish.owner = "owner";
  finish.to = operations::v1::OPERATION_STATE_UNKNOWN;
  finish.reason = "a reset";
  ASSERT_TRUE(test::Await(context_, store.Finish(finish, within)).ok());

  const std::shared_ptr<OutboxDrainer> drainer =
      OutboxDrainer::Create({.outbox = store,
                             .refused_calls = refused_calls_,
                             .log = log_,
                             .clock = clock_,
                             .metrics = metrics_},
                            settings_);
  EXPECT_EQ(*test::Await(context_, drainer->DrainOnce("shop", 10)), 2U);
  ASSERT_EQ(log_.records().size(), 2U);
  EXPECT_EQ(log_.records()[0].transition().to(), operations::v1::OPERATION_STATE_RUNNING);
  EXPECT_EQ(log_.records()[1].transition().to(), operations::v1::OPERATION_STATE_UNKNOWN);
  EXPECT_EQ(log_.records()[1].transition().evidence(), "a reset");
  EXPECT_EQ(log_.records()[1].operation_id(), IdOf(7).ToString());
  EXPECT_EQ(log_.records()[1].project(), "shop");
  EXPECT_EQ(*test::Await(context_, drainer->DrainOnce("shop", 10)), 0U);
}

TEST_F(OutboxDrainerTest, StopEndsItAndBeginsNothingMore) {
  settings_.at_once = 1;
  for (std::uint8_t i = 1; i <= 3; ++i) outbox_.Add(i);
  CountAppends();
  const std::shared_ptr<OutboxDrainer> drainer = Start();
  drainer->Stop();
  Pass(settings_.interval);
  EXPECT_EQ(ended_, 2);
  EXPECT_EQ(log_.records().size(), 1U) << "what was under way";
}

TEST_F(OutboxDrainerTest, BringsRefusedCallsToTheTopicAndOutOfTheStore) {
  for (int i = 1; i <= 3; ++i) Refuse(i);
  outbox_.Add(1);
  Start();
  EXPECT_THAT(Actions(), ElementsAre("action-1", "action-2", "action-3"));
  EXPECT_THAT(refused_calls_.records(), SizeIs(0));
  EXPECT_THAT(Numbers(1), ElementsAre(1));
  EXPECT_EQ(log_.records().back().privileged().refused_call().permission(), "operations.resolve");
  Refuse(4);
  Pass(settings_.interval);
  EXPECT_THAT(Actions(), SizeIs(4));
  EXPECT_EQ(test::SeriesOf(metrics_, telemetry::kRefusedCallRecords), 4);
  EXPECT_EQ(test::SeriesOf(metrics_, telemetry::kOperationRecords), 1);
}

TEST_F(OutboxDrainerTest, ARefusedCallLeavesTheStoreAfterItsDeliveryReport) {
  Refuse(1);
  CountAppends();
  Start();
  EXPECT_THAT(refused_calls_.records(), SizeIs(1));
  Pass(milliseconds(100));
  EXPECT_THAT(refused_calls_.records(), SizeIs(0));
}

TEST_F(OutboxDrainerTest, RefusedCallsThatCannotBeTakenHoldUpNoTransition) {
  refused_calls_.available = false;
  Start();
  for (int i = 1; i <= 20; ++i) {
    outbox_.Add(1);
    Pass(settings_.interval);
    ASSERT_EQ(outbox_.Left(), 0U) << i;
  }
  EXPECT_LE(refused_calls_.takes, 8U) << "they are asked for less and less often";
}

TEST_F(OutboxDrainerTest, AnOutboxThatCannotBeTakenHoldsUpNoRefusedCall) {
  outbox_.available = false;
  Start();
  for (int i = 1; i <= 20; ++i) {
    Refuse(i);
    Pass(settings_.interval);
    ASSERT_THAT(refused_calls_.records(), SizeIs(0)) << i;
  }
}

TEST_F(OutboxDrainerTest, OneThatTheTopicNeverTakesHoldsUpNoOtherRefusedCall) {
  settings_.per_pass = 2;
  for (int i = 1; i <= 5; ++i) Refuse(i);
  log_.refuse_operation = "action-1";
  Start();
  EXPECT_THAT(Actions(), ElementsAre("action-2", "action-3", "action-4", "action-5"));
  Refuse(6);
  Pass(settings_.interval);
  EXPECT_THAT(Actions(), SizeIs(5));
  EXPECT_THAT(refused_calls_.records(), SizeIs(1)) << "it stays, and is tried again";
}

TEST_F(OutboxDrainerTest, NoRefusedCallIsLostWhileTheTopicOrTheStoreIsAway) {
  settings_.per_pass = 3;
  for (int i = 1; i <= 7; ++i) Refuse(i);
  log_.SetReachable(false);
  Start();
  Pass(minutes(5));
  EXPECT_THAT(refused_calls_.records(), SizeIs(7));
  log_.SetReachable(true);
  Pass(seconds(15));
  EXPECT_THAT(Actions(), SizeIs(7));

  Refuse(8);
  refused_calls_.lose_drained = true;
  Pass(settings_.interval);
  refused_calls_.lose_drained = false;
  Pass(seconds(15));
  EXPECT_THAT(refused_calls_.records(), SizeIs(0));
  const std::size_t count = log_.records().size();
  ASSERT_GE(count, 9U);
  EXPECT_EQ(log_.records()[count - 1].SerializeAsString(),
            log_.records()[count - 2].SerializeAsString())
      << "as an exact copy";
}

}  // namespace
}  // namespace tollbridge::reconcile
