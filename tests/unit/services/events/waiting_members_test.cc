// Members whose root cannot be read, which no order names: their hints alone tell of them.

#include <absl/strings/str_format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/telemetry/metric_definitions.h"
#include "services/domain/errors.h"
#include "services/domain/mark.h"
#include "tests/unit/services/events/hint_fixture.h"

namespace tollbridge::events {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr auto kCompleted = common::v1::ORDER_STATUS_COMPLETED;
constexpr hours kDay(24);

absl::Status NoAnswer() {
  return domain::MakeError(absl::StatusCode::kDeadlineExceeded, "it did not answer in time",
                           {.reason = domain::reason::kUpstreamUnavailable});
}

class WaitingMembersTest : public HintFixture {
 protected:
  /// A root that is known, and then read no more.
  void LoseRoot(const absl::Status& why = NoAnswer()) {
    StartLoop();
    reads_.Show(MakeOrder(kCompleted));
    PutHint(0);
    reads_.Fail(kOrderId, why);
  }
  void FindRoot() { reads_.Fail(kOrderId, absl::OkStatus()); }
  /// A refund of it, whose webhook comes.
  void Refund(int number) {
    const std::string id = absl::StrFormat("aa%06x-93b1-4f7a-8a53-1d0f6a4c2b10", number);
    common::v1::Order refund = MakeOrder(kCompleted, id);
    refund.set_refund_of_order_id(kOrderId);
    reads_.Show(refund);
    PutHint(number + 1, id, kWebhooks);
    PassOn();
  }
  /// What readers have passed on comes to the reader of the root.
  void PassOn() {
    for (; passed_on_ < hints_.hints.size(); ++passed_on_) {
      PutRaw(static_cast<std::int64_t>(passed_on_), hints_.hints[passed_on_].SerializeAsString(),
             kPassedOn);
    }
  }
  void PassSecond() {
    for (int i = 0; i < 10; ++i) {
      Pass(ports::Millis(100));
      PassOn();
    }
    Poll();
    PassOn();
  }
  /// All that is in the due queue.
  std::vector<ports::DueOrder> Due() {
    const std::string project = "shop";
    const ports::Context context{.deadline = clock_.BootNow(), .trace = {}};
    return Await(store_.First(project, 1000, context)).value();
  }
  /// Time passes, in one step where nothing is due.
  void PassTime(ports::Millis duration) {
    const WallTime end = clock_.WallNow() + duration;
    while (clock_.WallNow() < end) {
      for (int i = 0; i < 4; ++i) PassSecond();
      const std::vector<ports::DueOrder> due = Due();
      const WallTime next = due.empty() ? end : std::min(end, due.front().due);
      if (next - clock_.WallNow() <= seconds(2)) continue;
      clock_.Advance(std::chrono::duration_cast<ports::Millis>(next - clock_.WallNow()));
      Settle();
      PassOn();
    }
  }
  /// How long it takes until so many events are there.
  ports::Millis TimeUntil(std::size_t events) {
    const WallTime began = clock_.WallNow();
    while (events_.events.size() < events && clock_.WallNow() - began < hours(30)) {
      PassTime(minutes(1));
    }
    return std::chrono::duration_cast<ports::Millis>(clock_.WallNow() - began);
  }
  std::size_t ReadsOfRootIn(ports::Millis duration) {
    const std::size_t before = ReadsOf(kOrderId);
    PassTime(duration);
    return ReadsOf(kOrderId) - before;
  }

  static constexpr std::int32_t kWebhooks = 1;
  static constexpr std::int32_t kPassedOn = 3;
  std::size_t passed_on_ = 0;
};

TEST_F(WaitingMembersTest, AllAreToldOnceTheRootIsReadAndNothingStaysDue) {
  LoseRoot();
  for (int i = 0; i < 60; ++i) {
    Refund(i);
    if (i % 10 == 0) PassSecond();
  }
  PassTime(kDay * 3);
  EXPECT_EQ(events_.events.size(), 2U);
  FindRoot();
  PassTime(hours(7));
  EXPECT_EQ(events_.events.size(), 62U);
  PassTime(kDay * 40);
  EXPECT_EQ(events_.events.size(), 62U);
  EXPECT_TRUE(Due().empty());
}

TEST_F(WaitingMembersTest, ManyMakeNoMoreReadsOfTheRootThanOne) {
  LoseRoot();
  for (int i = 0; i < 40; ++i) {
    Refund(i);
    for (int second = 0; second < 20; ++second) PassSecond();
  }
  PassTime(kDay * 2);
  EXPECT_LE(ReadsOfRootIn(kDay), 15U);
}

TEST_F(WaitingMembersTest, ARootThatIsGoneTakesThemAlong) {
  LoseRoot(domain::MakeError(absl::StatusCode::kNotFound, "there is no such order",
                             {.reason = domain::reason::kOrderNotFound}));
  Refund(0);
  PassTime(kDay * 3);
  EXPECT_GE(Metric(telemetry::kReads, "gone"), 1);
  EXPECT_EQ(ReadsOfRootIn(kDay * 10), 0U);
  EXPECT_TRUE(Due().empty());
}

TEST_F(WaitingMembersTest, AShortFailureIsNotWaitedForForHours) {
  LoseRoot();
  for (int i = 0; i < 15; ++i) {
    Refund(i);
    PassSecond();
  }
  FindRoot();
  EXPECT_LE(TimeUntil(17), minutes(35));
}

TEST_F(WaitingMembersTest, NorIsAReplicaThatLagged) {
  StartLoop();
  common::v1::Order root = MakeOrder(kCompleted);
  *root.mutable_modified() = domain::ToTimestamp(clock_.WallNow());
  reads_.Show(root);
  PutHint(0);
  common::v1::Order older = root;
  *older.mutable_modified() = domain::ToTimestamp(clock_.WallNow() - minutes(1));
  reads_.Show(older);
  Enter(clock_.WallNow());
  PassTime(minutes(11));
  Refund(0);
  PassTime(minutes(1));
  reads_.Show(root);
  EXPECT_LE(TimeUntil(3), minutes(35));
}

TEST_F(WaitingMembersTest, WhatIsMadeOfAnOrphanThatIsPaidLaterIsTold) {
  registry_.judgement = ports::MarkVerdict::kOrphan;
  const domain::Mark mark{.operation = *Uuid::Parse("55555555-93b1-4f7a-8a53-1d0f6a4c2b10"),
                          .epoch = "ab12cd34",
                          .attempt = 2};
  common::v1::Order root = MakeOrder(common::v1::ORDER_STATUS_PROCESSING);
  (*root.mutable_extra()->mutable_fields())[std::string(domain::kMarkField)].set_string_value(
      domain::ToText(mark));
  reads_.Show(root);
  StartLoop();
  Refund(0);
  ASSERT_TRUE(DueTime());
  root.set_status(kCompleted);
  reads_.Show(root);
  PassTime(kDay * 2);
  EXPECT_THAT(Types(), testing::Contains("tollbridge.refund.completed.v1"));
}

/// A process that the group has given up goes on for a while, and cannot write to the log.
TEST_F(WaitingMembersTest, AZombieThatCannotPassOneOnForgetsNone) {
  LoseRoot();
  hints_.down = absl::UnavailableError("no broker");
  Refund(0);
  Pass(seconds(1));
  // Another has its partition, and passes the member on.
  hints_.down = absl::OkStatus();
  const std::string member = "aa000000-93b1-4f7a-8a53-1d0f6a4c2b10";
  ASSERT_EQ(ReadOnce(member).outcome, ReadOutcome::kDone);
  PassOn();
  ASSERT_TRUE(DueTime(member)) << "it comes again with its root";
  hints_.down = absl::UnavailableError("no broker");
  Pass(seconds(20));
  feed_.Revoke({kWebhooks});
  hints_.down = absl::OkStatus();
  EXPECT_TRUE(DueTime(member));
  FindRoot();
  PassTime(kDay);
  EXPECT_EQ(events_.events.size(), 3U);
}

/// What changes of an order that had ended only its hint tells of.
TEST_F(WaitingMembersTest, WhatAHintNamesIsNotForgottenSinceAnotherMemberIsWaitedFor) {
  const std::string later = "bb000000-93b1-4f7a-8a53-1d0f6a4c2b10";
  StartLoop();
  common::v1::Order root = MakeOrder(kCompleted);
  reads_.Show(root);
  PutHint(0);
  Refund(0);
  PassSecond();
  ASSERT_EQ(Types().back(), "tollbridge.refund.completed.v1");
  root.add_refund_orders(later);
  reads_.Show(root);
  reads_.Fail(later, NoAnswer());
  common::v1::Order refund =
      MakeOrder(common::v1::ORDER_STATUS_CANCELLED, "aa000000-93b1-4f7a-8a53-1d0f6a4c2b10");
  refund.set_refund_of_order_id(kOrderId);
  reads_.Show(refund);
  PutHint(2, refund.id(), kWebhooks);
  for (int i = 0; i < 3; ++i) PassSecond();
  common::v1::Order other = MakeOrder(kCompleted, later);
  other.set_refund_of_order_id(kOrderId);
  reads_.Show(other);
  reads_.Fail(later, absl::OkStatus());
  PassTime(hours(2));
  EXPECT_THAT(Types(), testing::Contains("tollbridge.refund.needs_review.v1"));
  EXPECT_EQ(events_.events.size(), 5U);
}

TEST_F(WaitingMembersTest, AHintIsNotFinishedBeforeItsMemberIsInTheDueQueue) {
  LoseRoot();
  for (int i = 0; i < 5; ++i) PassSecond();
  Refund(0);
  PassSecond();
  const std::int64_t finished = feed_.stored[kPassedOn].back();
  store_.enter_error = absl::UnavailableError("the store is away");
  PutRaw(finished, hints_.hints.back().SerializeAsString(), kPassedOn);
  passed_on_ = hints_.hints.size();
  Pass(seconds(5));
  EXPECT_EQ(feed_.stored[kPassedOn].back(), finished);
  store_.enter_error = absl::OkStatus();
  Pass(seconds(40));
  EXPECT_EQ(feed_.stored[kPassedOn].back(), finished + 1);
}

}  // namespace
}  // namespace tollbridge::events
