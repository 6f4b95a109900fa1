#include "services/events/due_schedule.h"

#include <gtest/gtest.h>

#include "services/domain/timestamps.h"

namespace tollbridge::events {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr ports::WallTime kNow{seconds(1'790'000'000)};

common::v1::Order CreatedAgo(ports::Millis age) {
  common::v1::Order order;
  *order.mutable_created() = domain::ToTimestamp(kNow - age);
  return order;
}

TEST(DueScheduleTest, IntervalsGrowFrom30SecondsTo15Minutes) {
  EXPECT_EQ(NextDue(CreatedAgo(seconds(0)), false, kNow, Settings()), kNow + seconds(30));
  EXPECT_EQ(NextDue(CreatedAgo(seconds(60)), false, kNow, Settings()), kNow + seconds(30));
  EXPECT_EQ(NextDue(CreatedAgo(minutes(10)), false, kNow, Settings()), kNow + minutes(5));
  EXPECT_EQ(NextDue(CreatedAgo(minutes(30)), false, kNow, Settings()), kNow + minutes(15));
  EXPECT_EQ(NextDue(CreatedAgo(hours(24 * 365)), false, kNow, Settings()), kNow + minutes(15));
  EXPECT_EQ(NextDue(CreatedAgo(-hours(1)), false, kNow, Settings()), kNow + seconds(30))
      << "clocks differ";
  EXPECT_EQ(NextDue(common::v1::Order(), false, kNow, Settings()), kNow + minutes(15));
}

TEST(DueScheduleTest, FinalOrdersAreReadAgainFourTimesAndThenNeverMore) {
  const auto ended_ago = [](ports::Millis age) {
    common::v1::Order order = CreatedAgo(hours(24 * 300));
    *order.mutable_completed() = domain::ToTimestamp(kNow - age);
    return NextDue(order, true, kNow, Settings());
  };
  EXPECT_EQ(ended_ago(seconds(5)), kNow + hours(1) - seconds(5));
  EXPECT_EQ(ended_ago(hours(1)), kNow + hours(23));
  EXPECT_EQ(ended_ago(hours(25)), kNow + hours(24 * 7 - 25));
  EXPECT_EQ(ended_ago(hours(24 * 8)), kNow + hours(24 * 22));
  EXPECT_EQ(ended_ago(hours(24 * 30)), std::nullopt);
  EXPECT_EQ(ended_ago(-hours(2)), kNow + hours(1)) << "clocks differ";
}

}  // namespace
}  // namespace tollbridge::events
