#include "services/events/due_schedule.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "services/domain/timestamps.h"

namespace tollbridge::events {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr WallTime kNow{seconds(1'790'000'000)};

common::v1::Order CreatedAgo(ports::Millis age) {
  common::v1::Order order;
  *order.mutable_created() = domain::ToTimestamp(kNow - age);
  return order;
}

std::optional<WallTime> DueOf(const common::v1::Order& order, bool final) {
  const OrderAge age = AgeOf(order, final);
  return NextDue({&age, 1}, kNow, Settings());
}

/// Reads of an order that stays open for so long and that nobody hints at, the first one included.
int ReadsOfAnOrderThatIsOpenFor(ports::Millis age) {
  const OrderAge order{.final = false, .created = kNow};
  int reads = 0;
  for (WallTime now = kNow; now <= kNow + age; ++reads) {
    now = NextDue({&order, 1}, now, Settings()).value();
  }
  return reads;
}

TEST(DueScheduleTest, AnOrderThatStaysOpenCostsABoundedNumberOfReads) {
  EXPECT_LE(ReadsOfAnOrderThatIsOpenFor(hours(1)), 15);
  EXPECT_LE(ReadsOfAnOrderThatIsOpenFor(hours(24)), 30);
  EXPECT_LE(ReadsOfAnOrderThatIsOpenFor(hours(24 * 30)), 150);
  EXPECT_GE(ReadsOfAnOrderThatIsOpenFor(hours(24 * 30)), 100) << "it is not forgotten";
}

TEST(DueScheduleTest, IntervalsGrowFrom30SecondsTo15Minutes) {
  EXPECT_EQ(DueOf(CreatedAgo(seconds(0)), false), kNow + seconds(30));
  EXPECT_EQ(DueOf(CreatedAgo(seconds(60)), false), kNow + seconds(30));
  EXPECT_EQ(DueOf(CreatedAgo(minutes(10)), false), kNow + minutes(5));
  EXPECT_EQ(DueOf(CreatedAgo(minutes(30)), false), kNow + minutes(15));
  EXPECT_EQ(DueOf(CreatedAgo(hours(1)), false), kNow + minutes(15));
  EXPECT_EQ(DueOf(CreatedAgo(hours(4)), false), kNow + hours(1));
  EXPECT_EQ(DueOf(CreatedAgo(hours(24)), false), kNow + hours(6));
  EXPECT_EQ(DueOf(CreatedAgo(hours(24 * 365)), false), kNow + hours(6));
  EXPECT_EQ(DueOf(CreatedAgo(-hours(1)), false), kNow + seconds(30)) << "clocks differ";
  EXPECT_EQ(DueOf(common::v1::Order(), false), kNow + minutes(15));
}

TEST(DueScheduleTest, FinalOrdersAreReadAgainFourTimesAndThenNeverMore) {
  const auto ended_ago = [](ports::Millis age) {
    common::v1::Order order = CreatedAgo(hours(24 * 300));
    *order.mutable_completed() = domain::ToTimestamp(kNow - age);
    return DueOf(order, true);
  };
  EXPECT_EQ(ended_ago(seconds(5)), kNow + hours(1) - seconds(5));
  EXPECT_EQ(ended_ago(hours(1)), kNow + hours(23));
  EXPECT_EQ(ended_ago(hours(25)), kNow + hours(24 * 7 - 25));
  EXPECT_EQ(ended_ago(hours(24 * 8)), kNow + hours(24 * 22));
  EXPECT_EQ(ended_ago(hours(24 * 30)), std::nullopt);
  EXPECT_EQ(ended_ago(-hours(2)), kNow + hours(1)) << "clocks differ";
}

TEST(DueScheduleTest, AFamilyIsDueWithTheEarliestOfItsOrdersThatAreNotFinal) {
  const OrderAge young{.final = false, .created = kNow - seconds(10)};
  const OrderAge old{.final = false, .created = kNow - minutes(20)};
  const OrderAge unread{};
  const OrderAge ended{.final = true, .ended = kNow - hours(1) + seconds(1)};
  const auto due = [](std::vector<OrderAge> orders) { return NextDue(orders, kNow, Settings()); };
  EXPECT_EQ(due({old, young, ended}), kNow + seconds(30));
  EXPECT_EQ(due({ended, old}), kNow + minutes(10));
  EXPECT_EQ(due({ended, unread}), kNow + minutes(15));
  EXPECT_EQ(due({unread}), kNow + minutes(15));
  EXPECT_EQ(due({}), std::nullopt);
}

TEST(DueScheduleTest, AnOrderThatCannotBeReadIsAsYoungAsItsFamilyAtMost) {
  const OrderAge unread{};
  const OrderAge ended{.final = true, .ended = kNow - hours(24 * 10)};
  const OrderAge created{.final = false, .created = kNow - hours(8)};
  const std::vector<OrderAge> long_ago = {ended, unread};
  EXPECT_EQ(NextDue(long_ago, kNow, Settings()), kNow + hours(6));
  const OrderAge settled{.final = true, .ended = kNow - hours(24 * 30)};
  const std::vector<OrderAge> over = {settled, unread};
  EXPECT_EQ(NextDue(over, kNow, Settings()), std::nullopt) << "gone, and nobody waits for it";
  const std::vector<OrderAge> today = {created, unread};
  EXPECT_EQ(NextDue(today, kNow, Settings()), kNow + hours(2));
}

TEST(DueScheduleTest, AFamilyThatIsFinalIsReadAgainAfterTheLatestEnd) {
  const OrderAge long_ago{.final = true, .ended = kNow - hours(24 * 40)};
  const OrderAge lately{.final = true, .ended = kNow - minutes(10)};
  const std::vector<OrderAge> orders = {lately, long_ago};
  EXPECT_EQ(NextDue(orders, kNow, Settings()), kNow + minutes(50));
}

}  // namespace
}  // namespace tollbridge::events
