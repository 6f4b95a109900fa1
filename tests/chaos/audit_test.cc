// The auditor finds each contradiction that is planted, by name, and nothing in what is right.

#include "tests/chaos/auditor/audit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/chaos/audit_world.h"
#include "tests/chaos/auditor/history_file.h"
#include "tests/support/temp_folder.h"

namespace tollbridge::chaos {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<std::string> Notes(const Report& report) {
  std::vector<std::string> kinds;
  for (const Finding& finding : report.notes) kinds.push_back(finding.kind);
  return kinds;
}

constexpr AuditOptions kLate{.late_beyond_bound = true};

/// The line of a ledger, taken out.
void DropEffect(AuditWorld& world, const std::string& effect) {
  std::erase_if(world.history.ledger, [&](const Effect& one) { return one.effect == effect; });
}

TEST(AuditTest, ARunInWhichEachEffectHappenedOnceAndWasToldIsClean) {
  const AuditWorld world;
  const Report report = Audit(world.history);
  EXPECT_THAT(report.contradictions, IsEmpty()) << Text(report, 0);
  EXPECT_TRUE(report.ok());
  EXPECT_EQ(LastLine(report), "double=0 denied_effects=0 unresolved=0 needs_review=0");
}

class DoubleEffectTest : public testing::TestWithParam<std::pair<std::string, std::string>> {};

TEST_P(DoubleEffectTest, IsFound) {
  const auto& [effect, order] = GetParam();
  AuditWorld world;
  world.AddEffect(effect, order, order + "-again");
  const Report report = Audit(world.history);
  EXPECT_THAT(Kinds(report), ElementsAre(contradiction::kDouble)) << Text(report, 0);
  EXPECT_EQ(LastLine(report), "double=1 denied_effects=0 unresolved=0 needs_review=0");
}

INSTANTIATE_TEST_SUITE_P(OfEachKind, DoubleEffectTest,
                         testing::Values(std::pair{"charge", "shirt"},
                                         std::pair{"authorize", "order-to-void"},
                                         std::pair{"capture", "order-to-capture"},
                                         std::pair{"void", "order-to-void"}),
                         [](const auto& info) { return info.param.first; });

TEST(AuditTest, TwoRefundsWithOneMarkAreDouble) {
  AuditWorld world;
  world.AddEffect("refund", "shirt", "shirt-refund-2");
  const auto first =
      std::ranges::find(world.history.orders, AuditWorld::Id("shirt-refund"), &KnownOrder::id);
  const std::string description = first->description;
  world.AddOrder("shirt-refund-2", "").description = description;
  EXPECT_THAT(Kinds(Audit(world.history)), ElementsAre(contradiction::kDouble));
}

TEST(AuditTest, TwoOrdersWithOneMarkAreDouble) {
  AuditWorld world;
  world.AddOrder("shirt-2", "create-shirt");
  EXPECT_THAT(Kinds(Audit(world.history)), Contains(contradiction::kDouble));
}

TEST(AuditTest, AnOrderOfAnEarlierAttemptIsDoubleUnlessItIsNotedAsAnOrphan) {
  AuditWorld world;
  world.AddOrder("shirt-2", "create-shirt", 2);
  EXPECT_THAT(Kinds(Audit(world.history)),
              ElementsAre(contradiction::kDouble, contradiction::kOrphanNotNoted));
  world.Record("create-shirt", "CreateOrder", "DONE").orphan = AuditWorld::Id("shirt-2");
  const Report noted = Audit(world.history);
  EXPECT_THAT(noted.contradictions, IsEmpty()) << Text(noted, 0);
  EXPECT_THAT(Notes(noted), ElementsAre("orphan"));
}

TEST(AuditTest, AnEffectThatWasRefusedToEveryoneWhoAskedIsDenied) {
  AuditWorld world;
  std::erase_if(world.history.told, [](const Told& told) { return told.key == "pay-shirt"; });
  world.TellError("pay-shirt", "InitiateTransaction", "UPSTREAM_REFUSED", "AFTER_CHANGE");
  world.told("pay-shirt").began = 1;
  const Report report = Audit(world.history);
  EXPECT_THAT(Kinds(report), ElementsAre(contradiction::kDenied)) << Text(report, 0);
  EXPECT_EQ(LastLine(report), "double=0 denied_effects=1 unresolved=0 needs_review=0");
}

TEST(AuditTest, AnOrderWhoseCreationEndedNotExecutedIsDenied) {
  AuditWorld world;
  world.AddOrder("hat", "create-hat");
  world.TellError("create-hat", "CreateOrder", "NOT_SENT", "SAFE_SAME_KEY");
  world.Record("create-hat", "CreateOrder", "NOT_EXECUTED").at = 1;
  EXPECT_THAT(Kinds(Audit(world.history)), Contains(contradiction::kDenied));
}

TEST(AuditTest, NotExecutedIsNoDenialOfALaterRunWhoseCallHadNoAnswer) {
  AuditWorld world;
  world.AddOrder("hat", "create-hat");
  world.Done("create-hat", "CreateOrder", "hat");
  world.TellError("create-hat", "CreateOrder", "NOT_SENT", "SAFE_SAME_KEY");
  EXPECT_THAT(Kinds(Audit(world.history)), Contains(contradiction::kDenied));
  world.Tell("create-hat", "CreateOrder");
  EXPECT_THAT(Kinds(Audit(world.history)), Contains(contradiction::kDenied));
  world.Done("create-hat", "CreateOrder", "hat");
  EXPECT_THAT(Kinds(Audit(world.history)), testing::Not(Contains(contradiction::kDenied)));
}

TEST(AuditTest, AnOrderThatNobodyRecordedIsDeniedUnlessTheMemoryWasLost) {
  AuditWorld world;
  world.AddOrder("hat", "create-hat");
  world.Tell("create-hat", "CreateOrder");
  EXPECT_THAT(Kinds(Audit(world.history)), ElementsAre(contradiction::kDenied));
  world.history.disturbances.push_back({.at = world.history.told.back().at, .what = "memory_lost"});
  EXPECT_THAT(Kinds(Audit(world.history)), IsEmpty());
}

TEST(AuditTest, WhatNoRecordCameAfterWaitedForTheDrainerWhenMemoryWasLost) {
  AuditWorld world;
  world.AddOrder("hat", "create-hat");
  world.Tell("create-hat", "CreateOrder");
  const TimeMs lost = world.history.told.back().at + 60'000;
  world.history.disturbances.push_back({.at = lost, .what = "memory_lost"});
  EXPECT_THAT(Kinds(Audit(world.history)), IsEmpty());
  // The oldest come first: what came later shows that this should have.
  world.history.operations.back().at = lost - 1;
  EXPECT_THAT(Kinds(Audit(world.history)), Contains(contradiction::kDenied));
}

TEST(AuditTest, ALaterRunThatWasForgottenIsNotDeniedByARecordOfTheFirst) {
  AuditWorld world;
  world.AddOrder("hat", "create-hat", 2);
  world.Record("create-hat", "CreateOrder", "RUNNING");
  world.Record("create-hat", "CreateOrder", "NOT_EXECUTED");
  world.Tell("create-hat", "CreateOrder");
  EXPECT_THAT(Kinds(Audit(world.history)), Contains(contradiction::kDenied));
  world.history.disturbances.push_back({.at = world.history.told.back().at, .what = "memory_lost"});
  EXPECT_THAT(Kinds(Audit(world.history)), testing::Not(Contains(contradiction::kDenied)));
}

TEST(AuditTest, AReviewOfAMarkedEffectWhoseAttemptTheStoreForgotIsExplained) {
  for (const auto& [key, rpc] :
       {std::pair("payout-prize", "CreatePayout"), std::pair("refund-shirt", "CreateRefund")}) {
    AuditWorld world;
    world.Leave(key, rpc, "NEEDS_REVIEW", "LATE_EFFECT");
    EXPECT_THAT(Kinds(Audit(world.history)), Contains(contradiction::kUnexplainedReview)) << rpc;
    world.history.disturbances.push_back({.at = world.told(key).at, .what = "store_rolled_back"});
    EXPECT_THAT(Kinds(Audit(world.history)),
                testing::Not(Contains(contradiction::kUnexplainedReview)))
        << rpc;
  }
}

TEST(AuditTest, AKeyThatWasRefusedWhereAnotherOneHadTheEffectIsNoContradiction) {
  AuditWorld world;
  Told& told = world.Tell("second-shirt", "InitiateTransaction");
  told.reason = "UPSTREAM_REFUSED";
  told.retry = "AFTER_CHANGE";
  world.Done("second-shirt", "InitiateTransaction", "shirt");
  const Report report = Audit(world.history);
  EXPECT_THAT(report.contradictions, IsEmpty()) << Text(report, 0);
}

class ToldWithoutEffectTest : public testing::TestWithParam<std::string> {};

TEST_P(ToldWithoutEffectTest, IsFound) {
  AuditWorld world;
  DropEffect(world, GetParam());
  EXPECT_THAT(Kinds(Audit(world.history)), Contains(contradiction::kToldWithoutEffect));
}

INSTANTIATE_TEST_SUITE_P(OfEachKind, ToldWithoutEffectTest,
                         testing::Values("charge", "authorize", "capture", "void", "refund"),
                         [](const auto& info) { return info.param; });

TEST(AuditTest, AnOrderThatWasToldAndIsNotThereIsToldWithoutEffect) {
  AuditWorld world;
  world.TellResult("create-ghost", "CreateOrder", "ghost");
  world.Done("create-ghost", "CreateOrder", "ghost");
  EXPECT_THAT(Kinds(Audit(world.history)), ElementsAre(contradiction::kToldWithoutEffect));
}

TEST(AuditTest, AReplayWithOtherBytesIsFoundUnlessTheAnswerWasLostMeanwhile) {
  AuditWorld world;
  world.TellResult("create-shirt", "CreateOrder", "shirt");
  EXPECT_THAT(Kinds(Audit(world.history)), IsEmpty());
  world.history.told.back().digest = "other bytes";
  EXPECT_THAT(Kinds(Audit(world.history)), ElementsAre(contradiction::kReplayDiffers));
  world.history.told.back().knowledge = "RECOVERED";
  EXPECT_THAT(Kinds(Audit(world.history)), ElementsAre(contradiction::kReplayDiffers));
  world.history.disturbances.push_back(
      {.at = world.told("create-shirt").at, .what = "store_failed"});
  EXPECT_THAT(Kinds(Audit(world.history)), IsEmpty());
}

TEST(AuditTest, OneKeyWithTwoOrdersInItsResultsIsFound) {
  AuditWorld world;
  world.TellResult("create-shirt", "CreateOrder", "order-to-void");
  EXPECT_THAT(Kinds(Audit(world.history)), Contains(contradiction::kTwoResults));
}

TEST(AuditTest, OneEffectAnsweredToTwoKeysIsFoundAndFoundByReadingIsNoted) {
  AuditWorld world;
  world.TellResult("second-shirt", "InitiateTransaction", "shirt");
  world.Done("second-shirt", "InitiateTransaction", "shirt");
  EXPECT_THAT(Kinds(Audit(world.history)), ElementsAre(contradiction::kSharedEffect));
  world.told("second-shirt").knowledge = "RECOVERED";
  const Report report = Audit(world.history);
  EXPECT_THAT(Kinds(report), IsEmpty());
  EXPECT_THAT(Notes(report), ElementsAre("shared_by_evidence"));
}

TEST(AuditTest, AnEffectThatNobodyAskedForIsFound) {
  AuditWorld world;
  world.AddOrder("stray", "nobodys");
  world.AddEffect("charge", "stray", "stray");
  world.AddEffect("refund", "shirt", "unmarked-refund");
  const Report report = Audit(world.history);
  EXPECT_THAT(Kinds(report), ElementsAre(contradiction::kEffectWithoutOperation));
  EXPECT_EQ(report.Count(contradiction::kEffectWithoutOperation), 3U) << Text(report, 0);
}

TEST(AuditTest, WhatIsStillRunningOrUnknownIsUnresolved) {
  AuditWorld world;
  for (const std::string state : {"RUNNING", "UNKNOWN"}) {
    world.Tell("create-" + state, "CreateOrder");
    world.Leave("create-" + state, "CreateOrder", state);
  }
  const Report report = Audit(world.history);
  EXPECT_THAT(Kinds(report), ElementsAre(contradiction::kUnresolved));
  EXPECT_EQ(LastLine(report), "double=0 denied_effects=0 unresolved=2 needs_review=0");
}

TEST(AuditTest, ARefundThatWasLostWantsAPersonAndIsExplained) {
  AuditWorld world;
  world.Tell("again-shirt", "CreateRefund").pending = "NEEDS_REVIEW";
  world.Leave("again-shirt", "CreateRefund", "NEEDS_REVIEW", "ABSENT_NOT_REPEATABLE");
  const Report report = Audit(world.history);
  EXPECT_TRUE(report.ok()) << Text(report, 0);
  EXPECT_EQ(LastLine(report), "double=0 denied_effects=0 unresolved=0 needs_review=1");
  ASSERT_THAT(report.reviews, SizeIs(1));
  EXPECT_THAT(report.reviews[0].text, HasSubstr("nothing came of it"));
}

TEST(AuditTest, AReviewThatNothingExplainsIsFound) {
  AuditWorld world;
  world.Tell("pay-shirt", "InitiateTransaction").pending = "NEEDS_REVIEW";
  world.Leave("pay-shirt", "InitiateTransaction", "NEEDS_REVIEW", "AMOUNT_DIFFERS");
  EXPECT_THAT(Kinds(Audit(world.history)), ElementsAre(contradiction::kUnexplainedReview));
}

/// A capture that was closed as not executed, and came afterwards.
AuditWorld WithLateCapture() {
  AuditWorld world;
  for (Told& told : world.history.told) {
    if (told.key != "capture-order-to-capture") continue;
    told.result.clear();
    told.code = "UNAVAILABLE";
    told.reason = "NOT_SENT";
    told.retry = "SAFE_SAME_KEY";
  }
  const std::string operation = AuditWorld::OperationOf("capture-order-to-capture");
  std::erase_if(world.history.operations,
                [&](const OperationLine& line) { return line.operation == operation; });
  world.Record("capture-order-to-capture", "CaptureTransaction", "NOT_EXECUTED").at = 1;
  return world;
}

TEST(AuditTest, ALateEffectThatNobodyNoticedIsFound) {
  const AuditWorld world = WithLateCapture();
  EXPECT_THAT(Kinds(Audit(world.history, kLate)),
              ElementsAre(contradiction::kDenied, contradiction::kLateEffectMissed));
}

TEST(AuditTest, ALateEffectUnderReviewIsInOrderWhereItWasPlantedAndElseTheQuarantineIsTooShort) {
  AuditWorld world = WithLateCapture();
  world.Leave("capture-order-to-capture", "CaptureTransaction", "NEEDS_REVIEW", "LATE_EFFECT");
  const Report planted = Audit(world.history, kLate);
  EXPECT_THAT(Kinds(planted), IsEmpty()) << Text(planted, 0);
  EXPECT_THAT(Notes(planted), ElementsAre("late_effect"));
  EXPECT_THAT(Kinds(Audit(world.history)),
              ElementsAre(contradiction::kQuarantineTooShort, contradiction::kUnexplainedReview));
}

TEST(AuditTest, AnEffectOfAnotherKeyIsNotLateWhereClocksDifferByAMoment) {
  AuditWorld world = WithLateCapture();
  const auto capture = std::ranges::find_if(
      world.history.ledger, [](const Effect& effect) { return effect.effect == "capture"; });
  ASSERT_NE(capture, world.history.ledger.end());
  const TimeMs at = capture->at;
  world.TellResult("other-order-to-capture", "CaptureTransaction", "capture-order");
  const auto records = [&](TimeMs begun) {
    const std::string id = AuditWorld::OperationOf("other-order-to-capture");
    std::erase_if(world.history.operations,
                  [&](const OperationLine& line) { return line.operation == id; });
    world.Record("other-order-to-capture", "CaptureTransaction", "RUNNING").at = begun;
    world.Done("other-order-to-capture", "CaptureTransaction", "capture-order");
  };
  world.told("other-order-to-capture").knowledge = "RECOVERED";
  records(at + 1);
  EXPECT_THAT(Kinds(Audit(world.history)), IsEmpty());
  records(at + 1'000);
  EXPECT_THAT(Kinds(Audit(world.history)), Contains(contradiction::kQuarantineTooShort));
}

TEST(AuditTest, AnEffectOfAnAttemptThatTheStoreForgotIsNotMissed) {
  AuditWorld world;
  const std::string operation = AuditWorld::OperationOf("refund-shirt");
  std::erase_if(world.history.operations,
                [&](const OperationLine& line) { return line.operation == operation; });
  world.Record("refund-shirt", "CreateRefund", "NOT_EXECUTED").at = 1;
  world.told("refund-shirt").knowledge = "RECOVERED";
  EXPECT_THAT(Kinds(Audit(world.history)), Contains(contradiction::kLateEffectMissed));
  world.history.disturbances.push_back(
      {.at = world.told("refund-shirt").at, .what = "memory_lost"});
  EXPECT_THAT(Kinds(Audit(world.history)), IsEmpty());
}

TEST(AuditTest, AReviewOfAnEffectThatWasAnotherKeysIsExplained) {
  AuditWorld world = WithLateCapture();
  world.Leave("capture-order-to-capture", "CaptureTransaction", "NEEDS_REVIEW", "LATE_EFFECT");
  world.TellResult("other-order-to-capture", "CaptureTransaction", "capture-order");
  world.Done("other-order-to-capture", "CaptureTransaction", "capture-order");
  const Report report = Audit(world.history);
  EXPECT_THAT(Kinds(report), IsEmpty()) << Text(report, 0);
  ASSERT_THAT(report.reviews, SizeIs(1));
  EXPECT_THAT(report.reviews[0].text, HasSubstr("another key"));
}

TEST(AuditTest, ALateStartThatEndedUnpaidIsExplainedThoughTheLedgerHasNothingOfIt) {
  AuditWorld world;
  world.Leave("pay-shirt", "InitiateTransaction", "NEEDS_REVIEW", "LATE_EFFECT");
  std::erase_if(world.history.ledger,
                [](const Effect& effect) { return effect.order == AuditWorld::Id("shirt"); });
  const auto shirt =
      std::ranges::find(world.history.orders, AuditWorld::Id("shirt"), &KnownOrder::id);
  ASSERT_NE(shirt, world.history.orders.end());
  shirt->transaction = world.told("pay-shirt").transaction;
  shirt->transaction_status = "completed";
  EXPECT_THAT(Kinds(Audit(world.history, kLate)), Contains(contradiction::kUnexplainedReview));
  for (const std::string status : {"declined", "expired"}) {
    shirt->transaction_status = status;
    EXPECT_THAT(Kinds(Audit(world.history, kLate)),
                testing::Not(Contains(contradiction::kUnexplainedReview)))
        << status;
  }
}

TEST(AuditTest, ALateOrderIsFoundAsAnOrphan) {
  AuditWorld world;
  world.Tell("create-hat", "CreateOrder");
  world.Record("create-hat", "CreateOrder", "NOT_EXECUTED");
  world.AddOrder("hat", "create-hat");
  EXPECT_THAT(Kinds(Audit(world.history, kLate)),
              ElementsAre(contradiction::kDenied, contradiction::kLateEffectMissed));
  world.Record("create-hat", "CreateOrder", "NOT_EXECUTED").orphan = AuditWorld::Id("hat");
  const Report report = Audit(world.history, kLate);
  EXPECT_THAT(Kinds(report), IsEmpty()) << Text(report, 0);
}

TEST(AuditTest, AnEffectThatItsOwnCallerWasToldIsNotLateWhateverRecordsWereLost) {
  AuditWorld world;
  world.Record("create-hat", "CreateOrder", "NOT_EXECUTED");
  world.AddOrder("hat", "create-hat");
  world.TellResult("create-hat", "CreateOrder", "hat");
  world.told("create-hat").knowledge = "ANSWERED";
  EXPECT_THAT(Kinds(Audit(world.history)),
              testing::Not(Contains(contradiction::kLateEffectMissed)));
}

TEST(AuditTest, ARunThatWasPendingWhenTheMemoryWentIsNotMissed) {
  AuditWorld world;
  world.Tell("create-hat", "CreateOrder");
  world.Record("create-hat", "CreateOrder", "NOT_EXECUTED");
  world.AddOrder("hat", "create-hat");
  const auto is_missed = testing::Contains(contradiction::kLateEffectMissed);
  EXPECT_THAT(Kinds(Audit(world.history)), is_missed);
  Told& again = world.Tell("create-hat", "CreateOrder");
  again.pending = "UNKNOWN";
  const TimeMs pending = again.at;
  EXPECT_THAT(Kinds(Audit(world.history)), is_missed) << "no memory was lost";
  world.history.disturbances.push_back({.at = pending, .what = "memory_lost"});
  EXPECT_THAT(Kinds(Audit(world.history)), testing::Not(is_missed));
  world.Record("create-hat", "CreateOrder", "NOT_EXECUTED");
  EXPECT_THAT(Kinds(Audit(world.history)), is_missed) << "that run's end is on the topic";
}

TEST(AuditTest, ARunThatWasToPlantLateEffectsAndHasNoneProvesNothing) {
  const AuditWorld world;
  EXPECT_THAT(Kinds(Audit(world.history, kLate)), ElementsAre(contradiction::kNoLateEffect));
}

TEST(AuditTest, AMissingRecordOfAnOperationIsFoundUnlessTheMemoryWasLost) {
  AuditWorld world;
  std::erase_if(world.history.operations, [](const OperationLine& line) {
    return line.operation == AuditWorld::OperationOf("create-shirt") && line.number == 1;
  });
  EXPECT_THAT(Kinds(Audit(world.history)), ElementsAre(contradiction::kRecordGap));
  world.history.disturbances.push_back(
      {.at = world.told("create-shirt").at, .what = "store_rolled_back"});
  EXPECT_THAT(Kinds(Audit(world.history)), IsEmpty());
}

TEST(AuditTest, ARepeatOfARecordIsAnExactCopyOrFound) {
  AuditWorld world;
  world.history.operations.push_back(OperationLine(world.history.operations.back()));
  EXPECT_THAT(Kinds(Audit(world.history)), IsEmpty());
  world.history.operations.back().digest = "other";
  EXPECT_THAT(Kinds(Audit(world.history)), ElementsAre(contradiction::kRecordDiffers));
}

TEST(AuditTest, AnOperationWhoseEndIsNotOnTheTopicIsFound) {
  AuditWorld world;
  world.Tell("create-hat", "CreateOrder");
  const TimeMs at = world.Record("create-hat", "CreateOrder", "RUNNING").at;
  EXPECT_THAT(Kinds(Audit(world.history)), ElementsAre(contradiction::kLostOperation));
  // What is open is lost with the memory however long afterwards.
  constexpr TimeMs kHour = 3'600'000;
  world.history.disturbances.push_back({.at = at + kHour, .what = "memory_lost"});
  EXPECT_THAT(Kinds(Audit(world.history)), IsEmpty());
}

TEST(AuditTest, AnEventOfAnOrderThatNobodyHasIsFound) {
  AuditWorld world;
  world.AddEvent("nowhere", "tollbridge.payment.created.v1", 1);
  EXPECT_THAT(Kinds(Audit(world.history)), ElementsAre(contradiction::kEventWithoutOperation));
}

TEST(AuditTest, AnEventOfAnEffectThatIsNotInTheLedgerIsFound) {
  AuditWorld world;
  world.AddOrder("hat", "create-hat");
  world.TellResult("create-hat", "CreateOrder", "hat");
  world.Done("create-hat", "CreateOrder", "hat");
  world.AddEvent("hat", "tollbridge.payment.completed.v1", 1);
  EXPECT_THAT(Kinds(Audit(world.history)), ElementsAre(contradiction::kEventWithoutEffect));
}

TEST(AuditTest, AnAuthorizationThatIsPublishedAsAPaymentIsFoundUnlessTheMemoryWasLost) {
  AuditWorld world;
  world.AddEvent("order-to-void", "tollbridge.payment.completed.v1", 3);
  EXPECT_THAT(Kinds(Audit(world.history)), ElementsAre(contradiction::kEventWithoutEffect));
  world.history.disturbances.push_back({.at = 1, .what = "memory_lost"});
  EXPECT_THAT(Kinds(Audit(world.history)), IsEmpty());
}

TEST(AuditTest, AnEventOfAnOrphanThatNobodyPaidIsFound) {
  AuditWorld world;
  world.AddOrder("shirt-2", "create-shirt", 2);
  world.Record("create-shirt", "CreateOrder", "DONE").orphan = AuditWorld::Id("shirt-2");
  world.AddEvent("shirt-2", "tollbridge.payment.created.v1", 1);
  EXPECT_THAT(Kinds(Audit(world.history)), ElementsAre(contradiction::kEventOfOrphan));
}

TEST(AuditTest, AnOrphanThatALaterAttemptAdoptedMayHaveEvents) {
  for (const bool adopted : {false, true}) {
    AuditWorld world;
    world.AddOrder("hat", "create-hat");
    world.TellResult("create-hat", "CreateOrder", "hat");
    world.AddEvent("hat", "tollbridge.payment.created.v1", 1);
    world.Record("create-hat", "CreateOrder", "DONE").order = AuditWorld::Id("hat");
    world.Record("create-hat", "CreateOrder", "NOT_EXECUTED").orphan = AuditWorld::Id("hat");
    if (adopted) world.Record("create-hat", "CreateOrder", "DONE").order = AuditWorld::Id("hat");
    EXPECT_EQ(Kinds(Audit(world.history)).contains(contradiction::kEventOfOrphan), !adopted);
  }
}

TEST(AuditTest, AnOrphanMayHaveEventsOnceTheStoreMayHaveForgottenThatItIsNone) {
  struct Case {
    std::string lost;
    bool after;
    std::string state;
    bool found;
  };
  for (const auto& [what, after, state, found] :
       std::vector<Case>{{"memory_lost", false, "DONE", true},
                         {"memory_lost", true, "DONE", false},
                         {"store_restarted", false, "NOT_EXECUTED", true},
                         {"store_restarted", true, "NOT_EXECUTED", false},
                         // It has another outcome.
                         {"store_restarted", true, "DONE", true}}) {
    AuditWorld world;
    world.AddOrder("shirt-2", "create-shirt", 2);
    OperationLine& note = world.Record("create-shirt", "CreateOrder", state);
    note.orphan = AuditWorld::Id("shirt-2");
    world.AddEvent("shirt-2", "tollbridge.payment.created.v1", 1);
    const TimeMs lost = after ? note.at + 1 : note.at - 1;
    world.history.disturbances.push_back({.at = lost, .what = what});
    EXPECT_EQ(Kinds(Audit(world.history)).contains(contradiction::kEventOfOrphan), found)
        << what << " " << state;
  }
}

TEST(AuditTest, AnOrphanThatWasTheOutcomeBeforeTheStoreForgotItMayHaveEvents) {
  AuditWorld world;
  world.AddOrder("hat", "create-hat");
  world.TellResult("create-hat", "CreateOrder", "hat");
  world.AddEvent("hat", "tollbridge.payment.created.v1", 1);
  const TimeMs at = world.Record("create-hat", "CreateOrder", "NOT_EXECUTED").at;
  world.Record("create-hat", "CreateOrder", "NOT_EXECUTED").orphan = AuditWorld::Id("hat");
  EXPECT_THAT(Kinds(Audit(world.history)), Contains(contradiction::kEventOfOrphan));
  world.history.disturbances.push_back({.at = at, .what = "store_rolled_back"});
  EXPECT_THAT(Kinds(Audit(world.history)), testing::Not(Contains(contradiction::kEventOfOrphan)));
}

TEST(AuditTest, ARepeatOfAnEventIsAnExactCopyOrFound) {
  AuditWorld world;
  world.history.events.push_back(EventLine(world.history.events.front()));
  EXPECT_THAT(Kinds(Audit(world.history)), IsEmpty());
  world.history.events.back().digest = "other";
  EXPECT_THAT(Kinds(Audit(world.history)), ElementsAre(contradiction::kEventDiffers));
}

TEST(HistoryFileTest, WhatWasWrittenIsReadBack) {
  AuditWorld world;
  world.Leave("again-shirt", "CreateRefund", "NEEDS_REVIEW", "ABSENT_NOT_REPEATABLE");
  world.history.disturbances.push_back({.at = 7, .what = "memory_lost"});
  const test::TempFolder folder;
  const std::string path = folder.PathOf("");
  WriteAll(path, file::kTold, world.history.told);
  WriteAll(path, file::kLedger, world.history.ledger);
  WriteAll(path, file::kOrders, world.history.orders);
  WriteAll(path, file::kOperations, world.history.operations);
  WriteAll(path, file::kEvents, world.history.events);
  WriteAll(path, file::kOpen, world.history.open);
  WriteAll(path, file::kDisturbances, world.history.disturbances);

  const History read = ReadHistory(path);
  const auto same = [](const auto& left, const auto& right) {
    ASSERT_EQ(left.size(), right.size());
    for (std::size_t i = 0; i < left.size(); ++i) EXPECT_EQ(ToJson(left[i]), ToJson(right[i]));
  };
  same(read.told, world.history.told);
  same(read.ledger, world.history.ledger);
  same(read.orders, world.history.orders);
  same(read.operations, world.history.operations);
  same(read.events, world.history.events);
  same(read.open, world.history.open);
  same(read.disturbances, world.history.disturbances);
}

TEST(HistoryFileTest, ATimeIsReadInMilliseconds) {
  EXPECT_EQ(ParseTime("1970-01-01T00:00:01Z"), 1'000);
  EXPECT_EQ(ParseTime("1970-01-01T00:01:00.25Z"), 60'250);
  EXPECT_EQ(ParseTime("1970-01-01T00:00:00.123456Z"), 123);
}

}  // namespace
}  // namespace tollbridge::chaos
