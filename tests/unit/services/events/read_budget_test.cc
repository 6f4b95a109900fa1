#include "services/events/read_budget.h"

#include <gtest/gtest.h>

namespace tollbridge::events {
namespace {

using ports::Millis;
using Share = ReadBudget::Share;
using std::chrono::hours;
using std::chrono::seconds;

constexpr BootTime kNow{hours(1)};

int TakenAtOnce(ReadBudget& budget, Share share, BootTime now, std::string_view project = "shop") {
  int taken = 0;
  while (budget.Take(project, share, now, Millis(0))) ++taken;
  return taken;
}

TEST(ReadBudgetTest, ASecondsWorthMayBeTakenAtOnceAndThenOneATurn) {
  ReadBudget budget(10, 5);
  EXPECT_EQ(TakenAtOnce(budget, Share::kKnown, kNow), 10);
  EXPECT_EQ(TakenAtOnce(budget, Share::kKnown, kNow + Millis(100)), 1);
  EXPECT_EQ(TakenAtOnce(budget, Share::kKnown, kNow + Millis(600)), 5);
  EXPECT_EQ(TakenAtOnce(budget, Share::kKnown, kNow + hours(1)), 10) << "nothing is saved up";
}

TEST(ReadBudgetTest, WhoWaitsGetsTheNextTurn) {
  ReadBudget budget(10, 5);
  TakenAtOnce(budget, Share::kKnown, kNow);
  EXPECT_EQ(budget.Take("shop", Share::kKnown, kNow, seconds(1)), Millis(100));
  EXPECT_EQ(budget.Take("shop", Share::kKnown, kNow, seconds(1)), Millis(200));
  EXPECT_EQ(budget.Take("shop", Share::kKnown, kNow, Millis(200)), std::nullopt);
}

TEST(ReadBudgetTest, UnknownOrdersGetTheirShareAndLeaveTheRest) {
  ReadBudget budget(10, 3);
  EXPECT_EQ(TakenAtOnce(budget, Share::kUnknown, kNow), 3);
  EXPECT_EQ(TakenAtOnce(budget, Share::kKnown, kNow), 7) << "they count for both";
}

TEST(ReadBudgetTest, KnownOrdersMayTakeAll) {
  ReadBudget budget(10, 3);
  EXPECT_EQ(TakenAtOnce(budget, Share::kKnown, kNow), 10);
  EXPECT_EQ(TakenAtOnce(budget, Share::kUnknown, kNow), 0);
}

TEST(ReadBudgetTest, EachProjectHasItsOwn) {
  ReadBudget budget(10, 3);
  TakenAtOnce(budget, Share::kKnown, kNow);
  EXPECT_EQ(TakenAtOnce(budget, Share::kKnown, kNow, "travel"), 10);
}

TEST(ReadBudgetTest, AFurtherAttemptIsNotRefusedAndMakesTheNextOnesWait) {
  ReadBudget budget(10, 5);
  EXPECT_EQ(TakenAtOnce(budget, Share::kKnown, kNow), 10);
  budget.Charge("shop", kNow);
  budget.Charge("shop", kNow);
  EXPECT_EQ(budget.Take("shop", Share::kKnown, kNow, seconds(1)), Millis(300));
  EXPECT_EQ(TakenAtOnce(budget, Share::kKnown, kNow, "travel"), 10) << "of its project alone";
}

TEST(ReadBudgetTest, OfASharedBudgetAProcessTakesItsShare) {
  ReadBudget budget(12, 6);
  budget.SetShare(1.0 / 3);
  EXPECT_EQ(TakenAtOnce(budget, Share::kUnknown, kNow), 2);
  EXPECT_EQ(TakenAtOnce(budget, Share::kKnown, kNow), 2);
  EXPECT_EQ(TakenAtOnce(budget, Share::kKnown, kNow + seconds(1)), 4);
  budget.SetShare(1);
  EXPECT_EQ(TakenAtOnce(budget, Share::kKnown, kNow + seconds(3)), 12);
}

TEST(ReadBudgetTest, AShareOfLessThanOneASecondIsTakenOneByOne) {
  ReadBudget budget(1, 1);
  budget.SetShare(0.25);
  EXPECT_EQ(TakenAtOnce(budget, Share::kKnown, kNow), 1);
  EXPECT_EQ(TakenAtOnce(budget, Share::kKnown, kNow + Millis(3'999)), 0);
  EXPECT_EQ(TakenAtOnce(budget, Share::kKnown, kNow + seconds(4)), 1);
}

TEST(ReadBudgetTest, ThoseWhoComeAgainComeOneAfterTheOther) {
  ReadBudget budget(10, 4);
  TakenAtOnce(budget, Share::kKnown, kNow);
  EXPECT_EQ(budget.RetryDelay("shop", Share::kKnown, kNow), Millis(200));
  EXPECT_EQ(budget.RetryDelay("shop", Share::kKnown, kNow), Millis(300));
  EXPECT_EQ(budget.RetryDelay("shop", Share::kUnknown, kNow), Millis(250));
  EXPECT_EQ(budget.RetryDelay("shop", Share::kUnknown, kNow), Millis(500));
  EXPECT_EQ(budget.RetryDelay("shop", Share::kKnown, kNow + hours(1)), Millis(100));
}

}  // namespace
}  // namespace tollbridge::events
