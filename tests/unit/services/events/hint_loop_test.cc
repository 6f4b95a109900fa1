#include "services/events/hint_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/telemetry/log.h"
#include "services/domain/errors.h"
#include "tests/unit/services/events/hint_fixture.h"

namespace tollbridge::events {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class HintLoopTest : public HintFixture {};

constexpr auto kNew = common::v1::ORDER_STATUS_NEW;
constexpr auto kCompleted = common::v1::ORDER_STATUS_COMPLETED;

TEST_F(HintLoopTest, AHintLeadsToItsEventAndItsOffsetIsFinished) {
  reads_.Show(MakeOrder(kCompleted));
  StartLoop();
  PutHint(41);
  EXPECT_THAT(Types(),
              ElementsAre("tollbridge.payment.created.v1", "tollbridge.payment.completed.v1"));
  EXPECT_THAT(feed_.stored[0], ElementsAre(42));
}

TEST_F(HintLoopTest, OneSlowOrderHoldsUpItsOffsetButNoOtherOrder) {
  reads_.Show(MakeOrder(kNew));
  reads_.Show(MakeOrder(kNew, kOtherOrderId));
  HoldReadsOf(kOrderId);
  StartLoop();
  PutHint(0);
  PutHint(1, kOtherOrderId);
  EXPECT_EQ(events_.events.size(), 1U) << "the other order is done";
  EXPECT_THAT(feed_.stored[0], ElementsAre(0));
  ReleaseReads();
  EXPECT_EQ(events_.events.size(), 2U);
  EXPECT_THAT(feed_.stored[0], ElementsAre(0, 2));
}

TEST_F(HintLoopTest, HintsDuringAReadMakeOneMoreReadASecondLater) {
  reads_.Show(MakeOrder(kNew));
  HoldReadsOf(kOrderId);
  StartLoop();
  PutHint(0);
  for (std::int64_t offset = 1; offset < 6; ++offset) PutHint(offset);
  ReleaseReads();
  EXPECT_EQ(ReadsOf(kOrderId), 1U) << "at most one read a second";
  EXPECT_THAT(feed_.stored[0], ElementsAre(1));
  Pass(seconds(1));
  EXPECT_EQ(ReadsOf(kOrderId), 2U);
  EXPECT_EQ(feed_.stored[0].back(), 6);
  Pass(seconds(5));
  EXPECT_EQ(ReadsOf(kOrderId), 2U);
}

TEST_F(HintLoopTest, AHintSoonAfterAReadKeepsTheDistanceOfOneSecond) {
  reads_.Show(MakeOrder(kNew));
  StartLoop();
  PutHint(0);
  Pass(milliseconds(500));
  PutHint(1);
  EXPECT_EQ(ReadsOf(kOrderId), 1U);
  Pass(milliseconds(500));
  EXPECT_EQ(ReadsOf(kOrderId), 2U);
}

TEST_F(HintLoopTest, WhileRedisIsDownThePartitionPausesAndResumesByItself) {
  reads_.Show(MakeOrder(kNew));
  store_.SetAvailable(false);
  StartLoop();
  PutHint(0);
  EXPECT_TRUE(feed_.paused[0]);
  Pass(minutes(10));
  EXPECT_TRUE(feed_.paused[0]) << "no number of tries ends it";
  EXPECT_THAT(feed_.stored[0], IsEmpty());
  store_.SetAvailable(true);
  Pass(seconds(15));
  EXPECT_FALSE(feed_.paused[0]);
  EXPECT_EQ(events_.events.size(), 1U);
  EXPECT_THAT(feed_.stored[0], ElementsAre(1));
}

TEST_F(HintLoopTest, TriesBecomeRareWhileSomethingIsDownAlsoOfManyOrders) {
  store_.SetAvailable(false);
  StartLoop();
  PutHint(0);
  PutHint(1, kOtherOrderId);
  Pass(minutes(5));
  EXPECT_GE(store_.calls(), 20U);
  EXPECT_LE(store_.calls(), 60U);
}

TEST_F(HintLoopTest, WhileKafkaIsDownAHintStaysUnfinishedAndEachEventComesInTheEnd) {
  reads_.Show(MakeOrder(kCompleted));
  events_.down = absl::UnavailableError("no acknowledgement");
  StartLoop();
  PutHint(0);
  Pass(minutes(1));
  EXPECT_THAT(feed_.stored[0], IsEmpty());
  events_.down = absl::OkStatus();
  Pass(minutes(1));
  EXPECT_EQ(events_.events.size(), 2U);
  EXPECT_EQ(ReadsOf(kOrderId), 2U) << "decided once, then published from the outbox and read again";
  EXPECT_THAT(feed_.stored[0], ElementsAre(1));
}

TEST_F(HintLoopTest, AnUnreachablePaymentServicePausesWithoutGivingUp) {
  reads_.Show(MakeOrder(kNew));
  reads_.FailAll(domain::MakeError(absl::StatusCode::kUnavailable, "the breaker is open",
                                   {.reason = domain::reason::kNotSent}));
  StartLoop();
  PutHint(0);
  Pass(minutes(5));
  EXPECT_TRUE(feed_.paused[0]);
  EXPECT_EQ(DueTime(), std::nullopt);
  reads_.FailAll(absl::OkStatus());
  Pass(seconds(15));
  EXPECT_FALSE(feed_.paused[0]);
  EXPECT_EQ(events_.events.size(), 1U);
}

// As when the breaker of one project is open, and another's payment service answers.
TEST_F(HintLoopTest, WhatIsDownForSomeOrdersHoldsUpNoOthers) {
  reads_.Show(MakeOrder(kNew));
  reads_.Show(MakeOrder(kNew, kOtherOrderId));
  StartLoop();
  PutHint(0, kOtherOrderId);
  reads_.Fail(kOrderId, domain::MakeError(absl::StatusCode::kUnavailable, "the breaker is open",
                                          {.reason = domain::reason::kNotSent}));
  PutHint(1);
  for (std::int64_t offset = 2; offset < 62; ++offset) {
    Pass(seconds(1));
    PutHint(offset, kOtherOrderId);
    EXPECT_EQ(ReadsOf(kOtherOrderId), static_cast<std::size_t>(offset)) << "none waits";
  }
  EXPECT_EQ(feed_.pauses[0], 0);
  EXPECT_THAT(feed_.stored[0], ElementsAre(1));
  reads_.Fail(kOrderId, absl::OkStatus());
  Pass(seconds(15));
  EXPECT_EQ(feed_.stored[0].back(), 62);
}

TEST_F(HintLoopTest, APartitionThatWentWellPausesWhenNothingDoesFor15Seconds) {
  reads_.Show(MakeOrder(kNew));
  StartLoop();
  PutHint(0, kOtherOrderId);
  store_.SetAvailable(false);
  PutHint(1);
  Pass(seconds(10));
  EXPECT_FALSE(feed_.paused[0]);
  Pass(seconds(20));
  EXPECT_TRUE(feed_.paused[0]);
  Pass(minutes(5));
  EXPECT_EQ(feed_.pauses[0], 1) << "one decision";
  store_.SetAvailable(true);
  Pass(seconds(15));
  EXPECT_FALSE(feed_.paused[0]);
}

TEST_F(HintLoopTest, ARevokedPartitionStoresNoOffsetAndDropsWhatWaits) {
  reads_.Show(MakeOrder(kNew));
  HoldReadsOf(kOrderId);
  StartLoop();
  PutHint(0);
  PutHint(1);
  feed_.Revoke({0});
  ReleaseReads();
  Pass(seconds(3));
  EXPECT_EQ(ReadsOf(kOrderId), 1U);
  EXPECT_THAT(feed_.stored[0], IsEmpty());
}

TEST_F(HintLoopTest, APartitionThatComesBackIsReadFromItsNewBeginning) {
  reads_.Show(MakeOrder(kNew));
  StartLoop();
  PutHint(7);
  feed_.Revoke({0});
  Pass(seconds(2));
  PutHint(3);
  EXPECT_THAT(feed_.stored[0], ElementsAre(8, 4));
}

// The log was cut off, or the topic made anew, and the group still has the partition.
TEST_F(HintLoopTest, OffsetsThatGoBackAreFinishedAgain) {
  reads_.Show(MakeOrder(kNew));
  reads_.Show(MakeOrder(kNew, kOtherOrderId));
  HoldReadsOf(kOrderId);
  StartLoop();
  PutHint(10);
  PutHint(11);
  PutHint(3, kOtherOrderId);
  EXPECT_THAT(feed_.stored[0], ElementsAre(4)) << "10 is a record of the log before";
  ReleaseReads();
  Pass(seconds(1));
  EXPECT_EQ(ReadsOf(kOrderId), 2U) << "what was taken before is not forgotten";
  PutHint(4, kOtherOrderId);
  Pass(seconds(1));
  EXPECT_THAT(feed_.stored[0], ElementsAre(4, 5));
}

TEST_F(HintLoopTest, WhenTheLogHasGoneBackNoOffsetOfTheOneBeforeIsStoredAgain) {
  reads_.Show(MakeOrder(kNew));
  reads_.Show(MakeOrder(kNew, kOtherOrderId));
  HoldReadsOf(kOrderId);
  StartLoop();
  PutHint(10, kOtherOrderId);
  ASSERT_THAT(feed_.stored[0], ElementsAre(11)) << "nothing is under way";
  PutHint(0);
  Pass(seconds(2));
  PutHint(1, kOtherOrderId);
  Pass(seconds(2));
  EXPECT_THAT(feed_.stored[0], ElementsAre(11, 0)) << "0 is not finished";
}

TEST_F(HintLoopTest, APartitionThatIsFullReadsOnWhenTheLogHasGoneBack) {
  settings_.max_unfinished = 2;
  reads_.Show(MakeOrder(kNew));
  HoldReadsOf(kOrderId);
  StartLoop();
  PutHint(10);
  PutHint(11);
  EXPECT_TRUE(feed_.paused[0]);
  PutHint(3, kOtherOrderId);
  EXPECT_FALSE(feed_.paused[0]);
  feed_.Revoke({0});
  ReleaseReads();
  Pass(seconds(3));
  EXPECT_EQ(ReadsOf(kOrderId), 1U) << "the lanes of the log before end with the assignment";
}

TEST_F(HintLoopTest, TooManyUnfinishedHintsPauseThePartitionUntilHalfAreDone) {
  settings_.max_unfinished = 4;
  reads_.Show(MakeOrder(kNew));
  HoldReadsOf(kOrderId);
  StartLoop();
  for (std::int64_t offset = 0; offset < 3; ++offset) PutHint(offset);
  EXPECT_FALSE(feed_.paused[0]);
  PutHint(3);
  EXPECT_TRUE(feed_.paused[0]);
  ReleaseReads();
  EXPECT_TRUE(feed_.paused[0]);
  Pass(seconds(1));
  EXPECT_FALSE(feed_.paused[0]);
  EXPECT_EQ(feed_.stored[0].back(), 4);
}

TEST_F(HintLoopTest, NoMoreReadsRunAtATimeThanAreAllowed) {
  settings_.max_reads = 1;
  reads_.Show(MakeOrder(kNew));
  reads_.Show(MakeOrder(kNew, kOtherOrderId));
  HoldReadsOf(kOrderId);
  StartLoop();
  PutHint(0);
  PutHint(1, kOtherOrderId);
  EXPECT_EQ(ReadsOf(kOtherOrderId), 0U);
  ReleaseReads();
  EXPECT_EQ(ReadsOf(kOtherOrderId), 1U);
}

TEST_F(HintLoopTest, ASlowProjectTakesHalfOfTheReadsAtMost) {
  settings_.max_reads = 4;
  AddDesk();
  reads_.during_read = [this](const std::string&) -> boost::asio::awaitable<void> {
    if (!released_) {
      co_await gate_.async_receive(boost::asio::as_tuple(boost::asio::use_awaitable));
    }
  };
  StartLoop();
  for (int i = 0; i < 6; ++i) {
    std::string id = kOrderId;
    id[0] = static_cast<char>('0' + i);
    PutHint(i, id);
  }
  EXPECT_EQ(reads_.reads().size(), 2U);
  const telemetry::LogCapture capture;
  PutHintOfDesk(6);
  EXPECT_THAT(capture.lines(), ElementsAre(HasSubstr("\"project\":\"desk\"")))
      << "it has its turn at once";
  for (int i = 0; i < 6; ++i) ReleaseReads();
  EXPECT_EQ(reads_.reads().size(), 6U) << "each in its turn";
}

TEST_F(HintLoopTest, AProjectInTroubleAlonePausesNoPartition) {
  AddDesk();
  reads_.Show(MakeOrder(kNew));
  StartLoop();
  PutHintOfDesk(0);
  Pass(minutes(1));
  EXPECT_FALSE(feed_.paused[0]) << "the other project has nothing to read, and is well";
  PutHint(1);
  EXPECT_EQ(ReadsOf(kOrderId), 1U);
  store_.SetAvailable(false);
  PutHint(2);
  Pass(minutes(1));
  EXPECT_TRUE(feed_.paused[0]) << "now both are in trouble";
}

TEST_F(HintLoopTest, TellsSinceWhenTheOldestHintWaits) {
  reads_.Show(MakeOrder(kNew));
  reads_.Show(MakeOrder(kNew, kOtherOrderId));
  HoldReadsOf(kOrderId);
  StartLoop();
  EXPECT_EQ(loop_->OldestHint(), std::nullopt);
  const WallTime began = clock_.WallNow();
  PutHint(5, kOrderId, /*partition=*/1);
  Pass(seconds(10));
  PutHint(0, kOtherOrderId);
  EXPECT_EQ(loop_->OldestHint(), began);
  ReleaseReads();
  EXPECT_EQ(loop_->OldestHint(), std::nullopt);
}

TEST_F(HintLoopTest, ARevokedPartitionHasNoOldestHint) {
  reads_.Show(MakeOrder(kNew));
  HoldReadsOf(kOrderId);
  StartLoop();
  PutHint(0);
  feed_.Revoke({0});
  EXPECT_EQ(loop_->OldestHint(), std::nullopt);
  ReleaseReads();
}

TEST_F(HintLoopTest, StopLetsWhatIsInWorkEndAndStoresItsOffset) {
  reads_.Show(MakeOrder(kNew));
  HoldReadsOf(kOrderId);
  StartLoop();
  PutHint(0);
  PutHint(1);
  std::optional<absl::Status> stopped;
  boost::asio::co_spawn(context_, loop_->Stop(clock_.BootNow() + seconds(20)),
                        [&](std::exception_ptr, absl::Status status) { stopped = status; });
  Settle();
  EXPECT_FALSE(stopped) << "a read is under way";
  ReleaseReads();
  EXPECT_EQ(stopped, absl::OkStatus());
  EXPECT_THAT(feed_.stored[0], ElementsAre(1)) << "the second hint is left to the next reader";
  EXPECT_TRUE(feed_.stopped);
  EXPECT_TRUE(run_ended_);
  Pass(seconds(30));
}

TEST_F(HintLoopTest, StopDoesNotWaitBeyondItsDeadline) {
  reads_.Show(MakeOrder(kNew));
  HoldReadsOf(kOrderId);
  StartLoop();
  PutHint(0);
  std::optional<absl::Status> stopped;
  boost::asio::co_spawn(context_, loop_->Stop(clock_.BootNow() + seconds(2)),
                        [&](std::exception_ptr, absl::Status status) { stopped = status; });
  Pass(seconds(1));
  EXPECT_FALSE(stopped);
  Pass(seconds(2));
  EXPECT_EQ(stopped, absl::OkStatus());
  EXPECT_THAT(feed_.stored[0], IsEmpty());
  ReleaseReads();
}

TEST_F(HintLoopTest, StopWhileEverythingIsDownEndsAtOnce) {
  store_.SetAvailable(false);
  StartLoop();
  PutHint(0);
  EXPECT_TRUE(Await(loop_->Stop(clock_.BootNow() + seconds(20))).ok());
  EXPECT_THAT(feed_.stored[0], IsEmpty());
}

}  // namespace
}  // namespace tollbridge::events
