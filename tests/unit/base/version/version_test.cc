#include "base/version/version.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tollbridge {
namespace {

using ::testing::MatchesRegex;

TEST(VersionTest, IsThreeNumbers) {
  EXPECT_THAT(std::string(Version()), MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
}

TEST(VersionTest, RevisionIsACommit) {
  EXPECT_THAT(std::string(Revision()), MatchesRegex("[0-9a-f]{12}(-dirty)?"));
}

TEST(VersionTest, LineNamesProgramVersionAndCommit) {
  EXPECT_EQ(VersionLine("tollbridge"),
            "tollbridge " + std::string(Version()) + " (commit " + std::string(Revision()) + ")");
}

}  // namespace
}  // namespace tollbridge
