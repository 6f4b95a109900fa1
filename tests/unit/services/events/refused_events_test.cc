#include "services/events/refused_events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/telemetry/log.h"
#include "base/telemetry/metric_definitions.h"
#include "tests/unit/services/events/fixture.h"

namespace tollbridge::events {
namespace {

using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class RefusedEventsTest : public EventsFixture {
 protected:
  std::vector<std::string> Told(const std::string& event = "event_refused") {
    std::vector<std::string> told;
    for (const std::string& line : capture_.lines()) {
      if (line.find("\"" + event + "\"") != std::string::npos) told.push_back(line);
    }
    return told;
  }

  telemetry::LogCapture capture_;
};

constexpr auto kCompleted = common::v1::ORDER_STATUS_COMPLETED;

TEST_F(RefusedEventsTest, AnEventThatIsNotTakenIsAnAlarmAndLosesNothing) {
  reads_.Show(MakeOrder(kCompleted));
  events_.down = absl::InvalidArgumentError("too large");
  EXPECT_EQ(ReadOnce().outcome, ReadOutcome::kFailed);
  EXPECT_EQ(Metric(telemetry::kEventsRefused, "too_large"), 1);
  EXPECT_THAT(Told(), ElementsAre(AllOf(HasSubstr("\"severity\":\"error\""), HasSubstr(kOrderId),
                                        HasSubstr("\"project\":\"shop\""))));
  ASSERT_TRUE(Kept().outbox);
  EXPECT_EQ(Kept().outbox->entries_size(), 2);
  events_.down = absl::OkStatus();
  EXPECT_EQ(ReadOnce().outcome, ReadOutcome::kDone);
  EXPECT_THAT(Types(),
              ElementsAre("tollbridge.payment.created.v1", "tollbridge.payment.completed.v1"));
  EXPECT_THAT(Told("event_published"), ElementsAre(HasSubstr("\"partition\":0,\"offset\":0"),
                                                   HasSubstr("\"partition\":0,\"offset\":1")));
}

TEST_F(RefusedEventsTest, WhatTheTopicRefusesHasACauseOfItsOwn) {
  reads_.Show(MakeOrder(kCompleted));
  events_.down = absl::FailedPreconditionError("no such record");
  EXPECT_EQ(ReadOnce().outcome, ReadOutcome::kFailed);
  EXPECT_EQ(Metric(telemetry::kEventsRefused, "refused"), 1);
}

TEST_F(RefusedEventsTest, ALogThatIsAwayIsNoAlarm) {
  reads_.Show(MakeOrder(kCompleted));
  events_.down = absl::UnavailableError("no acknowledgement");
  EXPECT_EQ(ReadOnce().outcome, ReadOutcome::kOutage);
  EXPECT_THAT(Told(), ElementsAre());
  EXPECT_EQ(Metric(telemetry::kEventsRefused, "refused"), 0);
}

TEST_F(RefusedEventsTest, ManyFamiliesMakeOneLineIn10Seconds) {
  RefusedEvents refused(clock_, metrics_);
  const auto note = [&] {
    refused.Note(Key(), storage::v1::OutboxEntry(), absl::InvalidArgumentError("too large"));
  };
  for (int i = 0; i < 5; ++i) note();
  EXPECT_EQ(Told().size(), 1U);
  Pass(seconds(10));
  note();
  EXPECT_THAT(Told(),
              ElementsAre(HasSubstr("\"others_since\":0"), HasSubstr("\"others_since\":4")));
  EXPECT_EQ(Metric(telemetry::kEventsRefused, "too_large"), 6);
}

}  // namespace
}  // namespace tollbridge::events
