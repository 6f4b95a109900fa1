#include "sandbox/core/clock.h"

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

#include "sandbox/core/timeline.h"

namespace tollbridge::sandbox {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

TEST(TimeTest, ReadsAndWritesIso8601) {
  const std::optional<Time> time = ParseTime("2026-11-21T08:00:00.250Z");
  ASSERT_TRUE(time);
  EXPECT_EQ(FormatTime(*time), "2026-11-21T08:00:00.250Z");
  EXPECT_EQ(ParseTime("2026-11-21T10:00:00.25+02:00"), time);
  EXPECT_EQ(ParseTime("2026-11-21"), ParseTime("2026-11-21T00:00:00Z"));
}

TEST(TimeTest, RefusesWhatIsNoTime) {
  for (const std::string_view text :
       {"", "2026", "2026-13-01", "2026-02-30", "2026-11-21T", "2026-11-21T08:00:00",
        "2026-11-21T25:00:00Z", "2026-11-21T08:00:00.Z", "2026-11-21T08:00:00Zx",
        "2026-11-21 08:00:00Z", "1969-12-31", "2026-11-21T08:00:00+2", "abcd-ef-gh"}) {
    EXPECT_FALSE(ParseTime(text)) << text;
  }
}

TEST(DurationTest, ReadsTheFormsOfTheInterface) {
  EXPECT_EQ(ParseDuration("PT1H"), hours(1));
  EXPECT_EQ(ParseDuration("P20D"), hours(480));
  EXPECT_EQ(ParseDuration("P1DT12H30M5S"), hours(36) + minutes(30) + seconds(5));
  EXPECT_EQ(ParseDuration("P2W"), hours(336));
  EXPECT_EQ(ParseDuration("P1M"), hours(720));
  EXPECT_EQ(ParseDuration("PT0S"), seconds(0));
}

TEST(DurationTest, SmallestPartMayHaveAFraction) {
  EXPECT_EQ(ParseDuration("PT1.5H"), minutes(90));
  EXPECT_EQ(ParseDuration("PT1,5H"), minutes(90));
  EXPECT_EQ(ParseDuration("P0.5D"), hours(12));
  EXPECT_EQ(ParseDuration("P1DT0.25M"), hours(24) + seconds(15));
  EXPECT_EQ(ParseDuration("PT1.0019999999999999999999S"), Millis{1001});
  EXPECT_EQ(DurationText(Millis{1001}), "PT1.001S");
  EXPECT_EQ(DurationText(Millis{1500}), "PT1.500S");
}

TEST(DurationTest, RefusesWhatIsNoDuration) {
  for (const std::string_view text : {"",
                                      "P",
                                      "PT",
                                      "1H",
                                      "PT1",
                                      "P1H",
                                      "PT1D",
                                      "PT1M1H",
                                      "PT1H1H",
                                      "P-1D",
                                      "PT1.5H1M",
                                      "PT.5H",
                                      "PT1.H",
                                      "PT1.5",
                                      "PT1.-5S",
                                      "P100.1Y",
                                      "P100YT0.5S",
                                      "pt1h",
                                      "PT99999999999999999999S",
                                      "P101Y",
                                      "PT1H "}) {
    EXPECT_FALSE(ParseDuration(text)) << text;
  }
}

TEST(ClockTest, StandsUntilItIsMovedAndNeverGoesBack) {
  Clock clock(*ParseTime("2026-11-21"));
  EXPECT_TRUE(clock.stands());
  clock.MoveTo(*ParseTime("2026-11-22"));
  clock.MoveTo(*ParseTime("2026-11-20"));
  EXPECT_EQ(clock.Now(), ParseTime("2026-11-22"));
}

TEST(ClockTest, RunningClockIsAheadByWhatItWasMoved) {
  Clock clock;
  const Time before = clock.Now();
  clock.MoveTo(before + hours(5));
  EXPECT_GE(clock.Now(), before + hours(5));
  EXPECT_LT(clock.Now(), before + hours(6));
}

class TimelineTest : public testing::Test {
 protected:
  void Put(Millis delay, int mark) {
    timeline_.After(delay, [this, mark] { marks_.push_back(mark); });
  }
  Clock clock_{*ParseTime("2026-11-21")};
  Timeline timeline_{&clock_};
  std::vector<int> marks_;
};

TEST_F(TimelineTest, RunsWhatIsDueInOrderOfTimeThenOfArrival) {
  Put(seconds(2), 3);
  Put(seconds(1), 1);
  Put(seconds(1), 2);
  const Time until = clock_.Now() + seconds(5);
  EXPECT_TRUE(timeline_.StepTowards(until));
  EXPECT_EQ(marks_, (std::vector<int>{1, 2}));
  EXPECT_TRUE(timeline_.StepTowards(until));
  EXPECT_FALSE(timeline_.StepTowards(until));
  EXPECT_EQ(marks_, (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(clock_.Now(), until);
}

TEST_F(TimelineTest, ActionsSeeTheTimeAtWhichTheyWereDueAndMayPutInMore) {
  Time seen;
  timeline_.After(seconds(1), [&] {
    seen = clock_.Now();
    Put(Millis{0}, 7);
  });
  EXPECT_TRUE(timeline_.StepTowards(clock_.Now() + hours(1)));
  EXPECT_EQ(seen, *ParseTime("2026-11-21") + seconds(1));
  EXPECT_EQ(marks_, (std::vector<int>{7}));
}

TEST_F(TimelineTest, WhatLiesBeyondStaysAndIsForgottenByClear) {
  Put(hours(2), 1);
  EXPECT_FALSE(timeline_.StepTowards(clock_.Now() + hours(1)));
  EXPECT_EQ(timeline_.size(), 1U);
  EXPECT_EQ(timeline_.NextDue(), clock_.Now() + hours(1));
  timeline_.Clear();
  EXPECT_EQ(timeline_.NextDue(), std::nullopt);
}

}  // namespace
}  // namespace tollbridge::sandbox
