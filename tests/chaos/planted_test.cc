// The planted bugs fit the product's scripts: a run that finds one has had it.

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>

#include "adapters/redis/scripts.h"
#include "base/core/test_hook.h"
#include "tests/chaos/driver/planted.h"
#include "tests/support/temp_folder.h"

namespace tollbridge::chaos {
namespace {

/// Each script in which a bug may lie.
std::array<std::string_view, 6> Scripts() {
  return {redis::kRecordLua, redis::kClaimLua,      redis::kReleaseLua,
          redis::kFinishLua, redis::kRescheduleLua, redis::kTakeUnresolvedLua};
}

std::size_t Count(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(PlantedBugsTest, EachReplacesWhatStandsInOneScriptOnce) {
  for (const PlantedBug& bug : PlantedBugs()) {
    for (const PlantedBug::Replacement& one : bug.replacements) {
      std::size_t found = 0;
      for (const std::string_view script : Scripts()) found += Count(script, one.was);
      EXPECT_EQ(found, 1U) << bug.name << ": " << one.was;
    }
  }
}

#ifdef TOLLBRIDGE_TEST_HOOKS
TEST(PlantedBugsTest, EachIsPlantedByItsFile) {
  const test::TempFolder folder;
  for (const PlantedBug& bug : PlantedBugs()) {
    setenv("TOLLBRIDGE_PLANTED_BUG", folder.Write(bug.name, FileOf(bug)).c_str(), 1);
    std::string all;
    for (const std::string_view script : Scripts()) all += std::string(script) + "\n";
    std::string wanted = all;
    for (const auto& [was, is] : bug.replacements) wanted.replace(wanted.find(was), was.size(), is);
    TB_TEST_PATCH(all);
    EXPECT_EQ(all, wanted) << bug.name;
  }
  unsetenv("TOLLBRIDGE_PLANTED_BUG");
}
#endif

}  // namespace
}  // namespace tollbridge::chaos
