// What deploy/sbom.py and deploy/notices.py say of the programs, against how they were linked.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/process.h"
#include "tests/support/read_file.h"
#include "tests/support/temp_folder.h"

namespace tollbridge::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const std::string kSources = TOLLBRIDGE_SOURCE_DIR;
const std::string kBuilt = kSources + "/build/deps";

/// The static libraries that the program is linked with and that are not of this build.
std::vector<std::string> StaticLibraries(const std::string& program) {
  // The folder of the programs is <build>/bin.
  const std::filesystem::path build =
      std::filesystem::path(ProgramBeside(program)).parent_path().parent_path();
  std::istringstream ninja(ReadFile(build / "build.ninja"));
  std::string line;
  while (std::getline(ninja, line) && !line.starts_with("build bin/" + program + ":")) {
  }
  while (std::getline(ninja, line) && line.find("LINK_LIBRARIES = ") == std::string::npos) {
  }
  std::vector<std::string> libraries;
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    if (word.starts_with("/") && word.ends_with(".a")) libraries.push_back(word);
  }
  return libraries;
}

/// "librdkafka" for what ./dev setup built, else the package of Debian.
std::string PartOf(const std::string& library) {
  if (library.starts_with(kBuilt + "/")) {
    return library.substr(kBuilt.size() + 1,
                          library.find('/', kBuilt.size() + 1) - kBuilt.size() - 1);
  }
  const Finished owner = test::Run({"dpkg", "-S", library});
  return owner.output.substr(0, owner.output.find(':'));
}

class PartsTest : public testing::TestWithParam<const char*> {
 protected:
  const std::string program_ = ProgramBeside(GetParam());
};

TEST_P(PartsTest, WhatIsLinkedInIsInTheBillOfMaterialsAndHasItsNotice) {
  const Finished sbom = test::Run({kSources + "/deploy/sbom.py", program_, kBuilt});
  ASSERT_EQ(sbom.code, 0) << sbom.error;
  const boost::json::value document = boost::json::parse(sbom.output);
  std::set<std::string> parts;
  for (const boost::json::value& part : document.at("components").as_array()) {
    parts.insert(std::string(part.at("name").as_string()));
    EXPECT_THAT(std::string(part.at("version").as_string()), Not(IsEmpty()));
  }
  const TempFolder nothing;
  const Finished notices =
      test::Run({kSources + "/deploy/notices.py", program_, kBuilt, nothing.PathOf(".")});
  ASSERT_EQ(notices.code, 0) << notices.error;

  const std::vector<std::string> libraries = StaticLibraries(GetParam());
  EXPECT_THAT(libraries, Not(IsEmpty()));
  for (const std::string& library : libraries) {
    EXPECT_THAT(parts, Contains(PartOf(library))) << library;
    EXPECT_THAT(notices.output, HasSubstr("\n" + PartOf(library) + "\n")) << library;
  }
  EXPECT_THAT(parts, Contains("libc6"));
  EXPECT_THAT(notices.output, HasSubstr("Boost Software License"));
  // What librdkafka has in itself.
  EXPECT_THAT(notices.output, HasSubstr("\nLICENSE.nanopb\n"));
}

INSTANTIATE_TEST_SUITE_P(Programs, PartsTest, testing::Values("tollbridge", "tollbridge-sandbox"),
                         [](const auto& info) {
                           return std::string(info.param) == "tollbridge" ? "Gateway" : "Sandbox";
                         });

}  // namespace
}  // namespace tollbridge::test
