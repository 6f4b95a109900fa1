#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "services/domain/event_payload.h"
#include "services/domain/timestamps.h"
#include "tests/support/told_state.h"
#include "tests/unit/services/reconcile/audited_topic.h"
#include "tollbridge/events/v1/events.pb.h"

namespace tollbridge::reconcile {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

/// Families that were told created and completed an hour ago, in a topic that a day is kept of.
class EventsAuditTest : public AuditedTopic {};

TEST_F(EventsAuditTest, WhatIsToldAndThereIsNoFault) {
  PutCreatedAndCompleted(1);
  Save(Told(1, 2));
  EXPECT_THAT(Audit(kRepair), IsEmpty());
  EXPECT_EQ(summary_.outcomes, 1U);
  EXPECT_EQ(summary_.asked, 0U);
  EXPECT_EQ(service_.asked, 0);
}

TEST_F(EventsAuditTest, AnOutcomeThatIsNotOnTheTopicIsFoundAndAskedFor) {
  PutCreatedAndCompleted(1);
  DropLast();
  Save(Told(1, 1));
  EXPECT_THAT(Audit(), ElementsAre("missing/open"));
  EXPECT_FALSE(Load(1).tell_again.has_value()) << "without --repair nothing is changed";
  EXPECT_THAT(Audit(kRepair), ElementsAre("missing/asked"));
  EXPECT_EQ(summary_.asked, 1U);
  const ports::FamilyState state = Load(1);
  ASSERT_TRUE(state.tell_again.has_value());
  EXPECT_EQ(state.tell_again->from, clock_.WallNow() - hours(24)) << "as far as the topic goes";
  EXPECT_EQ(state.due, clock_.WallNow());
  EXPECT_THAT(Audit(kRepair), ElementsAre("missing/asked"));
  EXPECT_EQ(summary_.asked, 0U) << "a second run changes nothing";
}

TEST_F(EventsAuditTest, AFamilyOfWhichNothingIsThereIsMissing) {
  Save(Told(1, 2));
  EXPECT_THAT(Audit(), ElementsAre("missing/open"));
}

TEST_F(EventsAuditTest, AGapIsFoundAlsoAtTheEnd) {
  PutCreatedAndCompleted(1);
  Save(Told(1, 3));
  Put(2, 1, events::v1::EVENT_WHAT_CREATED, kStream);
  Put(2, 3, events::v1::EVENT_WHAT_COMPLETED, kStream);
  Save(Told(2, 3));
  EXPECT_THAT(Audit(kRepair), ElementsAre("gap/asked", "gap/asked"));
  EXPECT_EQ(summary_.asked, 2U);
}

/// `created` is promised as outcomes are, and where nothing of a stream is left no gap shows it.
TEST_F(EventsAuditTest, AnOpenFamilyOfWhichNothingIsThereIsAGap) {
  ports::SaveRequest open = Told(1, 1);
  *open.snapshot.mutable_root() = test::ToldState({events::v1::EVENT_WHAT_CREATED});
  open.snapshot.set_began(Seconds(clock_.WallNow() - hours(2)));
  Save(open);
  ports::SaveRequest older = open;
  older.key = Key(2);
  older.snapshot.set_began(Seconds(clock_.WallNow() - hours(30)));
  Save(older);
  ports::SaveRequest silent = open;
  silent.key = Key(3);
  silent.snapshot.set_sequence(0);
  Save(silent);
  EXPECT_THAT(Audit(kRepair), ElementsAre("gap/asked"));
  EXPECT_TRUE(Load(1).tell_again.has_value());
  Put(1, 1, events::v1::EVENT_WHAT_CREATED, kStream);
  EXPECT_THAT(Audit(), IsEmpty());
}

TEST_F(EventsAuditTest, TwoContentsAndWrongOrderAreFound) {
  PutCreatedAndCompleted(1);
  Put(1, 2, events::v1::EVENT_WHAT_FAILED, kStream);
  Save(Told(1, 2));
  Put(2, 2, events::v1::EVENT_WHAT_COMPLETED, kStream);
  Put(2, 1, events::v1::EVENT_WHAT_CREATED, kStream);
  Save(Told(2, 2));
  EXPECT_THAT(Audit(), ElementsAre("two_contents/open", "wrong_order/open"));
}

TEST_F(EventsAuditTest, HeartbeatsAmongEventsAreNoFault) {
  PutCreatedAndCompleted(1);
  Save(Told(1, 2));
  events::v1::Heartbeat heartbeat;
  heartbeat.set_partition(0);
  topic_.records.push_back({.partition = 0,
                            .offset = static_cast<std::int64_t>(topic_.records.size()),
                            .written = clock_.WallNow(),
                            .type = std::string(domain::kHeartbeatType),
                            .content_type = "application/protobuf",
                            .value = heartbeat.SerializeAsString()});
  EXPECT_THAT(Audit(), IsEmpty());
  EXPECT_EQ(summary_.unreadable, 0U);
}

TEST_F(EventsAuditTest, AnOutboxThatNobodyPublishedIsDueNow) {
  PutCreatedAndCompleted(1);
  const ports::EventRecord late = topic_.records.back();
  DropLast();
  ports::SaveRequest request = Told(1, 2);
  events::v1::PaymentEvent event;
  ASSERT_TRUE(event.ParseFromString(late.value));
  *event.mutable_noticed_at() = domain::ToTimestamp(clock_.WallNow() - minutes(2));
  storage::v1::OutboxEntry& entry = *request.outbox.add_entries();
  entry.set_id(event.id());
  entry.set_sequence(2);
  entry.set_payload(event.SerializeAsString());
  Save(request);
  EXPECT_THAT(Audit({.late_outbox = minutes(3)}), IsEmpty()) << "it may be under way";
  EXPECT_THAT(Audit(), ElementsAre("unpublished/open"));
  EXPECT_THAT(Audit(kRepair), ElementsAre("unpublished/asked"));
  EXPECT_EQ(Load(1).due, clock_.WallNow());
  EXPECT_FALSE(Load(1).tell_again.has_value()) << "it is published as it is";
  topic_.records.push_back(late);
  EXPECT_THAT(Audit(), IsEmpty()) << "published, and only not cleared";
}

TEST_F(EventsAuditTest, WhatANewStreamHasToldIsMended) {
  Put(1, 2, events::v1::EVENT_WHAT_COMPLETED, kStream);
  Put(1, 1, events::v1::EVENT_WHAT_CREATED, kStream);
  Put(1, 1, events::v1::EVENT_WHAT_CREATED, kNextStream);
  Put(1, 2, events::v1::EVENT_WHAT_COMPLETED, kNextStream);
  Save(Told(1, 2, kNextStream));
  EXPECT_THAT(Audit(kRepair), ElementsAre("wrong_order/told_again"));
  EXPECT_EQ(summary_.open(), 0U);
  EXPECT_EQ(summary_.asked, 0U);
}

TEST_F(EventsAuditTest, WhatIsOlderThanTheTopicIsCountedApart) {
  topic_.first = 5'000;
  ports::SaveRequest before = Told(1, 2);
  *before.snapshot.mutable_root()->mutable_modified() =
      domain::ToTimestamp(clock_.WallNow() - hours(25));
  Save(before);
  // Refunded lately; it was completed long before that.
  ports::SaveRequest refunded = Told(2, 2);
  Save(refunded);
  *service_.orders[Root(2).ToString()].mutable_completed() =
      domain::ToTimestamp(clock_.WallNow() - hours(25));
  EXPECT_THAT(Audit(kRepair), IsEmpty());
  EXPECT_EQ(summary_.older, 2U);
  EXPECT_EQ(summary_.asked, 0U);
}

TEST_F(EventsAuditTest, WhatCannotBeAskedForIsNotDecided) {
  Save(Told(1, 2));
  service_.orders.clear();
  EXPECT_THAT(Audit(kRepair), IsEmpty());
  EXPECT_EQ(summary_.undecided, 1U);
  EXPECT_FALSE(Load(1).tell_again.has_value());
}

TEST_F(EventsAuditTest, AYoungFamilyNeedsNoLookAtTheService) {
  ports::SaveRequest young = Told(1, 2);
  topic_.records.front().written = clock_.WallNow() - hours(24 * 10);
  young.snapshot.set_began(Seconds(clock_.WallNow() - hours(24)));
  Save(young);
  EXPECT_THAT(Audit(), ElementsAre("missing/open"));
  EXPECT_EQ(service_.asked, 0);
}

TEST_F(EventsAuditTest, AFamilyThatNobodyRemembersCannotBeMended) {
  Put(1, 1, events::v1::EVENT_WHAT_CREATED, kStream);
  Put(1, 3, events::v1::EVENT_WHAT_COMPLETED, kStream);
  EXPECT_THAT(Audit(kRepair), ElementsAre("gap/no_snapshot"));
  EXPECT_EQ(summary_.open(), 1U);
}

TEST_F(EventsAuditTest, SlicesOfTheFamiliesFindTheSame) {
  for (std::uint8_t root = 1; root <= 9; ++root) {
    PutCreatedAndCompleted(root);
    if (root % 3 == 0) DropLast();
    Save(Told(root, root % 3 == 0 ? 1 : 2));
  }
  const std::vector<std::string> at_once = Audit();
  EXPECT_EQ(at_once.size(), 3U);
  const int reads = topic_.reads;
  EXPECT_EQ(Audit({.most_events = 4}), at_once);
  EXPECT_GT(topic_.reads, reads + 1);
  EXPECT_EQ(summary_.events, topic_.records.size());
}

/// Refunded after it: the order's own completion was in that time all the same.
TEST_F(EventsAuditTest, WhatHappenedInTheTimeAndWasChangedAfterItIsLookedFor) {
  Save(Told(1, 2));
  *service_.orders[Root(1).ToString()].mutable_completed() =
      domain::ToTimestamp(clock_.WallNow() - hours(3));
  EXPECT_THAT(Audit({.to = clock_.WallNow() - hours(2)}), ElementsAre("missing/open"));
  EXPECT_EQ(summary_.outcomes, 1U);
  EXPECT_THAT(Audit({.to = clock_.WallNow() - hours(4)}), IsEmpty());
  EXPECT_EQ(summary_.outcomes, 0U);
}

/// Test orders are kept for an hour, say: that says nothing of the others.
TEST_F(EventsAuditTest, ATopicThatIsKeptForLessHidesNothingOfTheOthers) {
  topic_.other = {
      .topic = "short", .first = 7, .end = 9, .first_written = clock_.WallNow() - minutes(1)};
  EventsAudit::Settings settings;
  settings.topics["shop"] = {{.name = "tollbridge.events.v1", .mark = ""},
                             {.name = "short", .mark = "mark"}};
  settings.topics["stall"] = {{.name = "short", .mark = "mark"}};
  Save(Told(1, 2));
  EXPECT_THAT(Audit(settings), ElementsAre("missing/open"));
  ports::SaveRequest of_a_test = Told(2, 2);
  of_a_test.snapshot.set_topic("mark");
  Save(of_a_test);
  EXPECT_THAT(Audit(settings), ElementsAre("missing/open"));
  EXPECT_EQ(summary_.older, 1U) << "its own topic does not reach it";
}

TEST_F(EventsAuditTest, AFamilyWhoseTopicIsNotKnownIsLookedForOnThoseOfItsProject) {
  topic_.other = {
      .topic = "short", .first = 7, .end = 9, .first_written = clock_.WallNow() - minutes(1)};
  EventsAudit::Settings settings;
  settings.topics["shop"] = {{.name = "tollbridge.events.v1", .mark = ""}};
  settings.topics["stall"] = {{.name = "short", .mark = "mark"}};
  ports::SaveRequest moved = Told(1, 2);
  moved.snapshot.set_topic("of a topic that was taken out");
  Save(moved);
  EXPECT_THAT(Audit(settings), ElementsAre("missing/open"));
  settings.topics["shop"].push_back({.name = "short", .mark = "mark"});
  EXPECT_THAT(Audit(settings), IsEmpty()) << "it may have been there";
}

/// A project has moved there lately: what it told before lies elsewhere.
TEST_F(EventsAuditTest, ANewTopicReachesNoFurtherThanItsOwnRecords) {
  topic_.other = {
      .topic = "new", .first = 0, .end = 2, .first_written = clock_.WallNow() - minutes(1)};
  EventsAudit::Settings settings;
  settings.topics["shop"] = {{.name = "new", .mark = "mark"}};
  ports::SaveRequest moved = Told(1, 2);
  moved.snapshot.set_topic("mark");
  Save(moved);
  EXPECT_THAT(Audit(settings), IsEmpty());
  EXPECT_EQ(summary_.older, 1U);
}

/// Its time of keeping ends while it is read, which takes an hour on a large one.
TEST_F(EventsAuditTest, WhatIsRemovedDuringTheReadIsNotMissing) {
  PutCreatedAndCompleted(1);
  Save(Told(1, 2));
  topic_.before_read = [this] {
    topic_.records.clear();
    Put(kOld, 2, events::v1::EVENT_WHAT_COMPLETED, kStream);
    topic_.records.front().written = clock_.WallNow();
    topic_.first = 3;
  };
  EXPECT_THAT(Audit(kRepair), IsEmpty());
  EXPECT_EQ(summary_.older, 1U);
  EXPECT_FALSE(Load(1).tell_again.has_value());
}

TEST_F(EventsAuditTest, TheTimeAskedForBoundsWhatIsLookedAt) {
  PutCreatedAndCompleted(1);
  DropLast();
  Save(Told(1, 1));
  EXPECT_THAT(Audit({.from = clock_.WallNow() - minutes(30)}), IsEmpty());
  EXPECT_THAT(Audit({.to = clock_.WallNow() - hours(2)}), IsEmpty());
  EXPECT_THAT(Audit({.from = clock_.WallNow() - hours(2)}), Contains("missing/open"));
}

}  // namespace
}  // namespace tollbridge::reconcile
