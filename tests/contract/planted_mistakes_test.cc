// That the tests of tenancy, of money and of a second person find what they are for: each mistake
// fails them.

#include "tests/contract/planted_mistakes.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "tests/support/process.h"

namespace tollbridge::test {
namespace {

class PlantedMistakeTest : public testing::TestWithParam<PlantedMistake> {};

/// Runs tests on the Redis in memory.
ExitStatus RunTests(const std::string& tests_named, Environment environment) {
  // All of them, though this program may be one shard of several.
  environment["GTEST_TOTAL_SHARDS"] = "1";
  environment["GTEST_SHARD_INDEX"] = "0";
  Process tests({"/proc/self/exe", "--gtest_filter=" + tests_named}, environment);
  return tests.WaitForExit().value_or(ExitStatus{});
}

TEST(TenancyTests, PassWithoutAMistake) {
  EXPECT_EQ(RunTests("Stores/Tenancy.*/Fake:Stores/Money.*/Fake:Stores/Approval.*/Fake", {}).code,
            0);
}

/// One that resolves, or runs, what was confirmed, beside replicas that know of it.
TEST(ApprovalTests, AVersionBeforeLeavesNothingConfirmedForASecondEffect) {
  const PlantedMistake& version = VersionBeforeApprovals();
  EXPECT_EQ(RunTests(version.found_by, {{kPlantedMistake, version.name}}).code, 0);
}

/// One that fits nowhere fails the tests too, and shows nothing.
TEST_P(PlantedMistakeTest, FitsOnceIntoItsScripts) {
  for (const PlantedPatch& patch : GetParam().patches) {
    const std::size_t at = patch.piece.find(patch.old);
    ASSERT_NE(at, std::string_view::npos) << patch.old;
    EXPECT_EQ(patch.piece.find(patch.old, at + 1), std::string_view::npos) << patch.old;
  }
}

TEST_P(PlantedMistakeTest, FailsTheTestsThatAreForIt) {
  EXPECT_EQ(RunTests(GetParam().found_by, {{kPlantedMistake, GetParam().name}}).code, 1);
}

INSTANTIATE_TEST_SUITE_P(All, PlantedMistakeTest, testing::ValuesIn(PlantedMistakes()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace tollbridge::test
