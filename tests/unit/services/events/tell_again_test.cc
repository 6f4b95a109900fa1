// What somebody asks to be told again (docs/adr/0050-told-again-by-the-reader.md).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "services/domain/errors.h"
#include "tests/unit/services/events/family_fixture.h"
#include "tollbridge/events/v1/events.pb.h"

namespace tollbridge::events {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAreArray;

class TellAgainTest : public FamilyFixture {
 protected:
  ports::TellAgainVerdict Ask(const ports::TellAgain& what) {
    const ports::TellAgainRequest request{
        .key = Key(), .what = what, .due = clock_.WallNow(), .retention = hours(24)};
    const ports::Context context{.deadline = clock_.BootNow(), .trace = {}};
    const auto verdict = Await(store_.AskToTellAgain(request, context));
    EXPECT_TRUE(verdict.ok()) << verdict.status();
    return verdict.value_or(ports::TellAgainVerdict::kUnknown);
  }
  ports::TellAgainVerdict AskForAll() { return Ask({.from = clock_.WallNow() - hours(1)}); }
  /// Ids of what was published so far, which is forgotten.
  std::vector<std::string> TakeIds() {
    std::vector<std::string> ids;
    for (const auto& entry : events_.events) ids.push_back(entry.id());
    events_.events.clear();
    return ids;
  }
  std::string StreamOf(std::size_t event) const {
    v1::PaymentEvent parsed;
    EXPECT_TRUE(parsed.ParseFromString(events_.events.at(event).payload()));
    return parsed.stream();
  }

  static constexpr int kRefunds = 150;
  static std::string RefundId(int number) {
    return std::to_string(100 + number) + "00000-93b1-4f7a-8a53-1d0f6a4c2b10";
  }
  /// A refund, which the root names from now on.
  void ShowRefund(int number) {
    root_.add_refund_orders(RefundId(number));
    reads_.Show(Made("refund_of_order_id", RefundId(number), kCompleted));
  }
  /// More members than a round reads, told. Ids of what was.
  std::vector<std::string> TellManyRefunds() {
    root_ = Root(kCompleted);
    for (int i = 0; i < kRefunds; ++i) ShowRefund(i);
    reads_.Show(root_);
    for (int i = 0; i < 4; ++i) ReadOnce();
    std::vector<std::string> told = TakeIds();
    EXPECT_THAT(told, SizeIs(kRefunds + 2));
    return told;
  }

  common::v1::Order root_;
};

TEST_F(TellAgainTest, TheWholeFamilyIsToldInANewStreamWithItsIds) {
  ShowAuthorization(kCompleted);
  ReadOnce();
  const std::string stream = StreamOf(0);
  const std::vector<std::string> told = TakeIds();
  ReadOnce();
  EXPECT_THAT(events_.events, IsEmpty());

  EXPECT_EQ(AskForAll(), ports::TellAgainVerdict::kAsked);
  EXPECT_EQ(AskForAll(), ports::TellAgainVerdict::kAskedBefore);
  ReadOnce();
  EXPECT_THAT(Published(), ElementsAre("authorization.created 1", "authorization.completed 2",
                                       "capture.completed 3", "refund.completed 4"));
  EXPECT_NE(StreamOf(0), stream);
  EXPECT_EQ(TakeIds(), told);
  EXPECT_FALSE(Kept().tell_again.has_value());
  ReadOnce();
  EXPECT_THAT(events_.events, IsEmpty()) << "once";
}

TEST_F(TellAgainTest, OnlyWhatHappenedInTheTimeAskedFor) {
  ShowAuthorization(kCompleted);
  ReadOnce();
  TakeIds();
  Ask({.from = clock_.WallNow() - seconds(45), .to = clock_.WallNow() - seconds(35)});
  ReadOnce();
  EXPECT_THAT(Published(), ElementsAre("capture.completed 1"));
}

TEST_F(TellAgainTest, AnotherTimeThatIsAskedForTakesNothingFromTheFirst) {
  ShowAuthorization(kCompleted);
  ReadOnce();
  TakeIds();
  Ask({.from = clock_.WallNow() - seconds(45), .to = clock_.WallNow() - seconds(35)});
  Ask({.from = clock_.WallNow() - seconds(25), .to = clock_.WallNow() - seconds(15)});
  ReadOnce();
  EXPECT_THAT(Published(), ElementsAre("capture.completed 1", "refund.completed 2"));
}

TEST_F(TellAgainTest, EachEndingThatWasToldIsToldAgain) {
  reads_.Show(Root(common::v1::ORDER_STATUS_ERROR));
  ReadOnce();
  common::v1::Order recovered = Root(kCompleted);
  *recovered.mutable_modified() = domain::ToTimestamp(clock_.WallNow() - seconds(10));
  reads_.Show(recovered);
  ReadOnce();
  common::v1::Order cancelled = Root(common::v1::ORDER_STATUS_CANCELLED);
  *cancelled.mutable_modified() = domain::ToTimestamp(clock_.WallNow() - seconds(5));
  reads_.Show(cancelled);
  ReadOnce();
  std::vector<std::string> told = TakeIds();
  AskForAll();
  ReadOnce();
  EXPECT_THAT(Published(), ElementsAre("payment.created 1", "payment.failed 2",
                                       "payment.completed 3", "payment.needs_review 4"));
  EXPECT_EQ(TakeIds(), told);
}

TEST_F(TellAgainTest, WhatIsNewIsToldBehindIt) {
  reads_.Show(Root(kProcessing));
  ReadOnce();
  TakeIds();
  AskForAll();
  reads_.Show(Root(kCompleted));
  ReadOnce();
  EXPECT_THAT(Published(), ElementsAre("payment.created 1", "payment.completed 2"));
}

TEST_F(TellAgainTest, AMemberThatCannotBeReadHoldsNobodyBack) {
  ShowAuthorization(kCompleted);
  ReadOnce();
  TakeIds();
  AskForAll();
  reads_.Fail(kRefundId, absl::InternalError("unreadable"));
  ReadOnce();
  // It was read before: it is told without it, since it may never be readable again.
  EXPECT_THAT(events_.events, SizeIs(3));
}

TEST_F(TellAgainTest, AMemberThatCouldNotBeReadIsToldAgainOnceItCan) {
  ShowAuthorization(kCompleted);
  ReadOnce();
  const std::vector<std::string> told = TakeIds();
  AskForAll();
  reads_.Fail(kRefundId, absl::UnavailableError("no answer"));
  ReadOnce();
  ASSERT_TRUE(Kept().tell_again.has_value());
  EXPECT_TRUE(Kept().tell_again->begun);
  const std::string stream = StreamOf(0);
  reads_.Fail(kRefundId, absl::OkStatus());
  ReadOnce();
  EXPECT_FALSE(Kept().tell_again.has_value());
  EXPECT_EQ(StreamOf(events_.events.size() - 1), stream);
  EXPECT_THAT(TakeIds(), UnorderedElementsAreArray(told));
}

TEST_F(TellAgainTest, AMemberThatIsGoneIsNotWaitedFor) {
  ShowAuthorization(kCompleted);
  ReadOnce();
  AskForAll();
  reads_.Fail(kRefundId, domain::MakeError(absl::StatusCode::kNotFound, "no such order",
                                           {.reason = domain::reason::kOrderNotFound}));
  ReadOnce();
  EXPECT_FALSE(Kept().tell_again.has_value());
}

TEST_F(TellAgainTest, MoreMembersThanARoundReadsAreToldOnceEach) {
  const std::vector<std::string> told = TellManyRefunds();
  AskForAll();
  ReadOnce();
  ASSERT_TRUE(Kept().tell_again.has_value());
  EXPECT_TRUE(Kept().tell_again->begun);
  const std::string stream = StreamOf(0);
  for (int i = 0; i < 4; ++i) ReadOnce();
  EXPECT_FALSE(Kept().tell_again.has_value());
  EXPECT_EQ(StreamOf(events_.events.size() - 1), stream);
  EXPECT_EQ(events_.events.back().sequence(), told.size());
  const std::vector<std::string> again = TakeIds();
  EXPECT_THAT(again, SizeIs(told.size()));
  EXPECT_EQ(std::set(again.begin(), again.end()), std::set(told.begin(), told.end()));
}

/// Within a stream a repeat is an exact copy: it has the number that it had.
TEST_F(TellAgainTest, AMemberThatAHintNamesMeanwhileIsToldOnceToo) {
  const std::vector<std::string> told = TellManyRefunds();
  AskForAll();
  ReadOnce();
  for (int i = 0; i < 4; ++i) {
    ReadOnce(kOrderId, {.members = {Id(RefundId(0)), Id(RefundId(kRefunds - 1))}});
  }
  EXPECT_FALSE(Kept().tell_again.has_value());
  EXPECT_THAT(TakeIds(), UnorderedElementsAreArray(told));
}

TEST_F(TellAgainTest, SoIsOneThatIsSeenNewMeanwhile) {
  std::vector<std::string> told = TellManyRefunds();
  AskForAll();
  ReadOnce();
  ShowRefund(kRefunds);
  reads_.Show(root_);
  for (int i = 0; i < 4; ++i) ReadOnce();
  EXPECT_FALSE(Kept().tell_again.has_value());
  const std::vector<std::string> again = TakeIds();
  EXPECT_THAT(again, SizeIs(told.size() + 1));
  EXPECT_THAT(std::set(again.begin(), again.end()), SizeIs(told.size() + 1));
  // And again with the next request, as all of them.
  AskForAll();
  for (int i = 0; i < 5; ++i) ReadOnce();
  EXPECT_THAT(TakeIds(), UnorderedElementsAreArray(again));
}

TEST_F(TellAgainTest, MembersThatWaitForAnotherOneAreToldInTheirTurn) {
  const std::vector<std::string> told = TellManyRefunds();
  AskForAll();
  ReadOnce();
  ShowRefund(kRefunds);
  reads_.Show(root_);
  reads_.Fail(RefundId(kRefunds), absl::InternalError("unreadable"));
  ReadOnce();
  EXPECT_TRUE(Kept().tell_again.has_value());
  reads_.Fail(RefundId(kRefunds), absl::OkStatus());
  for (int i = 0; i < 4; ++i) ReadOnce();
  EXPECT_FALSE(Kept().tell_again.has_value());
  const std::vector<std::string> again = TakeIds();
  EXPECT_THAT(again, SizeIs(told.size() + 1));
  EXPECT_THAT(again, IsSupersetOf(told));
}

TEST_F(TellAgainTest, ARequestDuringTheReadStaysAndTheFamilyIsDue) {
  reads_.Show(Root(kCompleted));
  ReadOnce();
  TakeIds();
  PollerMoved();
  store_.before_save = [this]() -> boost::asio::awaitable<void> {
    const ports::TellAgainRequest request{.key = Key(),
                                          .what = {.from = clock_.WallNow() - hours(1)},
                                          .due = clock_.WallNow(),
                                          .retention = hours(24)};
    const ports::Context context{.deadline = clock_.BootNow(), .trace = {}};
    EXPECT_TRUE((co_await store_.AskToTellAgain(request, context)).ok());
  };
  ReadOnce();
  EXPECT_TRUE(Kept().tell_again.has_value());
  EXPECT_EQ(DueTime(), clock_.WallNow());
  ReadOnce();
  EXPECT_THAT(events_.events, SizeIs(2));
}

TEST_F(TellAgainTest, WhatNobodyKnowsCannotBeToldAgain) {
  EXPECT_EQ(AskForAll(), ports::TellAgainVerdict::kUnknown);
  EXPECT_FALSE(Kept().tell_again.has_value());
}

}  // namespace
}  // namespace tollbridge::events
