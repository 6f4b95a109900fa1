// The reader on families of several orders.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "services/domain/errors.h"
#include "services/domain/mark.h"
#include "services/events/reader.h"
#include "tests/unit/services/events/family_fixture.h"

namespace tollbridge::events {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

using FamilyReaderTest = FamilyFixture;

TEST_F(FamilyReaderTest, AMemberIsPassedOnToItsRootAndPublishesNothing) {
  reads_.Show(Root(kCompleted));
  reads_.Show(Refund(kCompleted));
  EnterDue(kRefundId, clock_.WallNow());
  const WallTime noticed = clock_.WallNow() - seconds(3);
  const ReadResult result = ReadOnce(kRefundId, {.noticed_at = noticed, .hinted_at = noticed});
  EXPECT_EQ(result.outcome, ReadOutcome::kDone);
  EXPECT_TRUE(result.answered);
  EXPECT_THAT(events_.events, IsEmpty());
  ASSERT_THAT(hints_.hints, SizeIs(1));
  EXPECT_EQ(hints_.hints[0].order_id(), kOrderId);
  EXPECT_EQ(hints_.hints[0].member(), kRefundId);
  EXPECT_EQ(hints_.hints[0].project(), "shop");
  EXPECT_EQ(hints_.hints[0].source(), v1::HINT_SOURCE_READER);
  EXPECT_EQ(domain::ToWallTime(hints_.hints[0].noticed_at()), noticed);
  EXPECT_FALSE(hints_.hints[0].has_noticed_as_of());
  EXPECT_EQ(Kept(kRefundId).root, Key().root);
  EXPECT_EQ(Kept(kRefundId).version, 0U);
  EXPECT_EQ(DueTime(kRefundId), std::nullopt);
}

TEST_F(FamilyReaderTest, AKnownMemberIsPassedOnWithoutARead) {
  reads_.Show(Root(kCompleted));
  reads_.Show(Refund(kCompleted));
  ReadOnce(kRefundId);
  const std::size_t before = reads_.reads().size();
  EXPECT_FALSE(ReadOnce(kRefundId).answered);
  EXPECT_EQ(reads_.reads().size(), before);
  EXPECT_THAT(hints_.hints, SizeIs(2));
}

TEST_F(FamilyReaderTest, UntilTheHintIsAcknowledgedTheMemberIsNotNoted) {
  reads_.Show(Root(kCompleted));
  reads_.Show(Refund(kCompleted));
  EnterDue(kRefundId, clock_.WallNow());
  hints_.down = absl::UnavailableError("no acknowledgement");
  EXPECT_EQ(ReadOnce(kRefundId).outcome, ReadOutcome::kOutage);
  EXPECT_EQ(Kept(kRefundId).root, std::nullopt);
  EXPECT_NE(DueTime(kRefundId), std::nullopt);
}

TEST_F(FamilyReaderTest, AHintOfAMemberThatNamesAnotherPassesBothOn) {
  reads_.Show(Root(kCompleted));
  reads_.Show(Made("capture_of_order_id", kCaptureId, kCompleted));
  ReadOnce(kCaptureId, {.members = {Id(kRefundId)}});
  ASSERT_THAT(hints_.hints, SizeIs(2));
  EXPECT_EQ(hints_.hints[0].member(), kRefundId);
  EXPECT_EQ(hints_.hints[1].member(), kCaptureId);
}

TEST_F(FamilyReaderTest, TheRootsReaderPublishesTheNamedMember) {
  reads_.Show(Root(kCompleted));
  reads_.Show(Refund(kCompleted));
  store_.entries[Key(kRefundId)] = {.key = Key(kRefundId), .traceparent = kTraceparent};
  EXPECT_EQ(ReadOnce(kOrderId, Naming(kRefundId)).published, 3U);
  EXPECT_THAT(Published(),
              ElementsAre("payment.created 1", "payment.completed 2", "refund.completed 3"));
  EXPECT_EQ(events_.events[2].key(), kOrderId);
  EXPECT_EQ(HeaderOf(events_.events[2], "ce_subject"), kRefundId);
  EXPECT_EQ(HeaderOf(events_.events[2], "origin_traceparent"), kTraceparent);
  EXPECT_EQ(HeaderOf(events_.events[1], "origin_traceparent"), "(none)");
  EXPECT_EQ(ReadOnce(kOrderId, Naming(kRefundId)).published, 0U);
}

TEST_F(FamilyReaderTest, ARefundOfACaptureBringsTheCaptureIntoTheFamily) {
  reads_.Show(Root(kCompleted));
  reads_.Show(Made("capture_of_order_id", kCaptureId, kCompleted, seconds(40)));
  reads_.Show(Made("refund_of_order_id", kRefundId, kCompleted, seconds(20), kCaptureId));
  ReadOnce(kOrderId, Naming(kRefundId));
  EXPECT_THAT(Published(), ElementsAre("authorization.created 1", "authorization.completed 2",
                                       "capture.completed 3", "refund.completed 4"));
}

TEST_F(FamilyReaderTest, MembersAreFoundFromTheArraysOfEveryOrderRead) {
  common::v1::Order root = Root(kCompleted);
  root.add_chargeback_orders(kChargebackId);
  root.add_refund_orders(kRefundId);
  reads_.Show(root);
  reads_.Show(Refund(kCompleted));
  common::v1::Order chargeback =
      Made("chargeback_of_order_id", kChargebackId, kCompleted, seconds(20));
  chargeback.add_reversal_orders(kReversalId);
  reads_.Show(chargeback);
  reads_.Show(Made("reversal_of_order_id", kReversalId, kCompleted, seconds(10), kChargebackId));
  ReadOnce();
  EXPECT_THAT(Published(),
              ElementsAre("payment.created 1", "payment.completed 2", "refund.completed 3",
                          "chargeback.completed 4", "reversal.completed 5"));
  EXPECT_EQ(Kept(kReversalId).root, Key().root);
}

TEST_F(FamilyReaderTest, OnlyMembersThatAreNotFinalAreReadAgain) {
  ShowAuthorization(/*refund=*/kProcessing);
  ReadOnce();
  const std::size_t before = reads_.reads().size();
  ReadOnce();
  EXPECT_THAT(std::vector<std::string>(reads_.reads().begin() + static_cast<std::ptrdiff_t>(before),
                                       reads_.reads().end()),
              ElementsAre(kOrderId, kRefundId));
}

TEST_F(FamilyReaderTest, AThoroughReadLooksAtFinalMembersThatMayHaveChildren) {
  ShowAuthorization(/*refund=*/kCompleted);
  ReadOnce();
  const std::size_t before = reads_.reads().size();
  // A second refund of the capture, of which no webhook told.
  common::v1::Order capture = Made("capture_of_order_id", kCaptureId, kCompleted, seconds(40));
  capture.add_refund_orders(kRefundId);
  capture.add_refund_orders(kOtherOrderId);
  reads_.Show(capture);
  reads_.Show(Made("refund_of_order_id", kOtherOrderId, kCompleted, seconds(1), kCaptureId));
  ReadOnce(kOrderId, {.thorough = true});
  EXPECT_THAT(std::vector<std::string>(reads_.reads().begin() + static_cast<std::ptrdiff_t>(before),
                                       reads_.reads().end()),
              ElementsAre(kOrderId, kCaptureId, kOtherOrderId));
  EXPECT_EQ(Published().back(), "refund.completed 5");
}

TEST_F(FamilyReaderTest, AChangeMakesTheRoundLookForOthersThatHappenedBeforeIt) {
  common::v1::Order root = Root(kCompleted);
  root.add_related_orders(kCaptureId);
  reads_.Show(root);
  common::v1::Order capture = Made("capture_of_order_id", kCaptureId, kCompleted, seconds(40));
  reads_.Show(capture);
  ReadOnce();
  // The refund of the capture came before the chargeback; only the latter's webhook arrived.
  capture.add_refund_orders(kRefundId);
  reads_.Show(capture);
  reads_.Show(Made("refund_of_order_id", kRefundId, kCompleted, seconds(20), kCaptureId));
  reads_.Show(Made("chargeback_of_order_id", kChargebackId, kCompleted, seconds(10)));
  ReadOnce(kOrderId, Naming(kChargebackId));
  EXPECT_THAT(Published(),
              ElementsAre("authorization.created 1", "authorization.completed 2",
                          "capture.completed 3", "refund.completed 4", "chargeback.completed 5"));
}

TEST_F(FamilyReaderTest, AMemberThatCannotBeReadDoesNotHoldItsRootBack) {
  common::v1::Order root = Root(kCompleted);
  root.add_refund_orders(kRefundId);
  reads_.Show(root);
  const ReadResult result = ReadOnce();
  EXPECT_EQ(result.outcome, ReadOutcome::kDone);
  EXPECT_EQ(result.member_outcome, ReadOutcome::kNotFound);
  EXPECT_THAT(Published(), ElementsAre("payment.created 1", "payment.completed 2"));

  reads_.Show(root = Root(kCompleted));  // no longer named: the family remembers it
  reads_.Show(Refund(kCompleted));
  EXPECT_EQ(ReadOnce().member_outcome, ReadOutcome::kDone);
  EXPECT_EQ(Published().back(), "refund.completed 3");
}

TEST_F(FamilyReaderTest, WhatMembersShowWaitsForOneThatMayHaveComeBefore) {
  constexpr const char* kEarlier = "e1000000-93b1-4f7a-8a53-1d0f6a4c2b10";
  common::v1::Order root = Root(kCompleted);
  root.add_refund_orders(kEarlier);
  root.add_refund_orders(kRefundId);
  reads_.Show(root);
  reads_.Show(Refund(kCompleted));
  EXPECT_EQ(ReadOnce().member_outcome, ReadOutcome::kNotFound);
  EXPECT_THAT(Published(), ElementsAre("payment.created 1", "payment.completed 2"));

  reads_.Show(Made("refund_of_order_id", kEarlier, kCompleted, seconds(40)));
  ReadOnce();
  EXPECT_THAT(Published(), ElementsAre("payment.created 1", "payment.completed 2",
                                       "refund.completed 3", "refund.completed 4"));
  EXPECT_EQ(HeaderOf(events_.events[2], "ce_subject"), kEarlier);
}

TEST_F(FamilyReaderTest, MembersDoNotWaitForEverForOneThatCannotBeRead) {
  common::v1::Order root = Root(kCompleted);
  root.add_refund_orders(kOtherOrderId);
  root.add_refund_orders(kRefundId);
  reads_.Show(root);
  reads_.Show(Refund(kCompleted));
  ReadOnce();
  EXPECT_THAT(Published(), SizeIs(2));
  ReadOnce(kOrderId, {.wait_for_members = false});
  EXPECT_EQ(Published().back(), "refund.completed 3");
}

/// Nobody but its hint tells that an order has changed that had ended.
TEST_F(FamilyReaderTest, ANamedMemberThatHadEndedIsLookedAtUntilItIsRead) {
  common::v1::Order root = Root(kCompleted);
  root.add_refund_orders(kRefundId);
  reads_.Show(root);
  reads_.Show(Refund(common::v1::ORDER_STATUS_ERROR));
  ReadOnce();
  reads_.Show(Refund(kCompleted));
  reads_.Fail(kRefundId, absl::InternalError("500"));
  EXPECT_NE(ReadOnce(kOrderId, Naming(kRefundId)).member_outcome, ReadOutcome::kDone);
  EXPECT_THAT(Published(), SizeIs(3));
  EXPECT_LE(DueTime(), clock_.WallNow() + minutes(15));
  reads_.Fail(kRefundId, absl::OkStatus());
  ReadOnce();
  EXPECT_EQ(Published().back(), "refund.completed 4");
  const std::size_t reads = reads_.reads().size();
  ReadOnce();
  EXPECT_EQ(reads_.reads().size(), reads + 1) << "the root alone";
}

TEST_F(FamilyReaderTest, SoAreThoseThatARoundDidNotComeTo) {
  common::v1::Order root = Root(kCompleted);
  ReadRequest naming;
  for (std::uint8_t i = 0; i <= kMaxMembersARound; ++i) {
    const std::string id = Uuid{{i, 9}}.ToString();
    root.add_refund_orders(id);
    naming.members.push_back(Id(id));
    reads_.Show(Made("refund_of_order_id", id, common::v1::ORDER_STATUS_ERROR));
  }
  reads_.Show(root);
  ReadOnce();
  ReadOnce();
  ASSERT_THAT(Published(), SizeIs(kMaxMembersARound + 3));
  reads_.Show(Made("refund_of_order_id", naming.members.back().ToString(), kCompleted));
  EXPECT_TRUE(ReadOnce(kOrderId, naming).partial);
  ReadOnce();
  EXPECT_EQ(Published().back(), "refund.completed " + std::to_string(kMaxMembersARound + 4));
}

TEST_F(FamilyReaderTest, AMemberThatIsNoLongerFoundKeepsItsFamilyDueAndOneThatNeverWasDoesNot) {
  common::v1::Order root = Root(kCompleted);
  root.add_refund_orders(kOtherOrderId);
  reads_.Show(root);
  ReadOnce();
  EXPECT_GT(DueTime(), clock_.WallNow() + minutes(30));
  reads_.Show(Refund(kProcessing));
  ReadOnce(kOrderId, {.members = {Id(kRefundId)}, .wait_for_members = false});
  reads_.Fail(kRefundId, domain::MakeError(absl::StatusCode::kNotFound, "no such order",
                                           {.reason = domain::reason::kOrderNotFound}));
  ReadOnce();
  EXPECT_EQ(DueTime(), clock_.WallNow() + minutes(15));
}

TEST_F(FamilyReaderTest, AnOutageWhileMembersAreReadSavesNothing) {
  common::v1::Order root = Root(kCompleted);
  root.add_refund_orders(kRefundId);
  reads_.Show(root);
  reads_.Fail(kRefundId, domain::MakeError(absl::StatusCode::kUnavailable, "the breaker is open",
                                           {.reason = domain::reason::kNotSent}));
  EXPECT_EQ(ReadOnce().outcome, ReadOutcome::kOutage);
  reads_.Fail(kRefundId, domain::MakeError(absl::StatusCode::kInternal, "401",
                                           {.reason = domain::reason::kUpstreamCredentials}));
  EXPECT_EQ(ReadOnce().outcome, ReadOutcome::kProjectRefused);
  EXPECT_THAT(events_.events, IsEmpty());
  EXPECT_EQ(Kept().version, 0U);
}

TEST_F(FamilyReaderTest, ANamedOrderWithoutALinkToTheFamilyIsIgnored) {
  reads_.Show(Root(kCompleted));
  reads_.Show(MakeOrder(kCompleted, kOtherOrderId));
  reads_.Show(Made("refund_of_order_id", kRefundId, kCompleted, seconds(10), kOtherOrderId));
  ReadOnce(kOrderId, {.members = {Id(kOtherOrderId), Id(kRefundId)}});
  EXPECT_THAT(Published(), ElementsAre("payment.created 1", "payment.completed 2"));
  EXPECT_THAT(Kept().snapshot.members(), IsEmpty());
}

TEST_F(FamilyReaderTest, AMembersReadOlderThanWhatIsKnownIsRepeated) {
  reads_.Show(Root(kCompleted));
  common::v1::Order refund = Refund(kProcessing);
  *refund.mutable_modified() = domain::ToTimestamp(clock_.WallNow());
  reads_.Show(refund);
  ReadOnce(kOrderId, Naming(kRefundId));
  const std::size_t before = reads_.reads().size();
  common::v1::Order lagging = Refund(kNew);
  *lagging.mutable_modified() = domain::ToTimestamp(clock_.WallNow() - seconds(9));
  reads_.AnswerNext(Root(kCompleted));
  reads_.AnswerNext(lagging);
  EXPECT_EQ(ReadOnce().published, 0U);
  EXPECT_EQ(reads_.reads().size(), before + 3);
}

TEST_F(FamilyReaderTest, AnUnpaidOrphanIsNoMember) {
  reads_.Show(Root(kCompleted));
  common::v1::Order refund = Refund(kProcessing);
  (*refund.mutable_extra()->mutable_fields())[std::string(domain::kMarkField)].set_string_value(
      domain::ToText({.operation = Id(kOtherOrderId), .epoch = "ab12cd34", .attempt = 2}));
  reads_.Show(refund);
  registry_.judgement = ports::MarkVerdict::kOrphan;
  ReadOnce(kOrderId, Naming(kRefundId));
  EXPECT_THAT(Published(), ElementsAre("payment.created 1", "payment.completed 2"));
  ASSERT_THAT(registry_.judged, SizeIs(1));
  EXPECT_EQ(registry_.judged[0].order, Key(kRefundId));
}

TEST_F(FamilyReaderTest, TheFamilyIsDueWithItsMemberThatIsNotFinal) {
  common::v1::Order root = Root(kCompleted);
  *root.mutable_completed() = domain::ToTimestamp(clock_.WallNow() - minutes(30));
  root.add_refund_orders(kRefundId);
  reads_.Show(root);
  reads_.Show(Refund(kProcessing));
  ReadOnce();
  EXPECT_EQ(DueTime(), clock_.WallNow() + seconds(30));
  common::v1::Order refunded = Refund(kCompleted);
  *refunded.mutable_completed() = domain::ToTimestamp(clock_.WallNow());
  reads_.Show(refunded);
  ReadOnce();
  EXPECT_EQ(DueTime(), clock_.WallNow() + hours(1)) << "after the latest end in the family";
}

TEST_F(FamilyReaderTest, AChargebackWhoseWebhookWasLostForDaysIsPublished) {
  reads_.Show(Root(kCompleted));
  ReadOnce();
  clock_.Advance(hours(24 * 20));
  common::v1::Order root = Root(kCompleted);
  root.add_chargeback_orders(kChargebackId);
  reads_.Show(root);
  common::v1::Order chargeback = Made("chargeback_of_order_id", kChargebackId, kCompleted);
  *chargeback.mutable_modified() = domain::ToTimestamp(clock_.WallNow() - hours(24 * 5));
  reads_.Show(chargeback);
  ReadOnce();
  EXPECT_EQ(Published().back(), "chargeback.completed 3");
}

TEST_F(FamilyReaderTest, AnOrderWithASnapshotStaysARoot) {
  reads_.Show(MakeOrder(kNew, kOtherOrderId));
  ReadOnce(kOtherOrderId);
  events_.events.clear();
  common::v1::Order linked = Made("related_order_id", kOtherOrderId, kCompleted);
  reads_.Show(linked);
  ReadOnce(kOtherOrderId);
  EXPECT_THAT(Published(), ElementsAre("payment.completed 2"));
  EXPECT_THAT(hints_.hints, IsEmpty());

  common::v1::Order root = Root(kCompleted);
  root.add_related_orders(kOtherOrderId);
  reads_.Show(root);
  ReadOnce();
  EXPECT_THAT(Kept().snapshot.members(), IsEmpty());
  EXPECT_EQ(Kept(kOtherOrderId).root, std::nullopt);
}

TEST_F(FamilyReaderTest, AManyMembersFamilyIsReadInSeveralRounds) {
  common::v1::Order root = Root(kCompleted);
  for (std::uint8_t i = 0; i < 100; ++i) {
    const std::string id = Uuid{{i, 9}}.ToString();
    root.add_refund_orders(id);
    reads_.Show(Made("refund_of_order_id", id, kCompleted));
  }
  reads_.Show(root);
  EXPECT_EQ(ReadOnce().published, 2U + kMaxMembersARound);
  EXPECT_LE(DueTime(), clock_.WallNow() + seconds(1));
  EXPECT_EQ(ReadOnce().published, 100U - kMaxMembersARound);
  EXPECT_EQ(events_.events.back().sequence(), 102U);
  EXPECT_GT(DueTime(), clock_.WallNow() + minutes(30));
}

/// Chargebacks, from which others can be made, and then one of the looks after the end.
TEST_F(FamilyReaderTest, ALookAtAllMembersOfALargeFamilyComesToItsEnd) {
  constexpr std::size_t kMembers = 300;
  common::v1::Order root = Root(kCompleted);
  std::set<std::string> ids;
  for (std::size_t i = 0; i < kMembers; ++i) {
    const auto high = static_cast<std::uint8_t>(i >> 8U);
    const std::string id = Uuid{{static_cast<std::uint8_t>(i), high, 9}}.ToString();
    ids.insert(id);
    root.add_chargeback_orders(id);
    reads_.Show(Made("chargeback_of_order_id", id, kCompleted));
  }
  reads_.Show(root);
  const ReadRequest look{.thorough = true};
  const auto read_to_the_end = [&] {
    std::size_t rounds = 0;
    do {
      EXPECT_LT(++rounds, 20U) << "it never ends";
      ReadOnce(kOrderId, look);
    } while (rounds < 20 && *DueTime() <= clock_.WallNow() + minutes(1));
    return rounds;
  };
  read_to_the_end();
  ASSERT_THAT(events_.events, SizeIs(kMembers + 2));

  const std::size_t before = reads_.reads().size();
  const std::size_t rounds = read_to_the_end();
  EXPECT_EQ(rounds, (kMembers + kMaxMembersARound - 1) / kMaxMembersARound);
  const auto first = reads_.reads().begin() + static_cast<std::ptrdiff_t>(before);
  const std::set<std::string> looked_at(first, reads_.reads().end());
  EXPECT_EQ(reads_.reads().size() - before, kMembers + rounds) << "each once, and the root";
  EXPECT_TRUE(std::ranges::includes(looked_at, ids));
  EXPECT_TRUE(Kept().snapshot.cycle_after().empty());
}

TEST_F(FamilyReaderTest, MembersThatAreNeverFoundDoNotStarveTheOthers) {
  common::v1::Order root = Root(kCompleted);
  for (std::uint8_t i = 0; i < 70; ++i) root.add_refund_orders(Uuid{{i, 9}}.ToString());
  root.add_refund_orders(kRefundId);
  reads_.Show(root);
  const ReadRequest look{.thorough = true, .wait_for_members = false};
  ReadOnce(kOrderId, look);
  reads_.Show(Refund(kCompleted));
  for (int rounds = 0; rounds < 4 && Published().back() != "refund.completed 3"; ++rounds) {
    ReadOnce(kOrderId, look);
  }
  EXPECT_EQ(Published().back(), "refund.completed 3");
}

TEST_F(FamilyReaderTest, ARoundThatTakesLongGoesOnWithTheNext) {
  common::v1::Order root = Root(kCompleted);
  for (std::uint8_t i = 0; i < 10; ++i) root.add_refund_orders(Uuid{{i, 9}}.ToString());
  reads_.Show(root);
  reads_.during_read = [this](const std::string& order) -> boost::asio::awaitable<void> {
    if (order != kOrderId) co_await clock_.Sleep(seconds(10));
  };
  const WallTime begun = clock_.WallNow();
  ReadOnce(kOrderId, {.wait_for_members = false});
  EXPECT_LE(clock_.WallNow() - begun, kLongestRound + seconds(10));
  EXPECT_THAT(Published(), ElementsAre("payment.created 1", "payment.completed 2"));
  EXPECT_LE(DueTime(), clock_.WallNow() + seconds(1));
}

TEST_F(FamilyReaderTest, HintsThatGoInACircleEnd) {
  reads_.Show(Made("refund_of_order_id", kRefundId, kCompleted));
  reads_.Show(Root(kCompleted));
  EXPECT_EQ(ReadOnce(kRefundId, {.hops = 2}).outcome, ReadOutcome::kDone);
  ASSERT_THAT(hints_.hints, SizeIs(1));
  EXPECT_EQ(hints_.hints[0].hops(), 3U);
  EXPECT_EQ(ReadOnce(kRefundId, {.hops = 8}).outcome, ReadOutcome::kFailed);
  EXPECT_THAT(hints_.hints, SizeIs(1));
}

TEST_F(FamilyReaderTest, ARepeatAfterACrashIsAnExactCopyOfTheWholeFamilysEvents) {
  common::v1::Order root = Root(kCompleted);
  root.add_refund_orders(kRefundId);
  reads_.Show(root);
  reads_.Show(Refund(kCompleted));
  events_.take_only = 2;
  EXPECT_EQ(ReadOnce().outcome, ReadOutcome::kOutage);
  events_.take_only.reset();
  EXPECT_EQ(ReadOnce().outcome, ReadOutcome::kDone);
  ASSERT_THAT(events_.events, SizeIs(5));
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(events_.events[i].SerializeAsString(), events_.events[i + 2].SerializeAsString());
  }
}

/// Orders 0, 1, 2, ...: each made from the one before it, 0 from nothing.
class RootFinderTest : public FamilyFixture {
 protected:
  static std::string Nth(int n) { return Uuid{{static_cast<std::uint8_t>(n), 7}}.ToString(); }
  void ShowChain(int last) {
    reads_.Show(MakeOrder(kCompleted, Nth(0)));
    for (int n = 1; n <= last; ++n) {
      reads_.Show(Made("related_order_id", Nth(n), kCompleted, seconds(10), Nth(n - 1)));
    }
  }
};

TEST_F(RootFinderTest, FiveLinksAreFollowed) {
  ShowChain(5);
  EXPECT_EQ(ReadOnce(Nth(5)).outcome, ReadOutcome::kDone);
  ASSERT_THAT(hints_.hints, SizeIs(1));
  EXPECT_EQ(hints_.hints[0].order_id(), Nth(0));
  EXPECT_EQ(hints_.hints[0].member(), Nth(5));
}

TEST_F(RootFinderTest, TheRootTakesInTheWholeChain) {
  ShowChain(5);
  ReadOnce(Nth(0), Naming(Nth(5)));
  EXPECT_EQ(Kept(Nth(0)).snapshot.members_size(), 5);
}

TEST_F(RootFinderTest, ASixthLinkIsAFailureOfThatOrderAlone) {
  ShowChain(6);
  EXPECT_EQ(ReadOnce(Nth(6)).outcome, ReadOutcome::kFailed);
  EXPECT_THAT(hints_.hints, IsEmpty());
}

TEST_F(RootFinderTest, ALoopIsAFailureOfThatOrderAlone) {
  ShowChain(2);
  reads_.Show(Made("related_order_id", Nth(0), kCompleted, seconds(10), Nth(2)));
  EXPECT_EQ(ReadOnce(Nth(2)).outcome, ReadOutcome::kFailed);
  reads_.Show(Made("related_order_id", Nth(3), kCompleted, seconds(10), Nth(3)));
  EXPECT_EQ(ReadOnce(Nth(3)).outcome, ReadOutcome::kFailed) << "made from itself";
  EXPECT_THAT(hints_.hints, IsEmpty());
}

TEST_F(RootFinderTest, ALinkThatIsNoOrderIdIsAFailure) {
  reads_.Show(Made("related_order_id", Nth(1), kCompleted, seconds(10), "../etc"));
  EXPECT_EQ(ReadOnce(Nth(1)).outcome, ReadOutcome::kFailed);
}

TEST_F(RootFinderTest, AParentThatIsAMemberTellsItsRootAtOnce) {
  ShowChain(3);
  ReadOnce(Nth(2));
  const std::size_t before = reads_.reads().size();
  ReadOnce(Nth(3));
  EXPECT_EQ(reads_.reads().size(), before + 1);
  EXPECT_EQ(hints_.hints.back().order_id(), Nth(0));
}

TEST_F(RootFinderTest, AParentWithASnapshotIsTheRoot) {
  ShowChain(2);
  reads_.Show(MakeOrder(kCompleted, Nth(1)));
  ReadOnce(Nth(1));  // shows its link only later
  ShowChain(2);
  ReadOnce(Nth(2));
  EXPECT_EQ(hints_.hints.back().order_id(), Nth(1));
}

TEST_F(RootFinderTest, AParentThatIsNotFoundIsAFailureAndAnOutageIsNone) {
  reads_.Show(Refund(kCompleted));
  EXPECT_EQ(ReadOnce(kRefundId).outcome, ReadOutcome::kFailed);
  reads_.Fail(kOrderId, domain::MakeError(absl::StatusCode::kUnavailable, "the breaker is open",
                                          {.reason = domain::reason::kNotSent}));
  EXPECT_EQ(ReadOnce(kRefundId).outcome, ReadOutcome::kOutage);
}

TEST_F(RootFinderTest, APaymentLinkIsNoParent) {
  common::v1::Order order = MakeOrder(kCompleted);
  order.set_related_payment_link_id(kOtherOrderId);
  reads_.Show(order);
  EXPECT_EQ(ReadOnce().published, 2U);
  EXPECT_THAT(hints_.hints, IsEmpty());
}

}  // namespace
}  // namespace tollbridge::events
