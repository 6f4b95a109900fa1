// The auditor of events finds what an event says wrongly of its order, what was late, and what the
// ledgers of consumers have otherwise, each by its rule.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "tests/chaos/events_auditor/audit.h"
#include "tests/chaos/events_auditor/history_file.h"
#include "tests/chaos/events_planted.h"
#include "tests/chaos/events_world.h"
#include "tests/support/temp_folder.h"

namespace tollbridge::pipeline {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

class PlantedContentsTest : public testing::TestWithParam<Planted> {};

TEST_P(PlantedContentsTest, IsFoundByItsRuleAloneAndNamed) {
  const Report report = ExpectFound(GetParam());
  EXPECT_THAT(report.findings, Each(Field(&Finding::kind, GetParam().rule))) << Text(report, 0);
}

EventLine& Paid(EventsWorld& world) { return world.EventOf("shirt", "completed"); }

INSTANTIATE_TEST_SUITE_P(
    Contents, PlantedContentsTest,
    testing::Values(
        Planted{rule::kWrongAmount, "shirt",
                [](EventsWorld& world) { world.EventOf("shirt", "created").amount = 1'251; }},
        Planted{rule::kWrongAmount, "shirt",
                [](EventsWorld& world) { world.EventOf("shirt", "created").currency = "USD"; }},
        Planted{rule::kWrongAmount, "shirt",
                [](EventsWorld& world) { Paid(world).shown_amount = 1'251; }},
        Planted{rule::kNoMoney, "prize",
                [](EventsWorld& world) {
                  // It was only charged.
                  for (MoneyLine& money : world.history.money) {
                    if (money.order == "prize") money.effect = "refund";
                  }
                }},
        Planted{rule::kNoMoney, "hotel",
                [](EventsWorld& world) {
                  std::erase_if(world.history.money,
                                [](const MoneyLine& money) { return money.order == "hotel"; });
                }},
        Planted{rule::kNoMoney, "watch",
                [](EventsWorld& world) {
                  for (MoneyLine& money : world.history.money) {
                    if (money.order == "watch") money.at += 1'000;
                  }
                }},
        Planted{rule::kWrongFlag, "shirt", [](EventsWorld& world) { Paid(world).is_outcome = 0; }},
        Planted{rule::kWrongFlag, "shirt",
                [](EventsWorld& world) { world.EventOf("shirt", "created").is_outcome = 1; }},
        Planted{rule::kWrongFlag, "shirt",
                [](EventsWorld& world) { Paid(world).outcome_header = "false"; }},
        Planted{rule::kWrongFlag, "shirt", [](EventsWorld& world) { Paid(world).test = 0; }},
        Planted{rule::kWrongFlag, "shirt",
                [](EventsWorld& world) { Paid(world).test_header = ""; }},
        Planted{rule::kWrongFlag, "shirt", [](EventsWorld& world) { Paid(world).has_order = 0; }},
        Planted{rule::kWrongFlag, "shirt",
                [](EventsWorld& world) {
                  Paid(world).has_order = 0;
                  Paid(world).order_omitted = 1;
                }},
        Planted{rule::kWrongReference, "shirt-refund",
                [](EventsWorld& world) { world.EventOf("shirt-refund", "completed").parent = ""; }},
        Planted{rule::kWrongReference, "shirt",
                [](EventsWorld& world) { Paid(world).merchant_order_id = "another"; }}));

INSTANTIATE_TEST_SUITE_P(
    Ledgers, PlantedContentsTest,
    testing::Values(Planted{rule::kOtherBooking, "shirt",
                            [](EventsWorld& world) {
                              world.BookingOf("Go", "shirt").booked += 1;
                              world.BookingOf("Go", "watch").booked -= 1;
                            }},
                    Planted{rule::kOtherBalance, "EUR",
                            [](EventsWorld& world) { world.BalanceOf("Python").amount += 1; }},
                    Planted{
                        rule::kLeftToAPerson, "shirt",
                        [](EventsWorld& world) { world.BookingOf("Python", "shirt").review = 1; }},
                    Planted{rule::kBookAlarm, "shirt",
                            [](EventsWorld& world) {
                              world.history.book_notes.push_back(
                                  {.book = "Go", .note = "gap", .subject = "shirt"});
                            }},
                    Planted{rule::kBookAlarm, "shirt", [](EventsWorld& world) {
                              world.history.book_notes.push_back(
                                  {.book = "Go", .note = "alarm", .subject = "shirt"});
                            }}));

/// Of an order that is new: two sweeps of a day, and what it may take beside.
constexpr TimeMs kAllowed = 2 * 15'000 + 10'000;

INSTANTIATE_TEST_SUITE_P(
    Time, PlantedContentsTest,
    testing::Values(Planted{rule::kLate, "shirt",
                            [](EventsWorld& world) { Paid(world).published_at += kAllowed; }},
                    Planted{rule::kLate, "shirt",
                            [](EventsWorld& world) {
                              // Half of that time nothing could be published: it is not enough.
                              const TimeMs begun = Paid(world).published_at + 1'000;
                              Paid(world).published_at += kAllowed * 3;
                              world.history.disturbances.push_back({.at = begun,
                                                                    .disturbance = "Kafka stopped",
                                                                    .until = begun + kAllowed / 2,
                                                                    .stops = 1});
                            }},
                    Planted{rule::kManyReads, "prize", [](EventsWorld& world) {
                              world.history.reads.push_back({.order = "prize", .reads = 31});
                            }}));

TEST(EventsTimeTest, ACallToTheGatewayMayReadItsOrderOnce) {
  EventsWorld world;
  world.history.reads.push_back({.order = "prize", .reads = 32});
  world.history.calls.push_back({.order = "prize", .what = "own_checkout", .gateway = 0});
  world.history.calls.push_back({.order = "prize", .what = "own_checkout", .gateway = 1});
  EXPECT_EQ(Audit(world.history).Count("reads"), 1);
  world.history.calls.push_back({.order = "prize", .what = "own_checkout", .gateway = 1});
  EXPECT_THAT(Audit(world.history).findings, IsEmpty());
}

TEST(EventsTimeTest, WhatWasDisturbedCountsHalfAndWhatWasStoppedNotAtAll) {
  EventsWorld world;
  const TimeMs begun = Paid(world).published_at;
  constexpr TimeMs kDisturbed = kAllowed + 30'000;
  Paid(world).published_at += kDisturbed;
  EXPECT_EQ(Audit(world.history).Count("late"), 1);
  DisturbanceLine line{.at = begun, .disturbance = "a reader stopped"};
  line.until = begun + kDisturbed;
  world.history.disturbances.push_back(line);
  EXPECT_THAT(Audit(world.history).findings, IsEmpty());
  Paid(world).published_at += kAllowed * 2;
  EXPECT_EQ(Audit(world.history).Count("late"), 1);
  line.at = begun + kDisturbed;
  line.until = line.at + kAllowed;
  line.stops = 1;
  world.history.disturbances.push_back(line);
  EXPECT_THAT(Audit(world.history).findings, IsEmpty());
}

TEST(EventsTimeTest, AFamilyWhoseReadsGoWrongHasItsTime) {
  EventsWorld world;
  const TimeMs begun = Paid(world).published_at;
  Paid(world).published_at += kAllowed + 30'000;
  DisturbanceLine line{.at = begun, .disturbance = "reads garbled"};
  line.until = Paid(world).published_at;
  line.order = "watch";
  world.history.disturbances.push_back(line);
  EXPECT_EQ(Audit(world.history).Count("late"), 1);
  world.history.disturbances.back().order = "shirt-refund";
  EXPECT_THAT(Audit(world.history).findings, IsEmpty());
}

TEST(EventsTimeTest, HintsOfAFamilyExplainReads) {
  EventsWorld world;
  world.history.reads.push_back({.order = "shirt", .reads = 38});
  EXPECT_THAT(Audit(world.history).findings, IsEmpty());
  ++world.history.reads.back().reads;
  EXPECT_EQ(LastLine(Audit(world.history)),
            "lost=0 invented=0 misordered=0 unacked_hints=0 ledgers=equal reads=1");
}

/// Own checkouts, each held by the payment service for three seconds after it was paid.
void AddHeld(EventsWorld* world, int from, int to, const std::string& decided_by) {
  for (int i = from; i < to; ++i) {
    const std::string order = "ring-" + std::to_string(i);
    world->AddOrder(order);
    world->history.calls.push_back(
        {.order = order, .what = "own_checkout", .gateway = 1, .known = 1});
    world->ChangeTransaction(order, "completed");
    world->history.statuses.back().at -= 3'000;
    world->Change(order, "completed");
    world->Publish(order, order, "payment", "created");
    world->Publish(order, order, "payment", "completed").decided_by = decided_by;
  }
}

TEST(EventsTimeTest, OwnCheckoutsAreToldByTheirTransactions) {
  EventsWorld world;
  AddHeld(&world, 0, 10, "TRANSACTION");
  AddHeld(&world, 10, 20, "ORDER");
  EXPECT_THAT(Audit(world.history).findings, IsEmpty()) << "half of them, and the watch";
  AddHeld(&world, 20, 22, "ORDER");
  EXPECT_THAT(Audit(world.history).findings,
              ElementsAre(Field(&Finding::kind, std::string(rule::kOnlyByOrder))));
}

TEST(EventsBooksTest, WhatTheGatewayLeftToAPersonMayBeLeftThere) {
  EventsWorld world;
  world.Change("watch", "cancelled");
  EventLine& event = world.Publish("watch", "watch", "payment", "needs_review");
  event.published_what = "completed";
  event.observed_what = "cancelled";
  world.BookingOf("Go", "watch").review = 1;
  world.BookingOf("Python", "watch").review = 1;
  EXPECT_THAT(Audit(world.history).findings, IsEmpty());
}

TEST(EventsBooksTest, AnotherKindIsForAPersonAfterLostMemoryAlone) {
  EventsWorld world;
  // The capture of what was told as a payment.
  world.history.calls.clear();
  world.history.calls.push_back({.order = "hotel", .what = "capture_mode", .gateway = 1});
  world.history.calls.push_back(
      {.order = "watch", .what = "own_checkout", .gateway = 1, .known = 1});
  world.EventOf("hotel", "completed").kind = "payment";
  for (const char* book : {"Go", "Python"}) {
    BookingLine& booking = world.BookingOf(book, "hotel-capture");
    world.BalanceOf(book).amount -= booking.booked;
    booking.booked = 0;
    booking.review = 1;
  }
  EXPECT_EQ(Audit(world.history).Count("ledgers"), 2);
  world.history.disturbances.push_back(
      {.at = world.history.statuses.back().at, .disturbance = "memory_lost"});
  EXPECT_EQ(Audit(world.history).Count("ledgers"), 0);
}

TEST(EventsBooksTest, FailedBehindCompletedIsForAPersonAfterLostMemoryAlone) {
  EventsWorld world;
  world.Publish("shirt", "shirt", "payment", "failed");
  world.BookingOf("Go", "shirt").review = 1;
  world.BookingOf("Python", "shirt").review = 1;
  EXPECT_EQ(Audit(world.history).Count("ledgers"), 2);
  world.history.disturbances.push_back(
      {.at = world.history.statuses.back().at, .disturbance = "memory_lost"});
  EXPECT_EQ(Audit(world.history).Count("ledgers"), 0);
  // The other way round is an order that failed at first.
  std::swap(world.EventOf("shirt", "failed").offset, world.EventOf("shirt", "completed").offset);
  EXPECT_EQ(Audit(world.history).Count("ledgers"), 2);
}

TEST(EventsBooksTest, WithoutConsumersThereIsNothingToCompare) {
  EventsWorld world;
  world.history.bookings.clear();
  world.history.book_notes.clear();
  const Report report = Audit(world.history);
  EXPECT_TRUE(report.ok());
  EXPECT_THAT(LastLine(report), HasSubstr(" ledgers=none"));
}

TEST(EventsBooksTest, AConsumerThatBookedNothingIsThereAllTheSame) {
  EventsWorld world;
  world.history.bookings.clear();
  world.history.book_notes = {{.book = "Go", .note = "kept"}};
  EXPECT_GT(Audit(world.history).Count("ledgers"), 0);
}

TEST(EventsHistoryTest, IsReadAsItWasWritten) {
  const test::TempFolder folder;
  EventsWorld world;
  world.history.reads.push_back({.order = "shirt", .reads = 38});
  WriteHistory(folder.PathOf(""), world.history);
  const History read = ReadHistory(folder.PathOf(""));
  EXPECT_EQ(Text(Audit(read), 0), Text(Audit(world.history), 0));
  EXPECT_EQ(read.bookings.size(), world.history.bookings.size());
  EXPECT_EQ(read.money.front().effect, "charge");
  EXPECT_EQ(read.events.front().merchant_order_id, "reference of shirt");
}

}  // namespace
}  // namespace tollbridge::pipeline
