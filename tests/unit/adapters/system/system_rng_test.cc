#include "adapters/system/system_rng.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace tollbridge::system {
namespace {

TEST(SystemRng, GivesAsManyBytesAsAskedForAndNeverTheSameTwice) {
  SystemRng rng;
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) {
    const std::string bytes = rng.Bytes(16);
    EXPECT_EQ(bytes.size(), 16u);
    EXPECT_TRUE(seen.insert(bytes).second);
  }
  EXPECT_EQ(rng.Bytes(0), "");
}

TEST(SystemRng, MakesUuidsOfVersionFour) {
  SystemRng rng;
  const std::string id = rng.NewUuid().ToString();
  ASSERT_EQ(id.size(), 36u);
  EXPECT_EQ(id[14], '4');
  EXPECT_NE(std::string("89ab").find(id[19]), std::string::npos);
}

}  // namespace
}  // namespace tollbridge::system
