#include "base/core/uuid.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <string>

namespace tollbridge {
namespace {

TEST(UuidTest, IsReadInEitherCaseAndWrittenInLowerCase) {
  const std::optional<Uuid> id = Uuid::Parse("0123ABCD-ef45-6789-aBcD-Ef0123456789");
  ASSERT_TRUE(id);
  EXPECT_EQ(id->ToString(), "0123abcd-ef45-6789-abcd-ef0123456789");
}

TEST(UuidTest, NothingElseIsOne) {
  const std::string good = "0123abcd-ef45-6789-abcd-ef0123456789";
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (const char other : {'g', 'G', '/', ':', '@', '`', ' ', '\0', '\x80', '\xFF', '-'}) {
      if (other == good[i]) continue;
      std::string bad = good;
      bad[i] = other;
      EXPECT_FALSE(Uuid::Parse(bad)) << bad;
    }
  }
  for (const char* hyphen : {"0", "a", "_"}) {
    for (const std::size_t at : {8U, 13U, 18U, 23U}) {
      EXPECT_FALSE(Uuid::Parse(std::string(good).replace(at, 1, hyphen)));
    }
  }
  EXPECT_FALSE(Uuid::Parse(""));
  EXPECT_FALSE(Uuid::Parse(good.substr(1)));
  EXPECT_FALSE(Uuid::Parse(good + "0"));
  EXPECT_FALSE(Uuid::Parse("{" + good + "}"));
}

}  // namespace
}  // namespace tollbridge
