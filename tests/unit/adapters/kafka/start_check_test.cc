#include "adapters/kafka/start_check.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace tollbridge::kafka {
namespace {

using Verdict = StartCheck::Verdict;

class StartCheckTest : public testing::Test {
 protected:
  Verdict Look(std::int64_t offset, std::int32_t epoch) { return check_.Look(0, offset, epoch); }

  StartCheck check_;
};

TEST_F(StartCheckTest, ReadsTheRecordInFrontOfTheOffsetAndPassesItWhereItIsTheSame) {
  EXPECT_EQ(check_.Begin(0, 6, 2), 5);
  EXPECT_EQ(Look(5, 2), Verdict::kPass);
  EXPECT_EQ(Look(6, 3), Verdict::kTake);
  EXPECT_EQ(check_.Look(1, 5, 9), Verdict::kTake) << "of another partition";
}

TEST_F(StartCheckTest, ReadsFromTheOffsetWhereNothingCanBeTold) {
  EXPECT_EQ(check_.Begin(0, 0, 2), 0);
  EXPECT_EQ(Look(0, 5), Verdict::kTake);
  EXPECT_EQ(check_.Begin(0, 6, -1), 6);
  EXPECT_EQ(Look(6, 5), Verdict::kTake);
  // The record does not say by whom it was taken.
  EXPECT_EQ(check_.Begin(0, 6, 2), 5);
  EXPECT_EQ(Look(5, -1), Verdict::kPass);
  EXPECT_EQ(Look(6, -1), Verdict::kTake);
}

TEST_F(StartCheckTest, AnotherLeadersRecordInFrontMakesItReadFromTheBeginning) {
  EXPECT_EQ(check_.Begin(0, 6, 2), 5);
  EXPECT_EQ(Look(5, 4), Verdict::kRestart);
  // Wherever that is by now.
  EXPECT_EQ(Look(8, 4), Verdict::kTake);
  EXPECT_EQ(Look(5, 4), Verdict::kTake);
}

TEST_F(StartCheckTest, ALogThatEndsInFrontOfTheRecordIsAnother) {
  check_.Begin(0, 6, 2);
  EXPECT_EQ(check_.LookAtEnd(1, 0), Verdict::kTake) << "of another partition";
  EXPECT_EQ(check_.LookAtEnd(0, 6), Verdict::kTake);
  EXPECT_EQ(check_.LookAtEnd(0, 5), Verdict::kRestart);
  EXPECT_EQ(check_.LookAtEnd(0, 5), Verdict::kTake);
  EXPECT_EQ(Look(0, 4), Verdict::kTake);
  EXPECT_EQ(Look(5, 4), Verdict::kTake);
  // What was looked at is not asked about again.
  check_.Begin(0, 6, 2);
  EXPECT_EQ(Look(5, 2), Verdict::kPass);
  EXPECT_EQ(check_.LookAtEnd(0, 3), Verdict::kTake);
}

TEST_F(StartCheckTest, ALogThatEndsBeforeTheOffsetOrBeginsBehindItIsReadFromItsBeginning) {
  check_.Begin(0, 6, 2);
  EXPECT_EQ(Look(0, 4), Verdict::kTake);
  EXPECT_EQ(Look(5, 4), Verdict::kTake);
  check_.Begin(0, 6, 2);
  EXPECT_EQ(Look(8, 2), Verdict::kTake);
  EXPECT_EQ(Look(9, 2), Verdict::kTake);
}

TEST_F(StartCheckTest, PartitionsThatAreGivenAnewAreLookedAtAnew) {
  check_.Begin(0, 6, 2);
  check_.Forget();
  EXPECT_EQ(Look(5, 4), Verdict::kTake);
  check_.Begin(0, 6, 2);
  check_.Begin(0, 8, 4);
  EXPECT_EQ(Look(7, 4), Verdict::kPass);
}

}  // namespace
}  // namespace tollbridge::kafka
