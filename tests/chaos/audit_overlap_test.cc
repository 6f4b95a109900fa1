// Calls of one key that overlap in time are judged together: which answer arrives last says nothing
// of what was the case last. What a call says that began after another one had ended does.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "tests/chaos/audit_world.h"
#include "tests/chaos/auditor/audit.h"

namespace tollbridge::chaos {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kKey = "create-hat";
constexpr const char* kRpc = "CreateOrder";

/// An order "hat": made by the first run of its key, or by a second one after the first was closed
/// as not executed.
class OverlapTest : public testing::Test {
 protected:
  OverlapTest() : start_(world_.Record(kKey, kRpc, "RUNNING").at - 1) {}

  void CloseFirstRun() { world_.Record(kKey, kRpc, "NOT_EXECUTED"); }

  void RunAgain() {
    attempt_ = 2;
    world_.Record(kKey, kRpc, "RUNNING").attempt = attempt_;
  }

  void MakeOrder() {
    world_.AddOrder("hat", kKey, attempt_);
    OperationLine& done = world_.Record(kKey, kRpc, "DONE");
    done.attempt = attempt_;
    done.order = AuditWorld::Id("hat");
  }

  void RunTwice() {
    CloseFirstRun();
    RunAgain();
    MakeOrder();
  }

  /// The answer of a call that began before all of it.
  void Deny() { DenyFrom(start_); }
  void DenyFrom(TimeMs began) {
    world_.TellError(kKey, kRpc, "NOT_SENT", "SAFE_SAME_KEY");
    if (began != 0) world_.history.told.back().began = began;
  }
  /// The answer of a call that began after all that was told before it.
  void DenyAnew() { DenyFrom(0); }

  void LoseMemory(const std::string& what) {
    world_.history.disturbances.push_back({.at = world_.history.told.back().at, .what = what});
  }

  std::size_t Denied() const { return Audit(world_.history).Count(contradiction::kDenied); }

  AuditWorld world_;
  TimeMs start_;
  int attempt_ = 1;
};

// A result beside it.

TEST_F(OverlapTest, ADenialThatOverlapsTheResultOfALaterRunIsNone) {
  RunTwice();
  world_.TellResult(kKey, kRpc, "hat");
  Deny();
  const Report report = Audit(world_.history);
  EXPECT_THAT(Kinds(report), IsEmpty()) << Text(report, 0);
}

TEST_F(OverlapTest, ADenialThatBeganAfterTheResultWasToldIsFound) {
  RunTwice();
  world_.TellResult(kKey, kRpc, "hat");
  DenyAnew();
  EXPECT_THAT(Kinds(Audit(world_.history)), ElementsAre(contradiction::kDenied));
  EXPECT_EQ(Denied(), 1U);
}

TEST_F(OverlapTest, ADenialThatBeganWhenTheResultWasToldMayOverlapItAndOneAMomentAfterMayNot) {
  RunTwice();
  world_.TellResult(kKey, kRpc, "hat");
  const TimeMs told = world_.history.told.back().at;
  // The run that the denial is of must have been closed meanwhile; where memory was lost, nobody
  // can tell.
  LoseMemory("memory_lost");
  DenyFrom(told);
  EXPECT_EQ(Denied(), 0U);
  world_.history.told.back().began = told + 1;
  EXPECT_EQ(Denied(), 1U);
}

TEST_F(OverlapTest, ADenialThatOverlapsTheResultOfTheOnlyRunIsFoundUnlessMemoryWasLost) {
  MakeOrder();
  world_.TellResult(kKey, kRpc, "hat");
  Deny();
  EXPECT_THAT(Kinds(Audit(world_.history)), ElementsAre(contradiction::kDenied));
  LoseMemory("store_rolled_back");
  EXPECT_THAT(Kinds(Audit(world_.history)), IsEmpty());
}

TEST_F(OverlapTest, ADenialOfTheRunThatHadTheEffectIsFoundThoughAnEarlierRunWasClosed) {
  CloseFirstRun();
  const TimeMs closed = world_.history.operations.back().at;
  RunAgain();
  MakeOrder();
  world_.TellResult(kKey, kRpc, "hat");
  DenyFrom(closed + 1);
  EXPECT_THAT(Kinds(Audit(world_.history)), ElementsAre(contradiction::kDenied));
}

TEST_F(OverlapTest, ADenialThatOverlapsAResultIsFoundWhereTheLastRecordSaysNotExecuted) {
  RunTwice();
  world_.TellResult(kKey, kRpc, "hat");
  Deny();
  world_.Record(kKey, kRpc, "NOT_EXECUTED").attempt = attempt_;
  EXPECT_THAT(Kinds(Audit(world_.history)), Contains(contradiction::kDenied));
}

TEST_F(OverlapTest, ADenialAfterTheResultIsFoundThoughTheResultIsToldOnceMore) {
  RunTwice();
  world_.TellResult(kKey, kRpc, "hat");
  DenyAnew();
  world_.TellResult(kKey, kRpc, "hat");
  EXPECT_THAT(Kinds(Audit(world_.history)), ElementsAre(contradiction::kDenied));
  LoseMemory("memory_lost");
  EXPECT_THAT(Kinds(Audit(world_.history)), IsEmpty());
}

TEST_F(OverlapTest, ARefusalForGoodIsFoundThoughItOverlapsAResult) {
  RunTwice();
  world_.TellResult(kKey, kRpc, "hat");
  world_.TellError(kKey, kRpc, "UPSTREAM_REFUSED", "AFTER_CHANGE");
  world_.history.told.back().began = start_;
  EXPECT_THAT(Kinds(Audit(world_.history)), ElementsAre(contradiction::kDenied));
}

// No result, and an answer that says that it may have been done.

TEST_F(OverlapTest, ADenialThatOverlapsAPendingAnswerToALaterRunIsNone) {
  RunTwice();
  world_.Tell(kKey, kRpc).pending = "UNKNOWN";
  Deny();
  EXPECT_THAT(Kinds(Audit(world_.history)), IsEmpty());
}

TEST_F(OverlapTest, ADenialThatBeganAfterThePendingAnswerIsFound) {
  RunTwice();
  world_.Tell(kKey, kRpc).pending = "UNKNOWN";
  DenyAnew();
  EXPECT_THAT(Kinds(Audit(world_.history)), ElementsAre(contradiction::kDenied));
}

TEST_F(OverlapTest, ADenialThatOverlapsAPendingAnswerToTheOnlyRunIsFound) {
  MakeOrder();
  world_.Tell(kKey, kRpc).pending = "UNKNOWN";
  Deny();
  EXPECT_THAT(Kinds(Audit(world_.history)), ElementsAre(contradiction::kDenied));
}

TEST_F(OverlapTest, ADenialThatOverlapsAPendingAnswerFromBeforeTheLastRunIsFound) {
  CloseFirstRun();
  world_.Tell(kKey, kRpc).pending = "UNKNOWN";
  RunAgain();
  MakeOrder();
  Deny();
  EXPECT_THAT(Kinds(Audit(world_.history)), ElementsAre(contradiction::kDenied));
}

TEST_F(OverlapTest, ADenialThatOverlapsAPendingAnswerIsFoundWhereTheLastRecordSaysNotExecuted) {
  RunTwice();
  world_.Tell(kKey, kRpc).pending = "UNKNOWN";
  Deny();
  world_.Record(kKey, kRpc, "NOT_EXECUTED").attempt = attempt_;
  EXPECT_THAT(Kinds(Audit(world_.history)), Contains(contradiction::kDenied));
}

// No answer.

TEST_F(OverlapTest, ADenialThatOverlapsAnUnansweredCallIsNoneWhereItRanAgainMeanwhile) {
  CloseFirstRun();
  world_.Tell(kKey, kRpc);
  RunAgain();
  MakeOrder();
  Deny();
  EXPECT_THAT(Kinds(Audit(world_.history)), IsEmpty());
}

TEST_F(OverlapTest, ADenialThatOverlapsAnUnansweredCallIsFoundWhereItRanOnce) {
  world_.Tell(kKey, kRpc);
  MakeOrder();
  Deny();
  EXPECT_THAT(Kinds(Audit(world_.history)), ElementsAre(contradiction::kDenied));
}

TEST_F(OverlapTest, ADenialThatBeganAfterAnUnansweredCallIsFoundThoughItRanTwice) {
  world_.Tell(kKey, kRpc);
  RunTwice();
  DenyFrom(world_.history.told.back().at + 1);
  EXPECT_THAT(Kinds(Audit(world_.history)), ElementsAre(contradiction::kDenied));
}

// Calls whose deadline was over before the gateway took them up.

TEST_F(OverlapTest, ACallThatWasNotTakenUpDeniesNothingOfWhatOthersDid) {
  MakeOrder();
  world_.TellResult(kKey, kRpc, "hat");
  DenyAnew();
  world_.history.told.back().code = "DEADLINE_EXCEEDED";
  EXPECT_THAT(Kinds(Audit(world_.history)), IsEmpty());
  world_.TellResult(kKey, kRpc, "hat");
  EXPECT_THAT(Kinds(Audit(world_.history)), IsEmpty());
}

TEST_F(OverlapTest, ACallThatWasNotTakenUpDeniesTheEffectOfAKeyThatNoOtherCallUsed) {
  MakeOrder();
  DenyAnew();
  world_.history.told.back().code = "DEADLINE_EXCEEDED";
  EXPECT_THAT(Kinds(Audit(world_.history)), ElementsAre(contradiction::kDenied));
}

TEST_F(OverlapTest, ADenialIsFoundThoughACallThatWasNotTakenUpCameAfterIt) {
  world_.Tell(kKey, kRpc);
  MakeOrder();
  DenyAnew();
  DenyAnew();
  world_.history.told.back().code = "DEADLINE_EXCEEDED";
  EXPECT_THAT(Kinds(Audit(world_.history)), ElementsAre(contradiction::kDenied));
}

// Two texts.

TEST_F(OverlapTest, AnAnswerThatWasRecordedAnewIsNoOtherReplayWhereWhatWasReadIsForgotten) {
  MakeOrder();
  world_.Tell(kKey, kRpc).code = "DEADLINE_EXCEEDED";
  world_.TellResult(kKey, kRpc, "hat");
  world_.history.told.back().knowledge = "RECOVERED";
  const TimeMs read = world_.history.told.back().at;
  world_.TellResult(kKey, kRpc, "hat");
  world_.history.told.back().digest = "other bytes";
  const auto differs = Contains(contradiction::kReplayDiffers);
  EXPECT_THAT(Kinds(Audit(world_.history)), differs);
  LoseMemory("store_failed");
  EXPECT_THAT(Kinds(Audit(world_.history)), differs) << "it kept its memory";
  LoseMemory("memory_lost");
  EXPECT_THAT(Kinds(Audit(world_.history)), Not(differs));
  world_.history.disturbances.back().at = read - 1;
  EXPECT_THAT(Kinds(Audit(world_.history)), differs) << "what was read came after it";
  world_.history.disturbances.back().at = read;
  std::erase_if(world_.history.told,
                [](const Told& told) { return told.code == "DEADLINE_EXCEEDED"; });
  EXPECT_THAT(Kinds(Audit(world_.history)), differs) << "no owner was left";
}

TEST_F(OverlapTest, AnAnswerAfterWhatWasReadIsNoOtherReplayWhereTheirCallsOverlap) {
  MakeOrder();
  world_.TellResult(kKey, kRpc, "hat");
  world_.history.told.back().knowledge = "RECOVERED";
  world_.TellResult(kKey, kRpc, "hat");
  Told& answered = world_.history.told.back();
  answered.digest = "other bytes";
  answered.began = start_;
  EXPECT_THAT(Kinds(Audit(world_.history)), ElementsAre(contradiction::kReplayDiffers));
  LoseMemory("store_failed");
  EXPECT_THAT(Kinds(Audit(world_.history)), IsEmpty());
  answered.began = answered.at - 1;
  EXPECT_THAT(Kinds(Audit(world_.history)), ElementsAre(contradiction::kReplayDiffers));
}

// What cannot be read back.

/// A link of a key that has one run whose answer was lost.
class LinkOverlapTest : public testing::Test {
 protected:
  void LoseAnswer() {
    world_.Record("link-2", "CreatePaymentLink", "RUNNING");
    world_.Record("link-2", "CreatePaymentLink", "NOT_EXECUTED").evidence =
        "no definite answer: reset; cannot be read back";
  }
  void MakeLink() {
    world_.AddLink("link-2", "second link");
    world_.Done("link-2", "CreatePaymentLink", "");
  }
  void TellLink() { world_.TellResult("link-2", "CreatePaymentLink", "second link"); }
  void Deny() { world_.TellError("link-2", "CreatePaymentLink", "NOT_SENT", "SAFE_SAME_KEY"); }

  AuditWorld world_;
};

TEST_F(LinkOverlapTest, ADenialAfterTheResultIsFoundWhereItWasRecordedAsDone) {
  LoseAnswer();
  MakeLink();
  TellLink();
  EXPECT_THAT(Kinds(Audit(world_.history)), IsEmpty());
  Deny();
  EXPECT_THAT(Kinds(Audit(world_.history)), ElementsAre(contradiction::kDenied));
}

TEST_F(LinkOverlapTest, ADenialAfterAResultThatTheStoreCouldNotTakeIsNone) {
  world_.AddLink("link-2", "second link");
  TellLink();
  LoseAnswer();
  Deny();
  EXPECT_THAT(Kinds(Audit(world_.history)), Not(Contains(contradiction::kDenied)));
}

// Keys that answer together.

TEST(KeysOverlapTest, ADenialAfterTheResultIsFoundThoughAnotherKeyWasToldTheEffect) {
  AuditWorld world;
  world.TellResult("second-shirt", "InitiateTransaction", "shirt");
  world.history.told.back().knowledge = "RECOVERED";
  world.Done("second-shirt", "InitiateTransaction", "shirt");
  EXPECT_THAT(Kinds(Audit(world.history)), IsEmpty());
  world.TellError("second-shirt", "InitiateTransaction", "NOT_SENT", "SAFE_SAME_KEY");
  const Report report = Audit(world.history);
  EXPECT_THAT(Kinds(report), ElementsAre(contradiction::kDenied));
  EXPECT_EQ(report.Count(contradiction::kDenied), 1U);
}

}  // namespace
}  // namespace tollbridge::chaos
