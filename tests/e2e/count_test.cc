// What ./dev test says of how its programs ended: nothing that went wrong counts as passed.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/e2e/dev_script.h"
#include "tests/support/temp_folder.h"

namespace tollbridge::test {
namespace {

using testing::HasSubstr;

/// gtest's file of a program with two cases.
std::string Cases(const std::string& second, const std::string& counts) {
  return "<testsuites tests=\"2\" " + counts + ">\n<testsuite name=\"Some\" tests=\"2\" " + counts +
         ">\n<testcase name=\"One\" classname=\"Some\" />\n" +
         "<testcase name=\"Two\" classname=\"Some\">\n" + second +
         "</testcase>\n</testsuite>\n</testsuites>\n";
}
const std::string kGood = Cases("", R"(failures="0" disabled="0" skipped="0" errors="0")");

class CountTest : public testing::Test {
 protected:
  /// What count_cases of scripts/test.sh makes of a program whose file and whose line of ctest
  /// these are: "<passed> <failed> <not run>", and a line for each failure.
  std::string Count(const std::string& cases, const std::string& how) {
    folder_.Write("ctest.log", "1/1 Test #7: some_test .......   " + how + "    0.51 sec\n");
    if (!cases.empty()) folder_.Write("some_test.xml", cases);
    const Finished counted =
        Bash("source scripts/test.sh && PASSED=0 FAILED=0 NOT_RUN=0 FAILURES=() && count_cases '" +
             folder_.PathOf("") +
             R"(' some_test && echo "$PASSED $FAILED $NOT_RUN" && printf '%s\n' "${FAILURES[@]}")");
    EXPECT_EQ(counted.code, 0) << counted.error;
    return counted.output;
  }

  TempFolder folder_;
};

TEST_F(CountTest, CasesThatPassedCount) { EXPECT_EQ(Count(kGood, "Passed"), "2 0 0\n\n"); }

TEST_F(CountTest, ACaseThatFailedIsNamedWithItsFirstFailure) {
  const std::string failed = Cases(
      "<failure message=\"a.cc:3&#x0A;Expected: &quot;a&quot; &lt; b\"></failure>\n"
      "<failure message=\"another\"></failure>\n",
      R"(failures="1" disabled="0" skipped="0" errors="0")");
  EXPECT_EQ(Count(failed, "***Failed"),
            "1 1 0\nsome_test: Some.Two: a.cc:3 / Expected: \"a\" < b\n");
}

TEST_F(CountTest, AProgramThatLeftNoResultFailed) {
  EXPECT_EQ(Count("", "***Timeout"), "0 1 0\nsome_test: did not end\n");
}

TEST_F(CountTest, AProgramThatEndedBadlyAfterItsCasesFailed) {
  for (const char* how : {"***Failed", "***Timeout", "Subprocess aborted***Exception:"}) {
    EXPECT_THAT(Count(kGood, how), HasSubstr("2 1 0\nsome_test: ended badly")) << how;
  }
}

TEST_F(CountTest, ASkippedCaseIsNamed) {
  const std::string skipped = Cases("<skipped message=\"no\"></skipped>\n",
                                    R"(failures="0" disabled="0" skipped="1" errors="0")");
  EXPECT_EQ(Count(skipped, "Passed"), "1 0 1\nsome_test: 1 skipped or disabled\n");
}

}  // namespace
}  // namespace tollbridge::test
