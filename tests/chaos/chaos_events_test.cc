// A short run of ./dev chaos events, and one of a product with a bug.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "tests/chaos/lines/findings.h"
#include "tests/support/process.h"

namespace tollbridge::test {
namespace {

using testing::HasSubstr;

TEST(ChaosEventsTest, FiveHundredOrdersAreToldRightThroughEverythingThatGoesWrong) {
  const Finished run =
      test::Run({ProgramBeside("tollbridge_chaos_events"), "--orders", "500", "--seed", "1"}, {},
                std::chrono::minutes(5));
  EXPECT_EQ(run.code, 0) << chaos::WhyItFailed(run.output, run.error);
  EXPECT_THAT(run.output,
              HasSubstr("\nlost=0 invented=0 misordered=0 unacked_hints=0 ledgers=equal\n"));
  EXPECT_THAT(run.output, testing::ContainsRegex("\nevents that heartbeats vouch for: [1-9]"));
}

}  // namespace
}  // namespace tollbridge::test
