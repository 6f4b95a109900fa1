#include "services/events/hint_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "services/domain/errors.h"
#include "tests/unit/services/events/fixture.h"

namespace tollbridge::events {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr auto kNew = common::v1::ORDER_STATUS_NEW;
constexpr auto kCompleted = common::v1::ORDER_STATUS_COMPLETED;

class HintLoopTest : public EventsFixture {
 protected:
  void StartLoop() {
    reader_.emplace(NewReader());
    handler_.emplace(HintHandler::Ports{.reader = *reader_,
                                        .snapshots = store_,
                                        .due_queue = store_,
                                        .dead_letters = letters_,
                                        .clock = clock_,
                                        .metrics = metrics_},
                     settings_);
    loop_ = HintLoop::Create(
        context_.get_executor(),
        {.feed = feed_, .handler = *handler_, .clock = clock_, .projects = projects_}, settings_);
    ASSERT_TRUE(loop_->Start().ok());
    boost::asio::co_spawn(context_, loop_->Run(), [this](std::exception_ptr error) {
      EXPECT_FALSE(error);
      run_ended_ = true;
    });
    Settle();
  }

  void PutHint(std::int64_t offset, const std::string& order_id = kOrderId,
               std::int32_t partition = 0) {
    v1::Hint hint;
    hint.set_order_id(order_id);
    hint.set_project("shop");
    hint.set_source(v1::HINT_SOURCE_WEBHOOK);
    *hint.mutable_noticed_at() = domain::ToTimestamp(clock_.WallNow());
    PutRaw(offset, hint.SerializeAsString(), partition);
  }
  void PutRaw(std::int64_t offset, std::string value, std::int32_t partition = 0) {
    feed_.Put({.partition = partition,
               .offset = offset,
               .key = "",
               .value = std::move(value),
               .trace = {}});
    Settle();
  }

  /// Reads of this order wait until ReleaseReads.
  void HoldReadsOf(const std::string& order_id) {
    reads_.during_read = [this, order_id](const std::string& id) -> boost::asio::awaitable<void> {
      if (id != order_id || released_) co_return;
      co_await gate_.async_receive(boost::asio::as_tuple(boost::asio::use_awaitable));
    };
  }
  void ReleaseReads() {
    released_ = true;
    gate_.try_send(boost::system::error_code());
    Settle();
  }

  std::size_t ReadsOf(const std::string& order_id) const {
    return static_cast<std::size_t>(
        std::count(reads_.reads().begin(), reads_.reads().end(), order_id));
  }

  FilledFeed feed_{context_.get_executor()};
  KeptLetters letters_;
  std::optional<Reader> reader_;
  std::optional<HintHandler> handler_;
  std::shared_ptr<HintLoop> loop_;
  bool run_ended_ = false;
  bool released_ = false;
  boost::asio::experimental::channel<void(boost::system::error_code)> gate_{context_, 10};
};

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
  EXPECT_THAT(feed_.stored[0], IsEmpty());
  ReleaseReads();
  EXPECT_EQ(events_.events.size(), 2U);
  EXPECT_THAT(feed_.stored[0], ElementsAre(2));
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

TEST_F(HintLoopTest, GarbageGoesToTheDeadLettersAndTheLoopGoesOn) {
  reads_.Show(MakeOrder(kNew));
  StartLoop();
  v1::Hint unknown_project;
  unknown_project.set_order_id(kOrderId);
  unknown_project.set_project("nobody's");
  v1::Hint no_uuid;
  no_uuid.set_order_id("../../etc");
  no_uuid.set_project("shop");
  PutRaw(0, "\xff\xff garbage");
  PutRaw(1, "");
  PutRaw(2, unknown_project.SerializeAsString());
  PutRaw(3, no_uuid.SerializeAsString());
  PutHint(4);
  ASSERT_EQ(letters_.letters.size(), 4U);
  EXPECT_EQ(letters_.letters[0].cause, "unparsable");
  EXPECT_EQ(letters_.letters[0].record.value, "\xff\xff garbage");
  EXPECT_EQ(events_.events.size(), 1U);
  EXPECT_EQ(feed_.stored[0].back(), 5);
}

TEST_F(HintLoopTest, TheOffsetOfADeadLetterWaitsForItsAcknowledgement) {
  letters_.down = absl::UnavailableError("the log is down");
  StartLoop();
  PutRaw(0, "garbage");
  EXPECT_THAT(feed_.stored[0], IsEmpty());
  letters_.down = absl::OkStatus();
  Pass(seconds(2));
  EXPECT_EQ(letters_.letters.size(), 1U);
  EXPECT_THAT(feed_.stored[0], ElementsAre(1));
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

TEST_F(HintLoopTest, WhileKafkaIsDownThePartitionPausesAndEachEventComesInTheEnd) {
  reads_.Show(MakeOrder(kCompleted));
  events_.down = absl::UnavailableError("no acknowledgement");
  StartLoop();
  PutHint(0);
  EXPECT_TRUE(feed_.paused[0]);
  Pass(minutes(1));
  events_.down = absl::OkStatus();
  Pass(seconds(15));
  EXPECT_FALSE(feed_.paused[0]);
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

TEST_F(HintLoopTest, AnOrderWhoseReadsNeverAnswerGoesToTheDueQueueInTheEnd) {
  reads_.FailAll(domain::MakeError(absl::StatusCode::kDeadlineExceeded, "it did not answer in time",
                                   {.reason = domain::reason::kUpstreamUnavailable}));
  StartLoop();
  PutHint(0);
  EXPECT_TRUE(feed_.paused[0]);
  Pass(minutes(1));
  EXPECT_FALSE(feed_.paused[0]);
  EXPECT_EQ(ReadsOf(kOrderId), 5U);
  EXPECT_THAT(feed_.stored[0], ElementsAre(1));
  EXPECT_NE(DueTime(), std::nullopt);
}

TEST_F(HintLoopTest, AnUnknownOrderIsAskedForAfter1And5And30SecondsAndThenDropped) {
  StartLoop();
  std::vector<ports::Millis> waits;
  for (std::int64_t offset = 0; offset < 3; ++offset) {
    PutHint(offset);
    EXPECT_EQ(feed_.stored[0].back(), offset + 1) << "its offset does not wait";
    ASSERT_NE(DueTime(), std::nullopt);
    waits.push_back(*DueTime() - clock_.WallNow());
    TakeOut();
    Pass(seconds(30));
  }
  EXPECT_THAT(waits, ElementsAre(seconds(1), seconds(5), seconds(30)));
  PutHint(3);
  EXPECT_EQ(feed_.stored[0].back(), 4);
  EXPECT_EQ(DueTime(), std::nullopt);
  EXPECT_THAT(letters_.letters, IsEmpty());
}

TEST_F(HintLoopTest, TriesAreCountedAnewAfterARead) {
  StartLoop();
  for (std::int64_t offset = 0; offset < 2; ++offset) {
    PutHint(offset);
    TakeOut();
    Pass(seconds(2));
  }
  reads_.AnswerNext(MakeOrder(kNew));
  PutHint(2);
  TakeOut();
  Pass(seconds(2));
  PutHint(3);
  EXPECT_EQ(DueTime(), clock_.WallNow() + seconds(1));
}

TEST_F(HintLoopTest, ADroppedOrderIsAskedForAnewWhenANewHintComes) {
  StartLoop();
  for (std::int64_t offset = 0; offset < 4; ++offset) {
    PutHint(offset);
    TakeOut();
    Pass(seconds(2));
  }
  PutHint(4);
  EXPECT_EQ(DueTime(), clock_.WallNow() + seconds(1));
}

TEST_F(HintLoopTest, AnOrderOfOursThatIsNotFoundStaysInTheDueQueue) {
  EnterOperation({.traceparent = kTraceparent});
  StartLoop();
  for (std::int64_t offset = 0; offset < 4; ++offset) {
    PutHint(offset);
    Pass(seconds(2));
  }
  EXPECT_NE(DueTime(), std::nullopt);
}

TEST_F(HintLoopTest, UnknownOrdersBeyondTheCapAreDroppedAtOnce) {
  settings_.max_unknown_orders = 1;
  StartLoop();
  PutHint(0);
  PutHint(1, kOtherOrderId);
  EXPECT_NE(DueTime(), std::nullopt);
  EXPECT_EQ(DueTime(kOtherOrderId), std::nullopt);
  EXPECT_EQ(feed_.stored[0].back(), 2);
}

TEST_F(HintLoopTest, RefusedCredentialsSendTheHintToTheDueQueue) {
  reads_.FailAll(domain::MakeError(absl::StatusCode::kInternal, "401",
                                   {.reason = domain::reason::kUpstreamCredentials}));
  StartLoop();
  PutHint(0);
  EXPECT_FALSE(feed_.paused[0]);
  EXPECT_EQ(DueTime(), clock_.WallNow() + seconds(30));
  EXPECT_THAT(feed_.stored[0], ElementsAre(1));
}

TEST_F(HintLoopTest, ARateLimitIsKeptAsLongAsTheServiceAsks) {
  reads_.FailAll(domain::MakeError(
      absl::StatusCode::kResourceExhausted, "429",
      {.reason = domain::reason::kUpstreamRateLimited, .retry_after = minutes(2)}));
  StartLoop();
  PutHint(0);
  EXPECT_EQ(DueTime(), clock_.WallNow() + minutes(2));
}

TEST_F(HintLoopTest, AnAnswerThatStaysUnreadableBecomesADeadLetter) {
  reads_.FailAll(domain::MakeError(absl::StatusCode::kInternal, "unreadable",
                                   {.reason = domain::reason::kUpstreamUnreadable}));
  StartLoop();
  const ports::WallTime began = clock_.WallNow();
  for (std::int64_t offset = 0; offset < 4; ++offset) {
    EXPECT_THAT(letters_.letters, IsEmpty());
    PutHint(offset);
    Pass(seconds(30));
  }
  ASSERT_EQ(letters_.letters.size(), 1U);
  EXPECT_EQ(letters_.letters[0].cause, "unreadable_answer");
  EXPECT_EQ(letters_.letters[0].tries, 4U);
  EXPECT_EQ(letters_.letters[0].first_failure, began);
  EXPECT_EQ(letters_.letters[0].last_failure, began + seconds(90));
  EXPECT_EQ(feed_.stored[0].back(), 4);
  EXPECT_NE(DueTime(), std::nullopt) << "the order is not given up";
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

TEST_F(HintLoopTest, TellsSinceWhenTheOldestHintWaits) {
  reads_.Show(MakeOrder(kNew));
  reads_.Show(MakeOrder(kNew, kOtherOrderId));
  HoldReadsOf(kOrderId);
  StartLoop();
  EXPECT_EQ(loop_->OldestHint(), std::nullopt);
  const ports::WallTime began = clock_.WallNow();
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
