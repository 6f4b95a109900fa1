#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/architecture/test_names_check.h"

/// Tables that name tests which are not there: the check must find them, and nothing beside them.
namespace tollbridge::architecture {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

/// The violations of a page with a table whose one row has this as its last cell.
Violations CheckCell(const std::string& cell, const std::string& head = "tests") {
  return CheckTestNames(
      {{"tests/unit/a_test.cc", "\nTEST(One, Works) {}\nTEST_P(Each, Works) {}\n"},
       {"tests/unit/b_test.cc", "TEST_F(\n    Two, Works) { f(\"card\"); }\n"},
       {"tests/e2e/b_test.cc", "\nTEST(Twice, Works) {}\nTEST(Twice, Works) {}"},
       {"services/c.cc", "\nTEST(Three, Works)\n"},
       {"examples/sandbox-walk.sh", "\nflow 'Pay: it'\n"},
       {"docs/coverage.md",
        "| what | " + head + " |\n|---|---|\n| a | " + cell + " |\n\n| x | y |\n"}});
}

auto Is(const std::string& subject, const std::string& rule) {
  return AllOf(Field(&Violation::line, 3), Field(&Violation::subject, subject),
               Field(&Violation::rule, HasSubstr(rule)));
}

TEST(PlantedTestName, OfNoTestIsFound) {
  EXPECT_THAT(CheckCell("One.Works; One.Fails"), ElementsAre(Is("One.Fails", "no such test")));
  EXPECT_THAT(CheckCell("Three.Works"), ElementsAre(Is("Three.Works", "no such test")));
  EXPECT_THAT(CheckCell("Twice.Works"), ElementsAre(Is("Twice.Works", "several")));
  EXPECT_THAT(CheckCell("Two.Works/cash"), ElementsAre(Is("Two.Works/cash", "parameter")));
  EXPECT_THAT(CheckCell("sandbox-walk: Pay"), ElementsAre(Is("sandbox-walk: Pay", "flow")));
  EXPECT_THAT(CheckCell(""), ElementsAre(Is("", "no such test")));
}

TEST(PlantedTestName, ThatIsThereIsFine) {
  EXPECT_THAT(CheckCell("One.Works; Each.Works; Two.Works/card; sandbox-walk: Pay: it"), IsEmpty());
  EXPECT_THAT(CheckCell("Nothing.AtAll", "meaning"), IsEmpty());
  EXPECT_THAT(CheckCell("tests |\n| b | Nothing.AtAll", "meaning"), IsEmpty());
}

}  // namespace
}  // namespace tollbridge::architecture
