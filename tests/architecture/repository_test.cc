#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/architecture/house_rules_check.h"
#include "tests/architecture/include_check.h"
#include "tests/architecture/link_graph_check.h"
#include "tests/architecture/path_check.h"
#include "tests/architecture/reference_check.h"
#include "tests/architecture/settings_check.h"
#include "tests/architecture/source_tree.h"
#include "tests/architecture/test_names_check.h"

/// The repository as it is keeps the rules. That the checks find what breaks them is shown by
/// planted_violations_test.cc.
namespace tollbridge::architecture {
namespace {

using testing::IsEmpty;

const std::vector<SourceFile>& Tree() {
  static const std::vector<SourceFile> tree = ReadSourceTree(TOLLBRIDGE_SOURCE_DIR);
  return tree;
}

/// The folder of the program is <build>/bin.
std::string LinkGraph() {
  const auto build = std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path();
  std::ifstream in(build / "link-graph.txt");
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Repository, IsReadWhole) {
  const auto has = [](std::string_view path) {
    return std::ranges::any_of(Tree(), [&](const SourceFile& file) { return file.path == path; });
  };
  EXPECT_TRUE(has("CMakeLists.txt"));
  EXPECT_TRUE(has("base/core/uuid.h"));
  EXPECT_TRUE(has("base/http/client.cc"));
  EXPECT_TRUE(has("proto/tollbridge/common/v1/order.proto"));
  EXPECT_THAT(LinkGraph(), testing::HasSubstr("base/core tollbridge_core:"));
}

TEST(Repository, IncludesKeepTheDependencyRule) { EXPECT_THAT(CheckIncludes(Tree()), IsEmpty()); }

TEST(Repository, LinkGraphKeepsTheDependencyRule) {
  EXPECT_THAT(CheckLinkGraph(LinkGraph(), "link-graph.txt"), IsEmpty());
}

TEST(Repository, EveryRoomHasATarget) {
  EXPECT_THAT(CheckRoomsHaveTargets(RoomFolders(Tree()), LinkGraph()), IsEmpty());
}

TEST(Repository, ProtoPackagesAreVersioned) { EXPECT_THAT(CheckProtoPackages(Tree()), IsEmpty()); }

TEST(Repository, ReferencesLeadToPagesAndHeadings) {
  EXPECT_THAT(CheckReferences(Tree()), IsEmpty());
}

TEST(Repository, PathsInPagesAreThoseOfFiles) { EXPECT_THAT(CheckPaths(Tree()), IsEmpty()); }

TEST(Repository, NamesInTablesStandInTheFilesTheyLinkTo) {
  EXPECT_THAT(CheckNamesInLinkedFiles(Tree()), IsEmpty());
}

TEST(Repository, TestsThatPagesNameExist) { EXPECT_THAT(CheckTestNames(Tree()), IsEmpty()); }

TEST(Repository, CitesNothingByAnOldName) { EXPECT_THAT(CheckOldCitations(Tree()), IsEmpty()); }

TEST(Repository, ASettingHasOneDefault) { EXPECT_THAT(CheckSettings(Tree()), IsEmpty()); }

TEST(Repository, KeepsTheHouseRules) { EXPECT_THAT(CheckHouseRules(Tree()), IsEmpty()); }

}  // namespace
}  // namespace tollbridge::architecture
