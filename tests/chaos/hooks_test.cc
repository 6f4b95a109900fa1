// What ships does not contain the points at which tests kill the process. The release preset turns
// them off; every source that has one is compiled here as it is compiled then, and its object code
// holds neither a hook's name nor the variable that arms it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/process.h"
#include "tests/support/read_file.h"

namespace tollbridge::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr const char* kArmed = "TOLLBRIDGE_CRASH_AT";

struct Hooks {
  std::set<std::string> names;
  std::set<std::string> sources;
};

/// The hooks in the sources that ship.
Hooks FindHooks() {
  static const std::regex hook(R"re(TB_TEST_HOOK\("([a-z_.]+)"\))re");
  Hooks hooks;
  for (const char* root : {"services", "adapters"}) {
    const auto folder = std::filesystem::path(TOLLBRIDGE_SOURCE_DIR) / root;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.path().extension() != ".cc") continue;
      const std::string text = ReadFile(entry.path());
      for (std::sregex_iterator found(text.begin(), text.end(), hook), end; found != end; ++found) {
        hooks.names.insert((*found)[1]);
        hooks.sources.insert(entry.path().filename());
      }
    }
  }
  return hooks;
}

/// The objects that were compiled as in a release.
std::vector<std::filesystem::path> Objects() {
  std::vector<std::filesystem::path> objects;
  std::istringstream paths(TOLLBRIDGE_OBJECTS);
  for (std::string path; std::getline(paths, path, ':');) objects.emplace_back(path);
  return objects;
}

TEST(ReleaseTest, ThePresetThatShipsTurnsTheHooksOff) {
  const auto presets = boost::json::parse(
      ReadFile(std::filesystem::path(TOLLBRIDGE_SOURCE_DIR) / "CMakePresets.json"));
  int seen = 0;
  for (const auto& preset : presets.at("configurePresets").as_array()) {
    if (preset.at("name") != "release") continue;
    ++seen;
    EXPECT_EQ(preset.at("cacheVariables").at("TOLLBRIDGE_TEST_HOOKS"), "OFF");
  }
  EXPECT_EQ(seen, 1);
}

TEST(ReleaseTest, NoSourceThatHasAHookLeavesATraceOfIt) {
  const Hooks hooks = FindHooks();
  ASSERT_THAT(hooks.names, Not(IsEmpty()));
  const auto objects = Objects();
  EXPECT_THAT(objects, SizeIs(hooks.sources.size()))
      << "a source has got its first hook, or lost its last: configure again";
  for (const auto& object : objects) {
    EXPECT_TRUE(hooks.sources.contains(object.stem())) << object;
    const std::string code = ReadFile(object);
    EXPECT_THAT(code, Not(HasSubstr(kArmed))) << object;
    for (const std::string& name : hooks.names) EXPECT_THAT(code, Not(HasSubstr(name))) << object;
  }
}

#ifdef TOLLBRIDGE_TEST_HOOKS
// Or else the test above would look for what can never be found.
TEST(TestBuildTest, TheProgramThatTestsStartHasThemAll) {
  const std::string code = ReadFile(ProgramBeside("tollbridge"));
  EXPECT_NE(code.find(kArmed), std::string::npos);
  for (const std::string& name : FindHooks().names) {
    EXPECT_NE(code.find(name), std::string::npos) << name;
  }
}
#endif

}  // namespace
}  // namespace tollbridge::test
