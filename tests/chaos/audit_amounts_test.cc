// The auditor compares what calls asked for, what came of them at the payment service, and what
// their callers were told, by amount and currency.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>

#include "services/domain/mark.h"
#include "tests/chaos/audit_world.h"
#include "tests/chaos/auditor/audit.h"

namespace tollbridge::chaos {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// The line of the ledger that shows `result`.
Effect& EffectOf(AuditWorld& world, const std::string& effect, const std::string& result) {
  for (Effect& one : world.history.ledger) {
    if (one.effect == effect && one.result == AuditWorld::Id(result)) return one;
  }
  throw std::runtime_error("no " + effect + " " + result);
}

KnownOrder& OrderOf(AuditWorld& world, const std::string& name) {
  return *std::ranges::find(world.history.orders, AuditWorld::Id(name), &KnownOrder::id);
}

struct EffectCase {
  std::string name;
  std::string effect;
  std::string result;
};

class AmountDoneTest : public testing::TestWithParam<EffectCase> {};

TEST_P(AmountDoneTest, AnotherThanWasAskedForIsFound) {
  AuditWorld world;
  EffectOf(world, GetParam().effect, GetParam().result).amount += 1;
  EXPECT_THAT(Kinds(Audit(world.history)), ElementsAre(contradiction::kOtherAmountDone));
}

TEST_P(AmountDoneTest, OfAnotherCurrencyThanWasAskedForIsFound) {
  AuditWorld world;
  EffectOf(world, GetParam().effect, GetParam().result).currency = "CHF";
  EXPECT_THAT(Kinds(Audit(world.history)), ElementsAre(contradiction::kOtherAmountDone));
}

INSTANTIATE_TEST_SUITE_P(OfEachKind, AmountDoneTest,
                         testing::Values(EffectCase{"charge", "charge", "shirt"},
                                         EffectCase{"wallet", "charge", "watch"},
                                         EffectCase{"authorize", "authorize", "order-to-void"},
                                         EffectCase{"capture", "capture", "capture-order"},
                                         EffectCase{"void", "void", "void-order"},
                                         EffectCase{"refund", "refund", "shirt-refund"},
                                         EffectCase{"payout", "payout", "prize"},
                                         EffectCase{"link", "payment_link", "first link"}),
                         [](const auto& info) { return info.param.name; });

TEST(AuditAmountTest, WhatWasAskedForDoneAndToldStandsInTheFinding) {
  AuditWorld world;
  EffectOf(world, "refund", "shirt-refund").amount = 700;
  const Report report = Audit(world.history);
  ASSERT_THAT(report.contradictions, SizeIs(1)) << Text(report, 0);
  EXPECT_THAT(report.contradictions[0].text,
              AllOf(HasSubstr("refund-shirt"), HasSubstr("asked for 500 EUR"),
                    HasSubstr("of 700 EUR"), HasSubstr("told 500 EUR")));
}

class OrderAmountTest : public testing::TestWithParam<std::string> {};

TEST_P(OrderAmountTest, AnotherThanWasAskedForIsFound) {
  AuditWorld world;
  OrderOf(world, GetParam()).amount += 1;
  EXPECT_THAT(Kinds(Audit(world.history)), ElementsAre(contradiction::kOtherAmountDone));
}

TEST_P(OrderAmountTest, OfAnotherCurrencyThanWasAskedForIsFound) {
  AuditWorld world;
  OrderOf(world, GetParam()).currency = "CHF";
  EXPECT_THAT(Kinds(Audit(world.history)), ElementsAre(contradiction::kOtherAmountDone));
}

INSTANTIATE_TEST_SUITE_P(OfCreatesAndPayouts, OrderAmountTest, testing::Values("shirt", "prize"),
                         [](const auto& info) { return info.param; });

TEST(AuditAmountTest, AnOrphanOfAnotherAmountIsFound) {
  AuditWorld world;
  world.AddOrder("shirt-2", "create-shirt", 2).amount = 900;
  world.Record("create-shirt", "CreateOrder", "DONE").orphan = AuditWorld::Id("shirt-2");
  EXPECT_THAT(Kinds(Audit(world.history)), ElementsAre(contradiction::kOtherAmountDone));
}

class AmountToldTest : public testing::TestWithParam<std::string> {};

TEST_P(AmountToldTest, AnotherThanWasAskedForIsFound) {
  AuditWorld world;
  world.told(GetParam()).told_amount += 1;
  EXPECT_THAT(Kinds(Audit(world.history)), ElementsAre(contradiction::kOtherAmountTold));
}

TEST_P(AmountToldTest, OfAnotherCurrencyOrOfNoneIsFound) {
  AuditWorld world;
  world.told(GetParam()).told_currency = "CHF";
  EXPECT_THAT(Kinds(Audit(world.history)), ElementsAre(contradiction::kOtherAmountTold));
  world.told(GetParam()).told_currency.clear();
  EXPECT_THAT(Kinds(Audit(world.history)), ElementsAre(contradiction::kOtherAmountTold));
}

INSTANTIATE_TEST_SUITE_P(OfEachKind, AmountToldTest,
                         testing::Values("create-shirt", "pay-shirt", "pay-order-to-void",
                                         "capture-order-to-capture", "void-order-to-void",
                                         "refund-shirt", "payout-prize", "link-1"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(AuditAmountTest, OfAReplayIsComparedToo) {
  AuditWorld world;
  world.TellResult("refund-shirt", "CreateRefund", "shirt-refund");
  EXPECT_THAT(Kinds(Audit(world.history)), IsEmpty());
  world.history.told.back().told_amount = 1250;
  EXPECT_THAT(Kinds(Audit(world.history)), ElementsAre(contradiction::kOtherAmountTold));
}

TEST(AuditAmountTest, OfAWalletsPaymentIsComparedWhereTheResultShowsIt) {
  AuditWorld world;
  Told& told = world.told("execute-watch");
  ASSERT_THAT(told.told_currency, IsEmpty());
  told.knowledge = "RECOVERED";
  told.told_amount = told.amount;
  told.told_currency = told.currency;
  EXPECT_THAT(Kinds(Audit(world.history)), IsEmpty());
  told.told_amount += 1;
  EXPECT_THAT(Kinds(Audit(world.history)), ElementsAre(contradiction::kOtherAmountTold));
}

TEST(AuditAmountTest, ACaptureThatNamesNoneIsOfAllThatTheOrderIsOf) {
  AuditWorld world;
  Told& told = world.told("capture-order-to-capture");
  told.amount = 0;
  told.currency.clear();
  EXPECT_THAT(Kinds(Audit(world.history)), IsEmpty());
  EffectOf(world, "capture", "capture-order").amount = 700;
  EXPECT_THAT(Kinds(Audit(world.history)), ElementsAre(contradiction::kOtherAmountDone));
  told.told_amount = 700;
  EXPECT_THAT(Kinds(Audit(world.history)),
              ElementsAre(contradiction::kOtherAmountDone, contradiction::kOtherAmountTold));
}

TEST(AuditAmountTest, ACaptureOfAPartIsOfThatPartInTheOrdersCurrency) {
  AuditWorld world;
  Told& told = world.told("capture-order-to-capture");
  told.amount = told.told_amount = 700;
  told.currency.clear();
  EXPECT_THAT(Kinds(Audit(world.history)), ElementsAre(contradiction::kOtherAmountDone));
  EffectOf(world, "capture", "capture-order").amount = 700;
  EXPECT_THAT(Kinds(Audit(world.history)), IsEmpty());
  EffectOf(world, "capture", "capture-order").currency = "CHF";
  EXPECT_THAT(Kinds(Audit(world.history)), ElementsAre(contradiction::kOtherAmountDone));
}

/// One more call with the key, for another amount.
Told& AskForAnother(AuditWorld& world, const std::string& key, const std::string& rpc,
                    std::int64_t amount) {
  Told& told = world.Tell(key, rpc);
  told.amount = amount;
  return told;
}

TEST(AuditAmountTest, OfACallThatWasRefusedItsKeyIsNotThatOfTheOperation) {
  AuditWorld world;
  Told& told = AskForAnother(world, "refund-shirt", "CreateRefund", 700);
  told.reason = "IDEMPOTENCY_KEY_REUSED";
  told.retry = "AFTER_CHANGE";
  EXPECT_THAT(Kinds(Audit(world.history)), IsEmpty());
  EffectOf(world, "refund", "shirt-refund").amount = 700;
  EXPECT_THAT(Kinds(Audit(world.history)), ElementsAre(contradiction::kOtherAmountDone));
}

TEST(AuditAmountTest, AResultToldToACallForAnotherAmountIsFound) {
  AuditWorld world;
  world.TellResult("refund-shirt", "CreateRefund", "shirt-refund");
  world.history.told.back().amount = 700;
  EXPECT_THAT(Kinds(Audit(world.history)), ElementsAre(contradiction::kOtherAmountTold));
}

TEST(AuditAmountTest, WhereNoAnswerSaysWhoseTheKeyIsTheEffectIsOfOneOfItsCalls) {
  AuditWorld world;
  AskForAnother(world, "again-shirt", "CreateRefund", 300);
  AskForAnother(world, "again-shirt", "CreateRefund", 400);
  world.AddEffect("refund", "shirt", "second-refund").amount = 400;
  world.AddOrder("second-refund", "").description =
      domain::DescriptionMark(*Uuid::Parse(AuditWorld::OperationOf("again-shirt")));
  world.Done("again-shirt", "CreateRefund", "second-refund");
  EXPECT_THAT(Kinds(Audit(world.history)), IsEmpty());
  EffectOf(world, "refund", "second-refund").amount = 500;
  EXPECT_THAT(Kinds(Audit(world.history)), ElementsAre(contradiction::kOtherAmountDone));
  // The key is that of the call which was told that it may have been done.
  EffectOf(world, "refund", "second-refund").amount = 400;
  AskForAnother(world, "again-shirt", "CreateRefund", 300).pending = "UNKNOWN";
  EXPECT_THAT(Kinds(Audit(world.history)), ElementsAre(contradiction::kOtherAmountDone));
}

TEST(AuditAmountTest, OfAnEffectThatSeveralKeysAskedForIsThatOfTheKeyItWasAnsweredTo) {
  AuditWorld world;
  Told& told = AskForAnother(world, "other-order-to-capture", "CaptureTransaction", 700);
  told.reason = "UPSTREAM_REFUSED";
  told.retry = "AFTER_CHANGE";
  world.Done("other-order-to-capture", "CaptureTransaction", "order-to-capture");
  EXPECT_THAT(Kinds(Audit(world.history)), IsEmpty());
  EffectOf(world, "capture", "capture-order").amount = 700;
  EXPECT_THAT(Kinds(Audit(world.history)), ElementsAre(contradiction::kOtherAmountDone));
  // Found by reading, it may be that of either.
  world.told("capture-order-to-capture").knowledge = "RECOVERED";
  EXPECT_THAT(Kinds(Audit(world.history)), IsEmpty());
}

TEST(AuditAmountTest, AnEffectOfAnotherAmountThatAKeyFoundAsItsOwnIsFound) {
  AuditWorld world;
  world.TellResult("other-order-to-capture", "CaptureTransaction", "capture-order");
  Told& told = world.history.told.back();
  told.knowledge = "RECOVERED";
  told.amount = 700;
  world.Done("other-order-to-capture", "CaptureTransaction", "capture-order");
  EXPECT_THAT(Kinds(Audit(world.history)), Contains(contradiction::kOtherAmountTold));
}

}  // namespace
}  // namespace tollbridge::chaos
