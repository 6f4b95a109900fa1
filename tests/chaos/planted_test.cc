// The planted bugs fit the product's scripts: a run that finds one has had it.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/redis/scripts.h"
#include "base/core/test_hook.h"
#include "tests/chaos/driver/planted.h"
#include "tests/chaos/events_driver/planted.h"
#include "tests/support/temp_folder.h"

namespace tollbridge::chaos {
namespace {

/// The bugs of a run, and each script in which one may lie.
struct Plan {
  std::span<const PlantedBug> bugs;
  std::vector<std::string_view> scripts;
};

std::vector<Plan> Plans() {
  return {{PlantedBugs(),
           {redis::kRecordLua, redis::kClaimLua, redis::kReleaseLua, redis::kFinishLua,
            redis::kRescheduleLua, redis::kTakeUnresolvedLua}},
          {pipeline::PlantedBugs(),
           {redis::kFamilyEpochLua, redis::kSettledLua, redis::kFamilyStateLua, redis::kFamilyLua,
            redis::kLoadFamilyLua, redis::kSaveSnapshotLua, redis::kClearOutboxLua,
            redis::kEffectsLua, redis::kTakeSweepLua}}};
}

std::size_t Count(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(PlantedBugsTest, EachReplacesWhatStandsInOneScriptOnce) {
  for (const Plan& plan : Plans()) {
    for (const PlantedBug& bug : plan.bugs) {
      for (const PlantedBug::Replacement& one : bug.replacements) {
        std::size_t found = 0;
        for (const std::string_view script : plan.scripts) found += Count(script, one.was);
        EXPECT_EQ(found, 1U) << bug.name << ": " << one.was;
      }
    }
  }
}

#ifdef TOLLBRIDGE_TEST_HOOKS
TEST(PlantedBugsTest, EachIsPlantedByItsFile) {
  const test::TempFolder folder;
  for (const Plan& plan : Plans()) {
    std::string all;
    for (const std::string_view script : plan.scripts) all += std::string(script) + "\n";
    for (const PlantedBug& bug : plan.bugs) {
      setenv("TOLLBRIDGE_PLANTED_BUG", folder.Write(bug.name, FileOf(bug)).c_str(), 1);
      std::string wanted = all;
      for (const auto& [was, is] : bug.replacements) {
        wanted.replace(wanted.find(was), was.size(), is);
      }
      std::string planted = all;
      TB_TEST_PATCH(planted);
      EXPECT_EQ(planted, wanted) << bug.name;
    }
  }
  unsetenv("TOLLBRIDGE_PLANTED_BUG");
}
#endif

}  // namespace
}  // namespace tollbridge::chaos
