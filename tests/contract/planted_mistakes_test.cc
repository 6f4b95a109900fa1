// That the tests of tenancy find what they are for: each mistake fails them.

#include "tests/contract/planted_mistakes.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string_view>

#include "tests/support/process.h"

namespace tollbridge::test {
namespace {

class PlantedMistakeTest : public testing::TestWithParam<PlantedMistake> {};

/// Runs the tests of tenancy on the Redis in memory.
ExitStatus RunTenancyTests(Environment environment) {
  // All of them, though this program may be one shard of several.
  environment["GTEST_TOTAL_SHARDS"] = "1";
  environment["GTEST_SHARD_INDEX"] = "0";
  Process tests({"/proc/self/exe", "--gtest_filter=Stores/Tenancy.*/Fake"}, environment);
  return tests.WaitForExit().value_or(ExitStatus{});
}

TEST(TenancyTests, PassWithoutAMistake) { EXPECT_EQ(RunTenancyTests({}).code, 0); }

/// One that fits nowhere fails the tests too, and shows nothing.
TEST_P(PlantedMistakeTest, FitsOnceIntoItsScripts) {
  for (const PlantedPatch& patch : GetParam().patches) {
    const std::size_t at = patch.piece.find(patch.old);
    ASSERT_NE(at, std::string_view::npos) << patch.old;
    EXPECT_EQ(patch.piece.find(patch.old, at + 1), std::string_view::npos) << patch.old;
  }
}

TEST_P(PlantedMistakeTest, FailsTheTestsOfTenancy) {
  EXPECT_EQ(RunTenancyTests({{kPlantedMistake, GetParam().name}}).code, 1);
}

INSTANTIATE_TEST_SUITE_P(All, PlantedMistakeTest, testing::ValuesIn(PlantedMistakes()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace tollbridge::test
