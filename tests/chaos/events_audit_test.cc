// The auditor of events finds each contradiction that is planted, by the rule that it breaks, and
// nothing in what is right.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>

#include "tests/chaos/events_auditor/audit.h"
#include "tests/chaos/events_auditor/history_file.h"
#include "tests/chaos/events_planted.h"
#include "tests/chaos/events_world.h"
#include "tests/support/temp_folder.h"

namespace tollbridge::pipeline {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

std::set<std::string> Rules(const Report& report) {
  std::set<std::string> rules;
  for (const Finding& finding : report.findings) rules.insert(finding.kind);
  return rules;
}

/// A refund of the capture, known before a chargeback of it, is published after it.
void PublishRefundLate(EventsWorld& world) {
  world.AddOrder("hotel-refund", "refund", "hotel-capture");
  world.Change("hotel-refund", "completed");
  const TimeMs refunded = world.history.statuses.back().at;
  world.AddOrder("hotel-chargeback", "chargeback", "hotel-capture");
  world.Change("hotel-chargeback", "completed");
  world.Publish("hotel", "hotel-chargeback", "chargeback", "completed");
  world.Publish("hotel", "hotel-refund", "refund", "completed").occurred_at = refunded;
}

class PlantedTest : public testing::TestWithParam<Planted> {};

TEST_P(PlantedTest, IsFoundByItsRuleAndNamed) { ExpectFound(GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    Lost, PlantedTest,
    testing::Values(Planted{rule::kNoOutcome, "shirt",
                            [](EventsWorld& world) { world.EraseEvents("shirt", "completed"); }},
                    Planted{rule::kNoOutcome, "shirt-refund",
                            [](EventsWorld& world) { world.EraseEvents("shirt-refund", ""); }},
                    Planted{rule::kNoOutcome, "watch",
                            [](EventsWorld& world) { world.EraseEvents("watch", "completed"); }},
                    Planted{rule::kOtherOutcome, "prize",
                            [](EventsWorld& world) { world.Change("prize", "see-transactions"); }},
                    Planted{rule::kNotCreated, "basket",
                            [](EventsWorld& world) { world.EraseEvents("basket", ""); }},
                    Planted{rule::kNotCreatedFirst, "prize", [](EventsWorld& world) {
                              world.EraseEvents("prize", "created");
                              world.EventOf("prize", "completed").sequence = 1;
                            }}));

INSTANTIATE_TEST_SUITE_P(
    Invented, PlantedTest,
    testing::Values(
        Planted{
            rule::kUnknownOrder, "ghost",
            [](EventsWorld& world) { world.Publish("basket", "ghost", "refund", "completed"); }},
        Planted{
            rule::kNeverSo, "basket",
            [](EventsWorld& world) { world.Publish("basket", "basket", "payment", "expired"); }},
        Planted{rule::kNeverSo, "prize",
                [](EventsWorld& world) {
                  // It was completed only after that was published.
                  world.EventOf("prize", "completed").noticed_at -= 25;
                }},
        Planted{rule::kNeverSo, "shirt",
                [](EventsWorld& world) {
                  // It never was of another kind.
                  world.Publish("shirt", "shirt", "payment", "needs_review");
                }},
        Planted{
            rule::kWrongStatus, "prize",
            [](EventsWorld& world) { world.EventOf("prize", "completed").status = "cancelled"; }},
        Planted{rule::kWrongKind, "hotel",
                [](EventsWorld& world) { world.EventOf("hotel", "completed").kind = "payment"; }},
        Planted{rule::kWrongKind, "shirt-refund",
                [](EventsWorld& world) {
                  world.EventOf("shirt-refund", "completed").kind = "reversal";
                }},
        Planted{
            rule::kWrongKind, "shirt",
            [](EventsWorld& world) { world.EventOf("shirt", "created").kind = "authorization"; }},
        Planted{rule::kKindChanged, "shirt",
                [](EventsWorld& world) {
                  world.Change("shirt", "see-transactions");
                  world.Publish("shirt", "shirt", "authorization", "needs_review");
                }},
        Planted{rule::kWrongRoot, "shirt-refund",
                [](EventsWorld& world) {
                  world.EventOf("shirt-refund", "completed").root = "shirt-refund";
                }},
        Planted{rule::kWrongTime, "shirt",
                [](EventsWorld& world) { world.EventOf("shirt", "created").occurred_at += 1; }},
        Planted{rule::kWrongTime, "shirt",
                [](EventsWorld& world) {
                  EventLine& event = world.EventOf("shirt", "completed");
                  event.occurred_at = event.noticed_at + 1;
                }},
        Planted{rule::kWrongDecider, "prize",
                [](EventsWorld& world) {
                  world.EventOf("prize", "completed").decided_by = "TRANSACTION";
                }},
        Planted{rule::kNoContradiction, "shirt",
                [](EventsWorld& world) {
                  world.Change("shirt", "error");
                  EventLine& event = world.Publish("shirt", "shirt", "payment", "needs_review");
                  event.published_what = "expired";
                  event.observed_what = "failed";
                }},
        Planted{rule::kToldTwice, "watch", [](EventsWorld& world) {
                  world.Change("watch", "completed");
                  world.Publish("watch", "watch", "payment", "completed").occurrence = 2;
                }}));

INSTANTIATE_TEST_SUITE_P(
    Misordered, PlantedTest,
    testing::Values(Planted{rule::kGap, "shirt",
                            [](EventsWorld& world) {
                              world.EventOf("shirt-refund", "completed").sequence = 4;
                            }},
                    Planted{rule::kGap, "shirt",
                            [](EventsWorld& world) {
                              std::swap(world.history.events[0], world.history.events[1]);
                            }},
                    Planted{rule::kTwoContents, "shirt",
                            [](EventsWorld& world) {
                              world.history.events.push_back(world.history.events[1]);
                              world.history.events.back().digest = "other bytes";
                            }},
                    Planted{rule::kTwoPlaces, "shirt",
                            [](EventsWorld& world) {
                              world.history.events.push_back(world.history.events[1]);
                              world.history.events.back().sequence = 4;
                            }},
                    Planted{rule::kIdOfTwo, "shirt-refund",
                            [](EventsWorld& world) {
                              world.EventOf("shirt-refund", "completed").id =
                                  world.EventOf("shirt", "completed").id;
                            }},
                    Planted{rule::kTwoIds, "shirt",
                            [](EventsWorld& world) {
                              world.history.events.push_back(world.history.events[1]);
                              world.history.events.back().stream = "a second stream";
                              world.history.events.back().id = "another id";
                            }},
                    Planted{rule::kWrongKey, "shirt",
                            [](EventsWorld& world) {
                              world.EventOf("shirt-refund", "completed").key = "shirt-refund";
                            }},
                    Planted{rule::kTwoPartitions, "shirt",
                            [](EventsWorld& world) {
                              ++world.EventOf("shirt-refund", "completed").partition;
                            }},
                    Planted{rule::kSharedStream, "prize",
                            [](EventsWorld& world) {
                              world.EventOf("prize", "completed").stream = "stream of shirt";
                            }},
                    Planted{rule::kNotByTime, "hotel", &PublishRefundLate},
                    Planted{rule::kBehindHeartbeat, "prize", [](EventsWorld& world) {
                              // The heartbeat came before what it vouches for.
                              EventLine& event = world.EventOf("prize", "completed");
                              HeartbeatLine& heartbeat = world.Beat(event.partition);
                              std::swap(event.offset, heartbeat.offset);
                            }}));

INSTANTIATE_TEST_SUITE_P(UnackedHints, PlantedTest,
                         testing::Values(Planted{rule::kNoHint, "shirt",
                                                 [](EventsWorld& world) {
                                                   std::erase_if(world.history.hints,
                                                                 [](const HintLine& hint) {
                                                                   return hint.order == "shirt";
                                                                 });
                                                 }},
                                         Planted{rule::kNoHint, "shirt",
                                                 [](EventsWorld& world) {
                                                   world.history.hints.front().project = "shop";
                                                 }},
                                         Planted{rule::kNoHint, "shirt",
                                                 [](EventsWorld& world) {
                                                   world.history.hints.front().source = "POLLER";
                                                 }},
                                         Planted{rule::kNoHint, "shirt", [](EventsWorld& world) {
                                                   world.history.deliveries.front().at += 60'000;
                                                 }}));

TEST(EventsAuditTest, WhatIsRightHasNoFinding) {
  const EventsWorld world;
  const Report report = Audit(world.history);
  EXPECT_THAT(report.findings, IsEmpty()) << Text(report, 0);
  EXPECT_EQ(LastLine(report), "lost=0 invented=0 misordered=0 unacked_hints=0 ledgers=equal");
}

TEST(EventsAuditTest, ExactCopiesAreCountedAndFine) {
  EventsWorld world;
  world.history.events.push_back(world.EventOf("shirt", "completed"));
  const Report report = Audit(world.history);
  EXPECT_THAT(report.findings, IsEmpty()) << Text(report, 0);
  EXPECT_EQ(report.figures.at("events that came again as exact copies"), 1);
}

TEST(EventsAuditTest, HeartbeatsVouchForWhatLiesBeforeThem) {
  EventsWorld world;
  const auto vouched = [&] {
    return Audit(world.history).figures.at("events that heartbeats vouch for");
  };
  const std::size_t before = vouched();
  EXPECT_EQ(before, world.history.events.size());
  // Noticed after the time of all heartbeats so far.
  world.Change("basket", "expired");
  const int partition = world.Publish("basket", "basket", "payment", "expired").partition;
  EXPECT_EQ(vouched(), before);
  world.Beat(partition);
  EXPECT_EQ(vouched(), before + 1);
  EXPECT_THAT(Audit(world.history).findings, IsEmpty());
}

TEST(EventsAuditTest, AnEventThatComesAgainBehindAHeartbeatIsFine) {
  EventsWorld world;
  EventLine again = world.EventOf("prize", "completed");
  again.offset += 10;
  world.history.events.push_back(again);
  EXPECT_THAT(Audit(world.history).findings, IsEmpty());
}

TEST(EventsAuditTest, WhatCameAboutWithinTheLagOfReadsMayComeInEitherOrder) {
  EventsWorld world;
  PublishRefundLate(world);
  EXPECT_THAT(Rules(Audit(world.history)), ElementsAre(rule::kNotByTime));
  EXPECT_THAT(Audit(world.history, {.read_lag = 2'000}).findings, IsEmpty());
}

TEST(EventsAuditTest, AnOrderThatWasHeldMayFollowWhatWasMadeOfItMeanwhile) {
  EventsWorld world;
  world.AddOrder("desk");
  world.history.calls.push_back({.order = "desk", .what = "capture_mode"});
  world.Publish("desk", "desk", "payment", "created");
  world.ChangeTransaction("desk", "completed");
  const TimeMs paid = world.history.statuses.back().at;
  world.AddOrder("desk-capture", "capture", "desk");
  world.Change("desk-capture", "completed");
  world.Publish("desk", "desk-capture", "capture", "completed");
  world.Change("desk", "completed");
  world.Publish("desk", "desk", "authorization", "completed").occurred_at = paid;
  EXPECT_THAT(Audit(world.history).findings, IsEmpty());
}

TEST(EventsAuditTest, WhatOnlyAForgottenMarkTellsMayFollowWhatWasMadeOfItMeanwhile) {
  EventsWorld world;
  world.AddOrder("desk");
  for (const std::string what : {"capture_mode", "own_checkout"}) {
    world.history.calls.push_back({.order = "desk", .what = what, .gateway = 1, .known = 1});
  }
  world.Publish("desk", "desk", "authorization", "created");
  world.ChangeTransaction("desk", "completed");
  const TimeMs paid = world.history.statuses.back().at;
  world.AddOrder("desk-capture", "capture", "desk");
  world.Change("desk-capture", "completed");
  const TimeMs captured = world.history.statuses.back().at;
  world.Publish("desk", "desk-capture", "capture", "completed");
  EventLine& late = world.Publish("desk", "desk", "authorization", "completed");
  late.occurred_at = paid;
  late.decided_by = "TRANSACTION";
  EXPECT_THAT(Rules(Audit(world.history)), ElementsAre(rule::kNotByTime));
  world.history.disturbances.push_back({.at = captured, .disturbance = "store_rolled_back"});
  EXPECT_THAT(Audit(world.history).findings, IsEmpty());
}

TEST(EventsAuditTest, AfterLostMemoryAllComesAgainInANewStream) {
  EventsWorld world;
  for (const std::string what : {"created", "completed"}) {
    EventLine again = world.EventOf("prize", what);
    again.stream = "second stream of prize";
    again.digest += " again";
    world.history.events.push_back(again);
  }
  EXPECT_THAT(Audit(world.history).findings, IsEmpty());
}

TEST(EventsAuditTest, WhatACreateLeavesMayComeLateWhenRedisWasDisturbed) {
  EventsWorld world;
  world.AddOrder("desk");
  const TimeMs created = world.history.orders.back().created;
  world.history.calls.push_back(
      {.order = "desk", .what = "capture_mode", .gateway = 1, .known = 1});
  world.Publish("desk", "desk", "payment", "created");
  world.Change("desk", "error");
  world.Publish("desk", "desk", "payment", "failed");
  world.Publish("desk", "desk", "payment", "needs_review");
  EXPECT_THAT(Rules(Audit(world.history)), Contains(rule::kWrongKind));
  DisturbanceLine stopped{
      .at = created + 5'001, .disturbance = "Redis stopped still", .until = created + 9'000};
  world.history.disturbances = {stopped};
  EXPECT_THAT(Rules(Audit(world.history)), Contains(rule::kWrongKind)) << "it was recorded";
  stopped.at = created + 700;
  world.history.disturbances = {stopped};
  EXPECT_THAT(Audit(world.history).findings, IsEmpty());
  world.history.disturbances.front().disturbance = "Kafka stopped still";
  EXPECT_THAT(Rules(Audit(world.history)), Contains(rule::kWrongKind));
}

/// An order that is captured later and fails, told as such; then memory is lost.
EventsWorld WithForgottenDesk() {
  EventsWorld world;
  world.AddOrder("desk");
  world.history.calls.push_back(
      {.order = "desk", .what = "capture_mode", .gateway = 1, .known = 1});
  world.Publish("desk", "desk", "authorization", "created");
  world.Change("desk", "error");
  world.Publish("desk", "desk", "authorization", "failed");
  world.history.disturbances.push_back(
      {.at = world.history.statuses.back().at, .disturbance = "memory_lost"});
  return world;
}

/// Publishes it in a stream that begins with it, or behind it.
EventLine& PublishAgain(EventsWorld& world, const std::string& kind, const std::string& what,
                        std::int64_t sequence) {
  EventLine& event = world.Publish("desk", "desk", kind, what);
  event.stream = "second stream of desk";
  event.sequence = sequence;
  return event;
}

TEST(EventsAuditTest, WhatWasToldAsAnotherKindWithoutItsMemoryIsAReview) {
  EventsWorld world = WithForgottenDesk();
  PublishAgain(world, "payment", "created", 1);
  PublishAgain(world, "payment", "failed", 2);
  PublishAgain(world, "payment", "needs_review", 3);
  EXPECT_THAT(Rules(Audit(world.history)), IsEmpty());
}

TEST(EventsAuditTest, WhatWasCreatedAfterMemoryWasLostIsOfItsOwnKind) {
  EventsWorld world = WithForgottenDesk();
  const TimeMs created =
      std::ranges::find(world.history.orders, "desk", &OrderLine::order)->created;
  PublishAgain(world, "payment", "created", 1);
  PublishAgain(world, "payment", "failed", 2);
  EXPECT_THAT(Rules(Audit(world.history)), IsEmpty());
  world.history.disturbances.back().at = created - 11'000;
  EXPECT_THAT(Rules(Audit(world.history)), Contains(rule::kWrongKind));
}

TEST(EventsAuditTest, WhatWasToldBeforeMemoryWasLostIsOfItsOwnKindToo) {
  EventsWorld world = WithForgottenDesk();
  EventLine& failed = world.EventOf("desk", "failed");
  failed.kind = "payment";
  DisturbanceLine& lost = world.history.disturbances.back();
  lost.at = failed.published_at;
  EXPECT_THAT(Rules(Audit(world.history)), IsEmpty());
  lost.at = failed.published_at + 11'000;
  EXPECT_THAT(Rules(Audit(world.history)), ElementsAre(rule::kWrongKind));
  // Later losses excuse nothing that an earlier one does not.
  world.history.disturbances.push_back({.at = lost.at + 1, .disturbance = "store_rolled_back"});
  EXPECT_THAT(Rules(Audit(world.history)), ElementsAre(rule::kWrongKind));
  world.history.disturbances.back().at = failed.published_at - 1;
  EXPECT_THAT(Rules(Audit(world.history)), IsEmpty());
}

TEST(EventsAuditTest, WhatIsToldAgainAsAnotherKindIsNotLate) {
  constexpr TimeMs kDay = 86'400'000;
  EventsWorld world = WithForgottenDesk();
  PublishAgain(world, "payment", "created", 1).published_at += kDay;
  PublishAgain(world, "payment", "failed", 2).published_at += kDay;
  EXPECT_THAT(Audit(world.history).findings, IsEmpty());
  world.EraseEvents("desk", "failed");
  PublishAgain(world, "payment", "failed", 2).published_at += kDay;
  EXPECT_THAT(Rules(Audit(world.history)), Contains(rule::kLate));
}

TEST(EventsAuditTest, AnErrorThatLaterCompletesIsTwoOutcomes) {
  EventsWorld world;
  world.Change("basket", "error");
  world.Publish("basket", "basket", "payment", "failed");
  world.Change("basket", "completed");
  world.Publish("basket", "basket", "payment", "completed");
  EXPECT_THAT(Audit(world.history).findings, IsEmpty());
}

TEST(EventsAuditTest, AnOrderThatEndsOtherwiseThanWasPublishedIsAReviewWithBothValues) {
  EventsWorld world;
  world.Change("watch", "cancelled");
  EventLine& event = world.Publish("watch", "watch", "payment", "needs_review");
  event.published_what = "completed";
  event.observed_what = "cancelled";
  EXPECT_THAT(Audit(world.history).findings, IsEmpty());
}

TEST(EventsAuditTest, WithoutItsMemoryATransactionNeedNotDecide) {
  EventsWorld world;
  world.EraseEvents("watch", "completed");
  world.history.disturbances.push_back(
      {.at = world.history.statuses.back().at, .disturbance = "memory_lost"});
  EXPECT_THAT(Audit(world.history).findings, IsEmpty());
}

TEST(EventsAuditTest, AnUnpaidOrderOfAnOperationNobodyWasToldOfMayBeSilent) {
  EventsWorld world;
  world.EraseEvents("basket", "");
  world.history.orders.back().marked = 1;
  EXPECT_THAT(Audit(world.history).findings, IsEmpty());
  world.history.calls.push_back({.order = "basket", .what = "created", .gateway = 1, .known = 1});
  EXPECT_THAT(Rules(Audit(world.history)), ElementsAre(rule::kNotCreated));
}

TEST(EventsAuditTest, EveryGroupIsCountedInTheLastLineAndNamesTheOrder) {
  EventsWorld world;
  world.EraseEvents("basket", "");
  world.EventOf("prize", "completed").status = "cancelled";
  world.EventOf("watch", "completed").key = "basket";
  world.history.hints.clear();
  const Report report = Audit(world.history);
  EXPECT_EQ(LastLine(report), "lost=1 invented=1 misordered=1 unacked_hints=2 ledgers=equal");
  EXPECT_THAT(Text(report, 1), HasSubstr("CONTRADICTION unacked_hints: a webhook was answered 200 "
                                         "without a hint: 2\n  shirt: "));
}

TEST(EventsAuditTest, LastOutcomesAreByFamilyInTheirOrder) {
  const EventsWorld world;
  const auto outcomes = LastOutcomes(world.history);
  EXPECT_THAT(outcomes, Contains(Pair("shirt", ElementsAre("shirt payment.completed",
                                                           "shirt-refund refund.completed"))));
  EXPECT_THAT(outcomes, Contains(Pair("watch", ElementsAre("watch payment.completed"))));
}

TEST(EventsAuditTest, AHistoryIsReadAsItWasWritten) {
  const EventsWorld world;
  const test::TempFolder folder;
  WriteHistory(folder.PathOf(""), world.history);
  const History read = ReadHistory(folder.PathOf(""));
  EXPECT_EQ(Text(Audit(read), 0), Text(Audit(world.history), 0));
  EXPECT_EQ(read.events.size(), world.history.events.size());
  EXPECT_EQ(read.heartbeats.size(), world.history.heartbeats.size());
  EXPECT_EQ(read.events.back().digest, world.history.events.back().digest);
  EXPECT_EQ(LastOutcomes(read), LastOutcomes(world.history));
}

}  // namespace
}  // namespace tollbridge::pipeline
