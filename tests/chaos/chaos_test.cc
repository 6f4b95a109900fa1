// A short run of ./dev chaos, one whose effects come later than the quarantine covers, and one of a
// product with a bug.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "tests/chaos/lines/findings.h"
#include "tests/support/process.h"

namespace tollbridge::test {
namespace {

TEST(ChaosTest, FiveThousandOperationsHaveOneEffectEachThroughEverythingThatGoesWrong) {
  const Finished run =
      test::Run({ProgramBeside("tollbridge_chaos"), "--operations", "5000", "--seed", "1"}, {},
                std::chrono::minutes(6));
  EXPECT_EQ(run.code, 0) << chaos::WhyItFailed(run.output, run.error);
  EXPECT_THAT(run.output,
              testing::HasSubstr("\ndouble=0 denied_effects=0 unresolved=0 needs_review="));
}

TEST(ChaosTest, EachEffectThatComesAfterTheQuarantineIsFound) {
  const Finished run = test::Run({ProgramBeside("tollbridge_chaos"), "--operations", "500",
                                  "--seed", "2", "--late-beyond-bound"},
                                 {}, std::chrono::minutes(4));
  EXPECT_EQ(run.code, 0) << chaos::WhyItFailed(run.output, run.error);
  EXPECT_THAT(run.output, testing::HasSubstr("\nlate effects found: "));
}

#ifdef TOLLBRIDGE_TEST_HOOKS
TEST(ChaosTest, ABugThatIsPlantedInTheProductIsFound) {
  const Finished run = test::Run({ProgramBeside("tollbridge_chaos"), "--operations", "1500",
                                  "--seed", "1", "--planted", "gate-of-all-projects"},
                                 {}, std::chrono::minutes(6));
  EXPECT_EQ(run.code, 1) << chaos::WhyItFailed(run.output, run.error);
  EXPECT_THAT(run.output, testing::HasSubstr("\nCONTRADICTION other_project: "));
}
#endif

}  // namespace
}  // namespace tollbridge::test
