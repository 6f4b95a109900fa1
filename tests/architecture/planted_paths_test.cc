#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/architecture/path_check.h"

/// Paths and names in pages that lead nowhere: the checks must find them, and nothing beside them.
namespace tollbridge::architecture {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;

auto IsOf(int line, const std::string& subject) {
  return AllOf(Field(&Violation::line, line), Field(&Violation::subject, subject));
}

/// The violations of a page that says this, beside a few files.
Violations CheckPathsOf(const std::string& text, const std::string& page = "CONTRIBUTING.md") {
  return CheckPaths({{"services/payments/create_order.cc", ""},
                     {"services/vault/store_card.cc", ""},
                     {"docs/adr/0001-record-decisions.md", ""},
                     {page, text}});
}

TEST(PlantedPath, OfNoFileIsFound) {
  EXPECT_THAT(CheckPathsOf("\nSee `services/payments/plan.cc`.\n"),
              ElementsAre(IsOf(2, "services/payments/plan.cc")));
  EXPECT_THAT(CheckPathsOf("a `services/payouts/` b"), ElementsAre(IsOf(1, "services/payouts/")));
  EXPECT_THAT(CheckPathsOf("in its `order.cc`"), ElementsAre(IsOf(1, "order.cc")));
  EXPECT_THAT(CheckPathsOf("`services/payments/create_order.c`"),
              ElementsAre(IsOf(1, "services/payments/create_order.c")));
  EXPECT_THAT(CheckPathsOf("`service/vault/store_card.cc`"),
              ElementsAre(IsOf(1, "service/vault/store_card.cc")));
  EXPECT_THAT(CheckPathsOf("`services/events/*.cc`"), ElementsAre(IsOf(1, "services/events/*.cc")));
  EXPECT_THAT(CheckPathsOf("`services/{vault,payouts}`"), ElementsAre(IsOf(1, "services/payouts")));
  EXPECT_THAT(CheckPathsOf("`services/<room>/methods.cc`"),
              ElementsAre(IsOf(1, "services/<room>/methods.cc")));
}

TEST(PlantedPath, ThatIsThereOrIsNoneOfOursIsFine) {
  EXPECT_THAT(CheckPathsOf("`services/payments/create_order.cc`, `services/vault/`, `services`, "
                           "`create_order.cc`, `vault/store_card.cc`, `services/{vault,payments}`, "
                           "`services/*/NAME.cc`, "
                           "`services/<room>/store_card.cc`, `NNNN-title.md`, `build/bin`, "
                           "`/metrics`, `a/b`, `services/x y`, `tollbridge.yaml`\n"
                           "```sh\n`services/nothing`\n```\n"),
              IsEmpty());
}

TEST(PlantedPath, InAnAccountOfWhatWasIsNotFollowed) {
  for (const char* page : {"docs/adr/0001-record-decisions.md", "CHANGELOG.md"}) {
    EXPECT_THAT(CheckPathsOf("`services/gone.cc`", page), IsEmpty()) << page;
  }
  EXPECT_THAT(CheckPathsOf("// `services/gone.cc`", "services/vault/vault.h"), IsEmpty());
}

/// The violations of a row of examples/walk.md, whose link leads to a source file.
Violations CheckNamesOf(const std::string& row) {
  return CheckNamesInLinkedFiles(
      {{"services/payments/create_order.cc", "Plan PlanCreateOrder(int projects);\n"},
       {"examples/words.md", "PlanNothing"},
       {"examples/walk.md", "| file | what |\n|---|---|\n" + row + "\n"}});
}

TEST(PlantedName, ThatTheLinkedFileDoesNotHaveIsFound) {
  const std::string link = "| [create_order.cc](../services/payments/create_order.cc) | ";
  EXPECT_THAT(CheckNamesOf(link + "`PlanCreateOrders` makes it |"),
              ElementsAre(IsOf(3, "PlanCreateOrders")));
  EXPECT_THAT(CheckNamesOf(link + "`PlanCreateOrder` of `Create` |"),
              ElementsAre(IsOf(3, "Create")));
  EXPECT_THAT(CheckNamesOf(link + "`PlanCreateOrder` takes `projects` and `a + b` |"), IsEmpty());
}

TEST(PlantedName, BesideAnotherLinkIsNotFollowed) {
  EXPECT_THAT(CheckNamesOf("| [words](words.md) | `Nothing` |"), IsEmpty());
  EXPECT_THAT(CheckNamesOf("| `Word` | [a](../services/payments/create_order.cc) |"), IsEmpty());
}

}  // namespace
}  // namespace tollbridge::architecture
