// How far back an audit of events looks, and whose events it compares.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "services/domain/timestamps.h"
#include "tests/support/told_state.h"
#include "tests/unit/services/reconcile/audited_topic.h"
#include "tollbridge/events/v1/events.pb.h"

namespace tollbridge::reconcile {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr auto kCreated = events::v1::EVENT_WHAT_CREATED;
constexpr auto kCompleted = events::v1::EVENT_WHAT_COMPLETED;

class EventsAuditScopeTest : public AuditedTopic {
 protected:
  void PutCreatedAndCompleted(std::uint8_t root) {
    Put(root, 1, kCreated, kStream);
    Put(root, 2, kCompleted, kStream);
  }
  void WrittenBefore(hours ago) { topic_.records.back().written = clock_.WallNow() - ago; }
  /// As Told, of a life that began so long ago and an order that was completed so long ago.
  ports::SaveRequest Told(std::uint8_t root, std::uint64_t sequence, hours life, hours happened,
                          std::uint8_t stream = kStream) {
    ports::SaveRequest request = AuditedTopic::Told(root, sequence, stream);
    request.snapshot.set_began(Seconds(clock_.WallNow() - life));
    const auto time = domain::ToTimestamp(clock_.WallNow() - happened);
    *request.snapshot.mutable_root()->mutable_modified() = time;
    common::v1::Order& order = service_.orders[Root(root).ToString()];
    *order.mutable_modified() = time;
    *order.mutable_completed() = time;
    return request;
  }
  EventsAudit::Settings Since(hours ago) const { return {.from = clock_.WallNow() - ago}; }

  const domain::Project stall_ = *test::StoreProjects().Find("stall");
};

/// The reader saw it late. Its stream is there from the first number on, so all that was told is.
TEST_F(EventsAuditScopeTest, WhatHappenedBeforeTheTopicAndIsLostBehindItsFirstRecordIsToldAgain) {
  Put(1, 1, kCreated, kStream);
  Save(Told(1, 2, hours(30), hours(47)));
  EXPECT_THAT(Audit(kRepair), ElementsAre("gap/asked", "missing/asked"));
  EXPECT_EQ(summary_.older, 0U);
  EXPECT_EQ(summary_.outcomes, 1U);
  EXPECT_EQ(AskedFrom(1), WallTime()) << "nothing of it is too old";
  EXPECT_THAT(Audit(kRepair), ElementsAre("gap/asked", "missing/asked"));
  EXPECT_EQ(summary_.asked, 0U);
}

TEST_F(EventsAuditScopeTest, WhatHappenedBeforeTheTopicAndWasToldBehindItsFirstRecordIsLookedFor) {
  Save(Told(1, 2, hours(1), hours(47)));
  EXPECT_THAT(Audit(kRepair), ElementsAre("missing/asked"));
  EXPECT_EQ(AskedFrom(1), WallTime());
}

TEST_F(EventsAuditScopeTest, ANewStreamThatHasNotToldWhatIsMissingMendsNothing) {
  Put(1, 1, kCreated, kStream);
  Put(1, 3, events::v1::EVENT_WHAT_PROCESSING, kStream);
  Save(Told(1, 0, hours(1), hours(47), kNextStream));
  EXPECT_THAT(Audit(kRepair), ElementsAre("gap/asked", "missing/asked"));
}

TEST_F(EventsAuditScopeTest, ANewStreamThatHasNotToldCreatedDoesNotMendItsGap) {
  Put(1, 2, kCompleted, kStream);
  Put(1, 1, kCompleted, kNextStream);
  Save(Told(1, 1, hours(1), hours(1), kNextStream));
  EXPECT_THAT(Audit(kRepair), ElementsAre("gap/asked"));
  EXPECT_EQ(AskedFrom(1), WallTime());
  Put(1, 2, kCreated, kNextStream);
  const ports::EventRecord told = topic_.records.back();
  DropLast();
  ports::SaveRequest pending = Told(1, 2, hours(1), hours(1), kNextStream);
  events::v1::PaymentEvent event;
  ASSERT_TRUE(event.ParseFromString(told.value));
  *event.mutable_noticed_at() = domain::ToTimestamp(clock_.WallNow());
  storage::v1::OutboxEntry& entry = *pending.outbox.add_entries();
  entry.set_id(event.id());
  entry.set_sequence(2);
  entry.set_payload(event.SerializeAsString());
  Save(pending);
  EXPECT_THAT(Audit(kRepair), ElementsAre("gap/told_again")) << "it is about to be told";
  topic_.records.push_back(told);
  EXPECT_THAT(Audit(kRepair), ElementsAre("gap/told_again"));
}

/// It may have been told and removed before what is lost now; consumers may have forgotten its id.
TEST_F(EventsAuditScopeTest, WhatMayBeLostOrRemovedIsNotToldAgainAndNotCalledMended) {
  topic_.first = 5'000;
  Put(1, 2, events::v1::EVENT_WHAT_PROCESSING, kStream);
  Put(1, 4, events::v1::EVENT_WHAT_PROCESSING, kStream, 2);
  Save(Told(1, 4, hours(24 * 30), hours(47)));
  EXPECT_THAT(Audit(kRepair), ElementsAre("gap/asked"));
  EXPECT_EQ(AskedFrom(1), clock_.WallNow() - hours(24));
  Save(Told(1, 0, hours(24 * 30), hours(47), kNextStream));
  EXPECT_THAT(Audit(kRepair), ElementsAre("gap/too_old"));
  EXPECT_EQ(summary_.asked, 0U) << "asking again would change nothing";
  EXPECT_EQ(summary_.open(), 1U);
  EXPECT_EQ(summary_.older, 1U);
  Save(Told(1, 0, hours(24 * 30), hours(97), kNextStream));
  EXPECT_THAT(Audit(kRepair), ElementsAre("gap/told_again")) << "nothing waits so long";
}

TEST_F(EventsAuditScopeTest, WhatWasToldInTheTimeAndHappenedBeforeItIsLookedFor) {
  Put(1, 1, kCreated, kStream);
  WrittenBefore(hours(5));
  Save(Told(1, 2, hours(5), hours(5)));
  Save(Told(2, 2, hours(1), hours(47)));
  EXPECT_THAT(Audit(Since(hours(3))), ElementsAre("gap/open", "missing/open", "missing/open"));
  EXPECT_EQ(summary_.older, 0U);
}

TEST_F(EventsAuditScopeTest, WhatNumbersShowToBeToldBeforeTheTimeIsNotLookedFor) {
  for (const std::uint64_t sequence : {1U, 3U}) {
    Put(1, sequence, sequence == 1 ? kCreated : events::v1::EVENT_WHAT_PROCESSING, kStream);
    WrittenBefore(hours(5));
  }
  ports::SaveRequest request = Told(1, 3, hours(6), hours(6));
  domain::SetPublished(request.snapshot.mutable_root(), events::v1::EVENT_WHAT_PROCESSING, 1);
  Save(request);
  EXPECT_THAT(Audit(Since(hours(3))), IsEmpty());
  EXPECT_EQ(summary_.older, 1U);
  EXPECT_THAT(Audit(Since(hours(6))), ElementsAre("gap/open", "missing/open"));
}

/// Nothing tells when it was told. The reader is late by the baseline at most.
TEST_F(EventsAuditScopeTest, AFamilyOfWhichNothingIsThereIsLookedForAsLongAsItMayBeToldLate) {
  topic_.records.front().written = clock_.WallNow() - hours(24 * 40);
  Save(Told(1, 2, hours(60), hours(60)));
  Save(Told(2, 2, hours(80), hours(80)));
  EXPECT_THAT(Audit(Since(hours(3))), ElementsAre("missing/open"));
  EXPECT_EQ(summary_.older, 1U);
  EXPECT_EQ(summary_.outcomes, 1U);
}

/// Their hints waited for the reader that then wrote the first records.
TEST_F(EventsAuditScopeTest, TheFirstFamiliesOfATopicMayBeOlderThanItsRecords) {
  EventsAudit::Settings settings;
  settings.topics["shop"] = {{.name = "tollbridge.events.v1", .mark = ""}};
  Save(Told(1, 2, hours(25), hours(47)));
  EXPECT_THAT(Audit(settings), ElementsAre("missing/open"));
  Save(Told(1, 2, hours(24 * 5), hours(24 * 5)));
  EXPECT_THAT(Audit(settings), IsEmpty()) << "so long no hint waits";
  Save(Told(1, 1, hours(25), hours(47)));
  EXPECT_THAT(Audit(settings), IsEmpty()) << "another stream had told it";
  ports::SaveRequest elsewhere = Told(1, 2, hours(25), hours(47));
  elsewhere.snapshot.set_topic("of another topic");
  Save(elsewhere);
  EXPECT_THAT(Audit(settings), IsEmpty());
  topic_.first = 1;
  Save(Told(1, 2, hours(25), hours(47)));
  EXPECT_THAT(Audit(settings), IsEmpty()) << "it may have been removed";
}

TEST_F(EventsAuditScopeTest, ProjectsThatSeeOneOrderHideNothingOfEachOther) {
  projects_ = {&project_, &stall_};
  PutCreatedAndCompleted(1);
  Save(Told(1, 2, hours(2), hours(1)));
  Put(2, 1, kCreated, kStream);
  Save(Told(2, 2, hours(2), hours(1)));
  teller_ = &stall_;
  Put(1, 1, kCreated, kNextStream);
  Save(Told(1, 2, hours(2), hours(1), kNextStream));
  Put(2, 1, kCreated, kNextStream);
  Put(2, 2, kCompleted, kNextStream);
  Save(Told(2, 2, hours(2), hours(1), kNextStream));
  EXPECT_THAT(Audit(kRepair),
              ElementsAre("gap/asked", "missing/asked", "gap/asked", "missing/asked"));
  EXPECT_THAT(projects_found_, ElementsAre("stall", "stall", "shop", "shop"));
  EXPECT_TRUE(Load(1).tell_again.has_value());
  EXPECT_FALSE(Load(2).tell_again.has_value());
}

TEST_F(EventsAuditScopeTest, TheBeginningOfAYoungStreamIsMissedWhateverWasRemoved) {
  topic_.first = 5'000;
  for (const std::uint8_t root : {std::uint8_t{1}, std::uint8_t{2}})
    Put(root, 2, kCompleted, kStream);
  Save(Told(1, 2, hours(2), hours(1)));
  Save(Told(2, 2, hours(25), hours(1)));
  EXPECT_THAT(Audit(kRepair), ElementsAre("gap/asked"));
  EXPECT_TRUE(Load(1).tell_again.has_value());
  topic_.before_read = [this] { topic_.records.front().written = clock_.WallNow() - minutes(90); };
  EXPECT_THAT(Audit(), IsEmpty()) << "it may have been removed meanwhile";
}

TEST_F(EventsAuditScopeTest, EventsOfAProjectThatHadAnotherNameAreItsOwn) {
  domain::Project before = project_;
  before.name = "boutique";
  teller_ = &before;
  PutCreatedAndCompleted(1);
  teller_ = &stall_;
  PutCreatedAndCompleted(1);
  teller_ = &project_;
  Save(Told(1, 2, hours(2), hours(1)));
  EXPECT_THAT(Audit({.only_these = true}), IsEmpty());
  EXPECT_EQ(summary_.events, 3U);
  EXPECT_THAT(Audit(), IsEmpty());
  EXPECT_EQ(summary_.events, 5U);
}

TEST_F(EventsAuditScopeTest, EventsUnderANameThatAnotherProjectHasNowAreWhoseTheyWere) {
  PutCreatedAndCompleted(1);
  domain::Project heir = stall_;
  std::swap(project_.name, heir.name);
  projects_ = {&heir, &project_};
  Save(Told(1, 2, hours(2), hours(1)));
  EXPECT_THAT(Audit(), IsEmpty());
}

}  // namespace
}  // namespace tollbridge::reconcile
