#include "services/events/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/telemetry/metric_definitions.h"
#include "services/domain/errors.h"
#include "tests/support/test_keyspace.h"
#include "tests/unit/services/events/fixture.h"
#include "tollbridge/events/v1/events.pb.h"

namespace tollbridge::events {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ReaderTest : public EventsFixture {
 protected:
  /// What was published so far.
  std::vector<v1::PaymentEvent> Events() const {
    std::vector<v1::PaymentEvent> events;
    for (const auto& entry : events_.events) {
      EXPECT_TRUE(events.emplace_back().ParseFromString(entry.payload()));
    }
    return events;
  }
};

constexpr auto kNew = common::v1::ORDER_STATUS_NEW;
constexpr auto kProcessing = common::v1::ORDER_STATUS_PROCESSING;
constexpr auto kCompleted = common::v1::ORDER_STATUS_COMPLETED;

absl::Status Upstream(absl::StatusCode code, std::string_view reason, bool answered) {
  domain::ErrorDetail detail{.reason = reason};
  if (answered) detail.metadata.emplace_back("provider_status", "500");
  return domain::MakeError(code, "it failed", detail);
}

TEST_F(ReaderTest, PublishesWhatItDecidedInOrderAndForgetsTheOutbox) {
  reads_.Show(MakeOrder(kCompleted));
  const ReadResult result = ReadOnce();
  EXPECT_EQ(result.outcome, ReadOutcome::kDone) << result.cause;
  EXPECT_EQ(result.published, 2U);
  EXPECT_THAT(Types(),
              ElementsAre("tollbridge.payment.created.v1", "tollbridge.payment.completed.v1"));
  EXPECT_EQ(events_.events[0].sequence(), 1U);
  EXPECT_EQ(events_.events[1].sequence(), 2U);
  EXPECT_FALSE(Kept().outbox);
}

TEST_F(ReaderTest, ASecondReadOfTheSameOrderPublishesNothing) {
  reads_.Show(MakeOrder(kCompleted));
  ReadOnce();
  events_.events.clear();
  EXPECT_EQ(ReadOnce().published, 0U);
  EXPECT_THAT(events_.events, IsEmpty());
}

TEST_F(ReaderTest, TheNextReadPublishesWhatACrashedReaderSaved) {
  reads_.Show(MakeOrder(kCompleted));
  events_.take_only = 0;  // as if killed after the save
  EXPECT_EQ(ReadOnce().outcome, ReadOutcome::kOutage);
  ASSERT_TRUE(Kept().outbox);
  const storage::v1::Outbox saved = *Kept().outbox;

  events_.take_only.reset();
  const ReadResult result = ReadOnce();
  EXPECT_EQ(result.outcome, ReadOutcome::kDone);
  ASSERT_EQ(events_.events.size(), 2U);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(events_.events[static_cast<std::size_t>(i)].SerializeAsString(),
              saved.entries(i).SerializeAsString());
  }
  EXPECT_FALSE(Kept().outbox);
}

TEST_F(ReaderTest, ARepeatAfterACrashIsAnExactCopyAlsoWhenTheOrderMovedOn) {
  reads_.Show(MakeOrder(kProcessing));
  events_.take_only = 1;  // created went out, processing did not
  EXPECT_EQ(ReadOnce().outcome, ReadOutcome::kOutage);

  events_.take_only.reset();
  reads_.Show(MakeOrder(kCompleted));
  EXPECT_EQ(ReadOnce().outcome, ReadOutcome::kDone);
  EXPECT_THAT(Types(),
              ElementsAre("tollbridge.payment.created.v1", "tollbridge.payment.created.v1",
                          "tollbridge.payment.processing.v1", "tollbridge.payment.completed.v1"));
  EXPECT_EQ(events_.events[0].SerializeAsString(), events_.events[1].SerializeAsString());
}

TEST_F(ReaderTest, AnOutboxThatCouldNotBeClearedIsPublishedAgainAsItWas) {
  reads_.Show(MakeOrder(kNew));
  store_.clear_error = absl::UnavailableError("the store is down");
  EXPECT_EQ(ReadOnce().outcome, ReadOutcome::kOutage);
  ASSERT_EQ(events_.events.size(), 1U);
  store_.clear_error = absl::OkStatus();
  EXPECT_EQ(ReadOnce().outcome, ReadOutcome::kDone);
  ASSERT_EQ(events_.events.size(), 2U);
  EXPECT_EQ(events_.events[0].SerializeAsString(), events_.events[1].SerializeAsString());
}

TEST_F(ReaderTest, ALostCompareReadsAgainAndPublishesNothingTwice) {
  reads_.Show(MakeOrder(kCompleted));
  const ports::FamilyKey key = Key();
  Reader faster = NewReader();
  store_.before_save = [&]() -> boost::asio::awaitable<void> {
    const ReadResult result = co_await faster.Read(projects_.all().front(), key, ReadRequest{});
    EXPECT_EQ(result.published, 2U);
  };
  const ReadResult result = ReadOnce();
  EXPECT_EQ(result.outcome, ReadOutcome::kDone);
  EXPECT_EQ(result.published, 0U);
  EXPECT_EQ(events_.events.size(), 2U);
  EXPECT_EQ(reads_.reads().size(), 3U) << "one of the faster reader, two of the slower";
}

TEST_F(ReaderTest, AForeignOutboxIsFinishedBeforeAnythingIsDecided) {
  reads_.Show(MakeOrder(kNew));
  const ports::FamilyKey key = Key();
  Reader dying = NewReader();
  store_.before_save = [&]() -> boost::asio::awaitable<void> {
    events_.take_only = 0;
    const ReadResult result = co_await dying.Read(projects_.all().front(), key, ReadRequest{});
    EXPECT_EQ(result.outcome, ReadOutcome::kOutage);
    events_.take_only.reset();
    reads_.Show(MakeOrder(kCompleted));
  };
  EXPECT_EQ(ReadOnce().outcome, ReadOutcome::kDone);
  EXPECT_THAT(Types(),
              ElementsAre("tollbridge.payment.created.v1", "tollbridge.payment.completed.v1"));
  EXPECT_EQ(events_.events[1].sequence(), 2U);
}

/// The new primary of a failover lacks what the old one still took.
TEST_F(ReaderTest, AStoreThatWentBackGivesNoNumberTwice) {
  reads_.Show(MakeOrder(common::v1::ORDER_STATUS_NEW));
  ReadOnce();
  const test::MiniRedis::Copy then = store_.server().TakeCopy();
  reads_.Show(MakeOrder(common::v1::ORDER_STATUS_PROCESSING));
  ReadOnce();
  store_.server().FailOver(then);
  reads_.Show(MakeOrder(common::v1::ORDER_STATUS_COMPLETED));
  ReadOnce();

  std::map<std::pair<std::string, std::uint64_t>, std::string> told;
  for (const v1::PaymentEvent& event : Events()) {
    const auto [at, is_new] = told.try_emplace({event.stream(), event.sequence()}, event.id());
    EXPECT_EQ(at->second, event.id()) << event.sequence() << " has two contents";
  }
  EXPECT_EQ(Types().back(), "tollbridge.payment.completed.v1");
}

/// Two readers: one has read on the old primary, and saves on the new one.
TEST_F(ReaderTest, WhatWasReadBeforeAFailoverIsDecidedAnew) {
  reads_.Show(MakeOrder(common::v1::ORDER_STATUS_NEW));
  ReadOnce();
  reads_.Show(MakeOrder(common::v1::ORDER_STATUS_COMPLETED));
  store_.before_save = [this]() -> boost::asio::awaitable<void> {
    store_.server().FailOver(store_.server().TakeCopy());
    co_return;
  };
  ReadOnce();
  ASSERT_EQ(Events().size(), 3U) << "created is told again";
  EXPECT_NE(Events()[0].stream(), Events()[2].stream());
  EXPECT_EQ(Events()[1].id(), Events()[0].id());
  EXPECT_EQ(Events()[2].sequence(), 2U);
}

/// The outbox is kept, and of an epoch in which this reader has saved none: left behind it would
/// hold the heartbeats back until the family is read again, which can be a month later.
TEST_F(ReaderTest, AnOutboxThatAFailoverKeptIsNotLeftBehind) {
  reads_.Show(MakeOrder(kCompleted));
  store_.before_clear = [this]() -> boost::asio::awaitable<void> {
    store_.server().FailOver(store_.server().TakeCopy());
    co_return;
  };
  EXPECT_EQ(ReadOnce().outcome, ReadOutcome::kDone);
  EXPECT_FALSE(Kept().outbox.has_value());
  const std::string project = "shop";
  const ports::Context context{.deadline = clock_.BootNow() + std::chrono::seconds(5), .trace = {}};
  EXPECT_EQ(Await(store_.Pending(project, context))->count, 0U);
  ASSERT_GE(events_.events.size(), 4U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(events_.events[i].SerializeAsString(), events_.events[i + 2].SerializeAsString());
  }
}

TEST_F(ReaderTest, AnOutboxThatAnotherHasClearedIsNoTrouble) {
  reads_.Show(MakeOrder(kCompleted));
  const ports::FamilyKey key = Key();
  Reader other = NewReader();
  store_.before_clear = [&]() -> boost::asio::awaitable<void> {
    const ReadResult result = co_await other.Read(projects_.all().front(), key, ReadRequest{});
    EXPECT_EQ(result.published, 2U);
  };
  const ReadResult result = ReadOnce();
  EXPECT_EQ(result.outcome, ReadOutcome::kDone) << result.cause;
  EXPECT_EQ(result.published, 2U);
  EXPECT_EQ(events_.events.size(), 4U) << "each told the same";
}

TEST_F(ReaderTest, AnOutboxWhoseFamilyIsGoneIsToldOnceAndForgotten) {
  reads_.Show(MakeOrder(common::v1::ORDER_STATUS_NEW));
  events_.take_only = 0;
  EXPECT_EQ(ReadOnce().outcome, ReadOutcome::kOutage);
  events_.take_only.reset();
  store_.server().Run({"DEL", test::ShopKeys() + "f:" + Key().root.ToBytes()});
  EXPECT_EQ(ReadOnce().outcome, ReadOutcome::kDone);
  EXPECT_EQ(events_.events.size(), 2U) << "and once more in a stream of its own";
  EXPECT_FALSE(Kept().outbox.has_value());
}

TEST_F(ReaderTest, WhatHappenedWhileTheReaderWasAwayIsTold) {
  common::v1::Order order = MakeOrder(common::v1::ORDER_STATUS_COMPLETED);
  *order.mutable_created() = domain::ToTimestamp(clock_.WallNow() - std::chrono::hours(90));
  *order.mutable_completed() = domain::ToTimestamp(clock_.WallNow() - std::chrono::hours(86));
  reads_.Show(order);
  ReadOnce(kOrderId, {.noticed_at = clock_.WallNow() - std::chrono::hours(86)});
  EXPECT_EQ(Types().size(), 2U);

  order.set_id(kOtherOrderId);
  reads_.Show(order);
  ReadOnce(kOtherOrderId);
  EXPECT_EQ(Types().size(), 2U) << "nobody noticed it until now";
  EXPECT_EQ(Metric(telemetry::kEventsUntold, "before_baseline"), 1);
}

TEST_F(ReaderTest, AReadOlderThanWhatIsKnownIsRepeatedOneSecondLater) {
  common::v1::Order newest = MakeOrder(kCompleted);
  *newest.mutable_modified() = domain::ToTimestamp(clock_.WallNow());
  reads_.Show(newest);
  ReadOnce();
  common::v1::Order lagging = MakeOrder(kNew);
  *lagging.mutable_modified() = domain::ToTimestamp(clock_.WallNow() - std::chrono::seconds(9));
  reads_.AnswerNext(lagging);
  const BootTime began = clock_.BootNow();
  EXPECT_EQ(ReadOnce().outcome, ReadOutcome::kDone);
  EXPECT_EQ(Types().size(), 2U);
  EXPECT_EQ(reads_.reads().size(), 1U + 2U);
  EXPECT_GE(clock_.BootNow() - began, std::chrono::seconds(1));
  EXPECT_EQ(Kept().snapshot.root().status(), kCompleted);
}

TEST_F(ReaderTest, AReadThatStaysOlderChangesNothingUnlessItIsToBeBelieved) {
  reads_.Show(MakeOrder(kCompleted));
  ReadOnce();
  reads_.Show(MakeOrder(kProcessing));
  EXPECT_EQ(ReadOnce().outcome, ReadOutcome::kOlder);
  EXPECT_EQ(reads_.reads().size(), 1U + 2U);
  EXPECT_EQ(Kept().snapshot.root().status(), kCompleted);
  EXPECT_EQ(ReadOnce(kOrderId, {.believe_older = true}).outcome, ReadOutcome::kDone);
  EXPECT_EQ(Kept().snapshot.root().status(), kProcessing);
}

TEST_F(ReaderTest, EachReadSetsTheNextDueTime) {
  reads_.Show(MakeOrder(kNew));
  ReadOnce();
  EXPECT_EQ(DueTime(), clock_.WallNow() + std::chrono::seconds(30));
  clock_.Advance(std::chrono::minutes(9));
  ReadOnce();
  EXPECT_EQ(DueTime(), clock_.WallNow() + std::chrono::minutes(5));
}

TEST_F(ReaderTest, TheNextDueTimeIsSetOnlyIfNobodyElseChangedIt) {
  reads_.Show(MakeOrder(kNew));
  ReadOnce();
  EXPECT_EQ(DueTime(), clock_.WallNow() + std::chrono::seconds(30));

  clock_.Advance(std::chrono::seconds(1));
  const WallTime by_operation = clock_.WallNow();
  store_.before_save = [&]() -> boost::asio::awaitable<void> {
    const ports::FamilyKey key = Key();
    const absl::Status entered =
        co_await store_.Enter(key, by_operation, {.deadline = clock_.BootNow(), .trace = {}});
    EXPECT_TRUE(entered.ok());
  };
  ReadOnce();
  EXPECT_EQ(DueTime(), by_operation);
}

TEST_F(ReaderTest, WhatOperationsLeftDecidesKindAndTrace) {
  EnterOperation({.capture_mode = "manual", .traceparent = kTraceparent});
  reads_.Show(MakeOrder(kCompleted));
  ReadOnce();
  EXPECT_THAT(Types(), ElementsAre("tollbridge.authorization.created.v1",
                                   "tollbridge.authorization.completed.v1"));
  EXPECT_EQ(HeaderOf(events_.events[1], "origin_traceparent"), kTraceparent);
  const auto own =
      telemetry::TraceContext::FromTraceparent(HeaderOf(events_.events[1], "traceparent"));
  ASSERT_TRUE(own);
  EXPECT_NE(own->TraceIdHex(), "0af7651916cd43dd8448eb211c80319c") << "it is linked, not joined";
}

TEST_F(ReaderTest, OwnCheckoutLetsTheTransactionDecide) {
  EnterOperation({.own_checkout = true});
  common::v1::Order order = MakeOrder(kProcessing);
  order.add_transactions()->set_status(common::v1::TRANSACTION_STATUS_COMPLETED);
  reads_.Show(order);
  ReadOnce();
  EXPECT_THAT(Types(),
              ElementsAre("tollbridge.payment.created.v1", "tollbridge.payment.completed.v1"));
  EXPECT_GT(DueTime(), clock_.WallNow() + std::chrono::minutes(30)) << "final";
}

// A reader may stand still between what the store knew and what the payment service says.
TEST_F(ReaderTest, WhatAnOperationSaysDuringTheReadDecides) {
  common::v1::Order order = MakeOrder(kProcessing);
  order.add_transactions()->set_status(common::v1::TRANSACTION_STATUS_COMPLETED);
  reads_.Show(order);
  store_.before_save = [this]() -> boost::asio::awaitable<void> {
    EnterOperation({.capture_mode = "manual", .own_checkout = true});
    co_return;
  };
  ReadOnce();
  EXPECT_THAT(Types(), ElementsAre("tollbridge.authorization.created.v1",
                                   "tollbridge.authorization.completed.v1"));
}

TEST_F(ReaderTest, AnAnswerWithAnotherOrderIsNotBelieved) {
  reads_.AnswerNext(MakeOrder(kCompleted, kOtherOrderId));
  EXPECT_EQ(ReadOnce().outcome, ReadOutcome::kUnreadable);
  EXPECT_EQ(Kept().version, 0U);
}

TEST_F(ReaderTest, TellsWhoIsToBlameForAFailedRead) {
  struct Row {
    absl::Status error;
    ReadOutcome outcome;
  };
  using absl::StatusCode;
  namespace reason = domain::reason;
  for (const Row& row : std::vector<Row>{
           {Upstream(StatusCode::kNotFound, reason::kOrderNotFound, true), ReadOutcome::kNotFound},
           {Upstream(StatusCode::kInternal, reason::kUpstreamCredentials, true),
            ReadOutcome::kProjectRefused},
           {Upstream(StatusCode::kResourceExhausted, reason::kUpstreamRateLimited, true),
            ReadOutcome::kProjectRefused},
           {Upstream(StatusCode::kUnavailable, reason::kUpstreamUnreadable, true),
            ReadOutcome::kUnreadable},
           {Upstream(StatusCode::kUnavailable, reason::kUpstreamUnavailable, true),
            ReadOutcome::kFailed},
           {Upstream(StatusCode::kUnavailable, reason::kUpstreamUnavailable, false),
            ReadOutcome::kNoAnswer},
           {Upstream(StatusCode::kDeadlineExceeded, reason::kUpstreamUnavailable, false),
            ReadOutcome::kNoAnswer},
           {Upstream(StatusCode::kUnavailable, reason::kNotSent, false), ReadOutcome::kOutage},
           {Upstream(StatusCode::kFailedPrecondition, reason::kUpstreamRefused, true),
            ReadOutcome::kFailed},
           {absl::InternalError("a bug"), ReadOutcome::kFailed},
       }) {
    reads_.FailAll(row.error);
    EXPECT_EQ(ReadOnce().outcome, row.outcome) << row.error;
  }
  reads_.FailAll(absl::OkStatus());
  store_.SetAvailable(false);
  EXPECT_EQ(ReadOnce().outcome, ReadOutcome::kOutage);
  store_.SetAvailable(true);
  store_.load_error = absl::DataLossError("a snapshot that cannot be read");
  EXPECT_EQ(ReadOnce().outcome, ReadOutcome::kFailed);
  EXPECT_THAT(events_.events, IsEmpty());
}

}  // namespace
}  // namespace tollbridge::events
