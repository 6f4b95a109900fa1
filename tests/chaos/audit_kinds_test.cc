// The auditor finds what is planted under the kinds whose effects are payouts, stored cards and
// payment links, and says nothing of what they do not promise (docs/reliability.md).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "tests/chaos/audit_world.h"
#include "tests/chaos/auditor/audit.h"

namespace tollbridge::chaos {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr AuditOptions kLate{.late_beyond_bound = true};

/// All calls and records of a key, taken out.
void Forget(AuditWorld& world, const std::string& key) {
  std::erase_if(world.history.told, [&](const Told& told) { return told.key == key; });
  const std::string operation = AuditWorld::OperationOf(key);
  std::erase_if(world.history.operations,
                [&](const OperationLine& line) { return line.operation == operation; });
}

void Drop(AuditWorld& world, const std::string& effect, const std::string& order) {
  std::erase_if(world.history.ledger, [&](const Effect& one) {
    return one.effect == effect && (order.empty() || one.order == AuditWorld::Id(order));
  });
}

/// Closed as it is when the answer to what cannot be read back was lost.
void LoseAnswer(AuditWorld& world, const std::string& key, const std::string& rpc) {
  world.Record(key, rpc, "RUNNING");
  world.Record(key, rpc, "NOT_EXECUTED").evidence =
      "no definite answer: reset; cannot be read back";
  world.TellError(key, rpc, "UPSTREAM_UNAVAILABLE", "SAFE_SAME_KEY");
}

// Payouts.

/// A second order of the payout, made by a later run.
void PayOutAgain(AuditWorld& world) {
  world.AddOrder("prize-2", "payout-prize", 2);
  world.AddEffect("payout", "prize-2", "prize-2");
}

TEST(AuditPayoutTest, TwoPayoutsOfOneKeyAreDouble) {
  AuditWorld world;
  PayOutAgain(world);
  EXPECT_THAT(Kinds(Audit(world.history)), Contains(contradiction::kDouble));
  // Also where the order is known to be an orphan: the money went out twice.
  world.Record("payout-prize", "CreatePayout", "DONE").orphan = AuditWorld::Id("prize-2");
  EXPECT_THAT(Kinds(Audit(world.history)), ElementsAre(contradiction::kDouble));
}

TEST(AuditPayoutTest, AnOrderThatAnEarlierRunLeftWithoutPayingIsNone) {
  AuditWorld world;
  world.AddOrder("prize-2", "payout-prize", 2).transaction_status = "new";
  EXPECT_THAT(Kinds(Audit(world.history)), IsEmpty());
  world.Record("payout-prize", "CreatePayout", "DONE").orphan = AuditWorld::Id("prize-2");
  EXPECT_THAT(Kinds(Audit(world.history)), IsEmpty());
  world.AddEvent("prize-2", "tollbridge.payment.created.v1", 1);
  EXPECT_THAT(Kinds(Audit(world.history)), ElementsAre(contradiction::kEventOfOrphan));
}

TEST(AuditPayoutTest, TwoOrdersOfOneRunAreDouble) {
  AuditWorld world;
  world.AddOrder("prize-2", "payout-prize").transaction_status = "new";
  EXPECT_THAT(Kinds(Audit(world.history)), ElementsAre(contradiction::kDouble));
}

TEST(AuditPayoutTest, ALateOneBesideTheOneThatWasToldIsInOrderWhereItWasPlantedAndAPersonKnows) {
  AuditWorld world;
  PayOutAgain(world);
  world.Record("payout-prize", "CreatePayout", "DONE").orphan = AuditWorld::Id("prize-2");
  OpenLine& review = world.Leave("review-of-prize", "CreatePayout", "NEEDS_REVIEW", "ORPHAN_PAID");
  review.review_of = AuditWorld::OperationOf("payout-prize");
  review.order = AuditWorld::Id("prize-2");
  Report late = Audit(world.history, kLate);
  EXPECT_THAT(Kinds(late), ElementsAre(contradiction::kNoLateEffect)) << Text(late, 0);
  ASSERT_THAT(late.reviews, SizeIs(1));
  EXPECT_THAT(late.reviews[0].text, HasSubstr("as planted"));
  EXPECT_THAT(Kinds(Audit(world.history)),
              ElementsAre(contradiction::kDouble, contradiction::kUnexplainedReview));
}

TEST(AuditPayoutTest, OneThatWasToldAndIsNotThereIsFound) {
  AuditWorld world;
  Drop(world, "payout", "prize");
  EXPECT_THAT(Kinds(Audit(world.history)), Contains(contradiction::kToldWithoutEffect));
}

TEST(AuditPayoutTest, OneThatIsStillToBeStartedWasToldWithoutEffect) {
  AuditWorld world;
  Drop(world, "payout", "prize");
  std::erase_if(world.history.events,
                [](const EventLine& event) { return event.order == AuditWorld::Id("prize"); });
  KnownOrder& order =
      *std::ranges::find(world.history.orders, AuditWorld::Id("prize"), &KnownOrder::id);
  order.transaction_status = "declined";
  EXPECT_THAT(Kinds(Audit(world.history)), IsEmpty());
  order.transaction_status = "new";
  EXPECT_THAT(Kinds(Audit(world.history)), ElementsAre(contradiction::kToldWithoutEffect));
}

TEST(AuditPayoutTest, OneThatWasRefusedIsDenied) {
  AuditWorld world;
  Forget(world, "payout-prize");
  world.TellError("payout-prize", "CreatePayout", "UPSTREAM_REFUSED", "AFTER_CHANGE");
  EXPECT_THAT(Kinds(Audit(world.history)), ElementsAre(contradiction::kDenied));
  // That its order is an orphan does not tell of the payout.
  world.Record("payout-prize", "CreatePayout", "NOT_EXECUTED").orphan = AuditWorld::Id("prize");
  EXPECT_THAT(Kinds(Audit(world.history)), Contains(contradiction::kDenied));
}

TEST(AuditPayoutTest, ALateOneThatNobodyNoticedIsFound) {
  AuditWorld world;
  Forget(world, "payout-prize");
  world.TellError("payout-prize", "CreatePayout", "NOT_SENT", "SAFE_SAME_KEY");
  world.Record("payout-prize", "CreatePayout", "NOT_EXECUTED").at = 1;
  EXPECT_THAT(Kinds(Audit(world.history, kLate)),
              ElementsAre(contradiction::kDenied, contradiction::kLateEffectMissed));
  world.Leave("payout-prize", "CreatePayout", "NEEDS_REVIEW", "LATE_EFFECT");
  world.history.operations.back().at += 1'000;  // later than clocks differ
  EXPECT_THAT(Kinds(Audit(world.history, kLate)), IsEmpty());
  EXPECT_THAT(Kinds(Audit(world.history)),
              ElementsAre(contradiction::kQuarantineTooShort, contradiction::kUnexplainedReview));
}

TEST(AuditPayoutTest, OneOfAnOrderThatNobodyAskedForIsFound) {
  AuditWorld world;
  world.AddOrder("stray", "");
  world.AddEffect("payout", "stray", "stray");
  EXPECT_THAT(Kinds(Audit(world.history)), ElementsAre(contradiction::kEffectWithoutOperation));
}

TEST(AuditPayoutTest, AnEventOfOneThatIsNotInTheLedgerIsFound) {
  AuditWorld world;
  world.AddOrder("prize-2", "payout-prize", 2).transaction_status = "new";
  world.AddEvent("prize-2", "tollbridge.payout.completed.v1", 1);
  EXPECT_THAT(Kinds(Audit(world.history)), ElementsAre(contradiction::kEventWithoutEffect));
}

// Stored cards and exchanged wallet tokens.

struct CardCase {
  std::string rpc;
  std::string key;
  std::string order;
};

class AuditCardTest : public testing::TestWithParam<CardCase> {
 protected:
  const CardCase& with() const { return GetParam(); }
  AuditWorld world_;
};

TEST_P(AuditCardTest, TwoOfOneTransactionAreDouble) {
  world_.AddEffect("card", with().order, "another token");
  EXPECT_THAT(Kinds(Audit(world_.history)), ElementsAre(contradiction::kDouble));
}

TEST_P(AuditCardTest, OneThatWasToldAndIsNotThereIsFound) {
  Drop(world_, "card", with().order);
  EXPECT_THAT(Kinds(Audit(world_.history)), ElementsAre(contradiction::kToldWithoutEffect));
}

TEST_P(AuditCardTest, OneThatIsSaidToBeDoneWithoutItsResultMustBeThere) {
  Forget(world_, with().key);
  world_.TellError(with().key, with().rpc, "RESULT_NOT_KEPT", "NEVER");
  world_.Done(with().key, with().rpc, with().order);
  EXPECT_THAT(Kinds(Audit(world_.history)), IsEmpty());
  Drop(world_, "card", with().order);
  EXPECT_THAT(Kinds(Audit(world_.history)), ElementsAre(contradiction::kToldWithoutEffect));
}

TEST_P(AuditCardTest, TwoTokensToldToOneKeyAreFound) {
  world_.TellResult(with().key, with().rpc, "another token");
  EXPECT_THAT(Kinds(Audit(world_.history)), Contains(contradiction::kTwoResults));
}

TEST_P(AuditCardTest, OneToldAsTheAnswerToTwoKeysIsFound) {
  world_.TellResult("other-" + with().order, with().rpc, "token of " + with().order);
  world_.Done("other-" + with().order, with().rpc, with().order);
  EXPECT_THAT(Kinds(Audit(world_.history)), ElementsAre(contradiction::kSharedEffect));
}

TEST_P(AuditCardTest, OneThatWasRefusedToEveryoneWhoAskedIsDenied) {
  Forget(world_, with().key);
  world_.TellError(with().key, with().rpc, "UPSTREAM_REFUSED", "AFTER_CHANGE");
  EXPECT_THAT(Kinds(Audit(world_.history)), ElementsAre(contradiction::kDenied));
}

TEST_P(AuditCardTest, OneThatWasNotSentIsDeniedUnlessAnEarlierAnswerWasLost) {
  Forget(world_, with().key);
  world_.TellError(with().key, with().rpc, "NOT_SENT", "SAFE_SAME_KEY");
  world_.Record(with().key, with().rpc, "NOT_EXECUTED").at = 1;
  EXPECT_THAT(Kinds(Audit(world_.history)), ElementsAre(contradiction::kDenied));
  LoseAnswer(world_, with().key, with().rpc);
  const Report report = Audit(world_.history);
  EXPECT_THAT(Kinds(report), IsEmpty()) << Text(report, 0);
}

TEST_P(AuditCardTest, WhereTheTokenWasSpentByALostRunNothingIsDenied) {
  Forget(world_, with().key);
  LoseAnswer(world_, with().key, with().rpc);
  world_.Record(with().key, with().rpc, "RUNNING");
  world_.Record(with().key, with().rpc, "DONE");
  world_.TellError(with().key, with().rpc, "SETUP_TOKEN_SPENT", "AFTER_CHANGE");
  EXPECT_THAT(Kinds(Audit(world_.history)), IsEmpty());
}

TEST_P(AuditCardTest, OneThatComesAfterItsRunWasClosedIsNoLateEffect) {
  Forget(world_, with().key);
  LoseAnswer(world_, with().key, with().rpc);
  world_.AddOrder("hat", "");
  const auto card = std::ranges::find_if(world_.history.ledger, [&](const Effect& effect) {
    return effect.effect == "card" && effect.order == AuditWorld::Id(with().order);
  });
  ASSERT_NE(card, world_.history.ledger.end());
  card->at = world_.history.orders.back().created;
  EXPECT_THAT(Kinds(Audit(world_.history)), IsEmpty());
  EXPECT_THAT(Kinds(Audit(world_.history, kLate)), ElementsAre(contradiction::kNoLateEffect));
}

TEST_P(AuditCardTest, AnAnswerThatCameAfterTheClosingIsExplainedIfTheCardIsThere) {
  Forget(world_, with().key);
  LoseAnswer(world_, with().key, with().rpc);
  world_.Leave(with().key, with().rpc, "NEEDS_REVIEW", "LATE_EFFECT");
  const Report report = Audit(world_.history);
  EXPECT_TRUE(report.ok()) << Text(report, 0);
  ASSERT_THAT(report.reviews, SizeIs(1));
  EXPECT_THAT(report.reviews[0].text, HasSubstr("can be read back"));
  Drop(world_, "card", with().order);
  EXPECT_THAT(Kinds(Audit(world_.history)), ElementsAre(contradiction::kUnexplainedReview));
}

TEST_P(AuditCardTest, OneThatIsStillUnknownIsUnresolved) {
  Forget(world_, with().key);
  world_.Tell(with().key, with().rpc).pending = "UNKNOWN";
  world_.Leave(with().key, with().rpc, "UNKNOWN");
  EXPECT_THAT(Kinds(Audit(world_.history)), ElementsAre(contradiction::kUnresolved));
}

INSTANTIATE_TEST_SUITE_P(OfEachKind, AuditCardTest,
                         testing::Values(CardCase{"StoreCard", "store-shirt", "shirt"},
                                         CardCase{"ExchangeWalletBToken", "exchange-watch",
                                                  "watch"}),
                         [](const auto& info) { return info.param.rpc; });

TEST(AuditCardOwnerTest, OneThatNobodyAskedForIsFoundUnlessAPayoutStoredIt) {
  AuditWorld world;
  world.AddEffect("card", "order-to-void", "a stray token");
  EXPECT_THAT(Kinds(Audit(world.history)), ElementsAre(contradiction::kEffectWithoutOperation));
}

// Payment links.

TEST(AuditLinkTest, TwoOfOneKeyAreDoubleUnlessTheAnswerToOneWasLost) {
  AuditWorld world;
  world.AddLink("link-1", "second link");
  EXPECT_THAT(Kinds(Audit(world.history)), ElementsAre(contradiction::kDouble));
  LoseAnswer(world, "link-1", "CreatePaymentLink");
  EXPECT_THAT(Kinds(Audit(world.history)), IsEmpty());
  world.AddLink("link-1", "third link");
  EXPECT_THAT(Kinds(Audit(world.history)), ElementsAre(contradiction::kDouble));
}

TEST(AuditLinkTest, OneMayWaitUnderItsKeyBesideThatOfARunWhoseAnswerWasLost) {
  AuditWorld world;
  Forget(world, "link-1");
  LoseAnswer(world, "link-1", "CreatePaymentLink");
  world.AddLink("link-1", "second link");
  // Nobody calls again.
  world.Done("link-1", "CreatePaymentLink", "");
  EXPECT_THAT(Kinds(Audit(world.history)), IsEmpty());
  world.AddLink("link-1", "third link");
  EXPECT_THAT(Kinds(Audit(world.history)), ElementsAre(contradiction::kDouble));
}

TEST(AuditLinkTest, TwoThatAreToldToOneKeyAreFound) {
  AuditWorld world;
  LoseAnswer(world, "link-1", "CreatePaymentLink");
  world.AddLink("link-1", "second link");
  world.TellResult("link-1", "CreatePaymentLink", "second link");
  EXPECT_THAT(Kinds(Audit(world.history)), ElementsAre(contradiction::kTwoResults));
}

TEST(AuditLinkTest, OneThatWasToldAndIsNotThereIsFound) {
  AuditWorld world;
  Drop(world, "payment_link", "");
  EXPECT_THAT(Kinds(Audit(world.history)), ElementsAre(contradiction::kToldWithoutEffect));
}

TEST(AuditLinkTest, OneOfAnotherKeyIsNoResult) {
  AuditWorld world;
  world.TellResult("link-2", "CreatePaymentLink", "first link");
  world.Done("link-2", "CreatePaymentLink", "");
  EXPECT_THAT(Kinds(Audit(world.history)), ElementsAre(contradiction::kToldWithoutEffect));
}

TEST(AuditLinkTest, OneThatWasRefusedIsDenied) {
  AuditWorld world;
  Forget(world, "link-1");
  world.TellError("link-1", "CreatePaymentLink", "UPSTREAM_REFUSED", "AFTER_CHANGE");
  EXPECT_THAT(Kinds(Audit(world.history)), ElementsAre(contradiction::kDenied));
}

TEST(AuditLinkTest, OneThatNobodyWasGivenIsInOrderWhereTheAnswerWasLost) {
  AuditWorld world;
  Forget(world, "link-1");
  LoseAnswer(world, "link-1", "CreatePaymentLink");
  EXPECT_THAT(Kinds(Audit(world.history)), IsEmpty());
  EXPECT_THAT(Kinds(Audit(world.history, kLate)), ElementsAre(contradiction::kNoLateEffect));
}

TEST(AuditLinkTest, OneThatNobodyAskedForIsFound) {
  AuditWorld world;
  world.AddLink("nobodys", "stray link");
  EXPECT_THAT(Kinds(Audit(world.history)), ElementsAre(contradiction::kEffectWithoutOperation));
}

// Wallet B payments: as the other starts.

TEST(AuditWalletTest, TwoChargesOfOnePaymentAreDouble) {
  AuditWorld world;
  world.AddEffect("charge", "watch", "watch");
  EXPECT_THAT(Kinds(Audit(world.history)), ElementsAre(contradiction::kDouble));
}

TEST(AuditWalletTest, AChargeThatWasRefusedToEveryoneWhoAskedIsDenied) {
  AuditWorld world;
  Forget(world, "execute-watch");
  world.TellError("execute-watch", "ExecuteWalletBPayment", "UPSTREAM_REFUSED", "AFTER_CHANGE");
  EXPECT_THAT(Kinds(Audit(world.history)), ElementsAre(contradiction::kDenied));
}

TEST(AuditWalletTest, AChargeThatWasToldAndIsNotThereIsFound) {
  AuditWorld world;
  Drop(world, "charge", "watch");
  EXPECT_THAT(Kinds(Audit(world.history)), Contains(contradiction::kToldWithoutEffect));
}

TEST(AuditWalletTest, AChargeOfAnotherKeyWhoseRecordsAreForgottenIsNotLate) {
  AuditWorld world;
  Forget(world, "execute-watch");
  world.TellError("execute-watch", "ExecuteWalletBPayment", "NOT_SENT", "SAFE_SAME_KEY");
  world.Record("execute-watch", "ExecuteWalletBPayment", "NOT_EXECUTED").at = 1;
  Told& other = world.Tell("execute-watch-too", "ExecuteWalletBPayment");
  other.order = world.told("execute-watch").order;
  other.transaction = world.told("execute-watch").transaction;
  other.pending = "UNKNOWN";
  world.Record("execute-watch-too", "ExecuteWalletBPayment", "NOT_EXECUTED").at = 1;
  const auto missed = Contains(contradiction::kLateEffectMissed);
  EXPECT_THAT(Kinds(Audit(world.history, kLate)), missed) << "no memory was lost";
  world.history.disturbances.push_back({.at = other.at, .what = "memory_lost"});
  EXPECT_THAT(Kinds(Audit(world.history, kLate)), testing::Not(missed));
}

TEST(AuditWalletTest, AChargeThatCameLateAndThatNobodyNoticedIsFound) {
  AuditWorld world;
  Forget(world, "execute-watch");
  world.TellError("execute-watch", "ExecuteWalletBPayment", "NOT_SENT", "SAFE_SAME_KEY");
  world.Record("execute-watch", "ExecuteWalletBPayment", "NOT_EXECUTED").at = 1;
  EXPECT_THAT(Kinds(Audit(world.history, kLate)),
              ElementsAre(contradiction::kDenied, contradiction::kLateEffectMissed));
}

}  // namespace
}  // namespace tollbridge::chaos
