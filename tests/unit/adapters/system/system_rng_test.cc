#include "adapters/system/system_rng.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <set>
#include <string>
#include <thread>
#include <vector>

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

TEST(SystemRng, GivesThreadsThatShareItNothingTwice) {
  SystemRng rng;
  constexpr std::size_t kDraws = 20'000;
  std::array<std::vector<std::string>, 2> drawn;
  {
    std::vector<std::jthread> threads;
    for (std::vector<std::string>& mine : drawn) {
      threads.emplace_back([&rng, &mine] {
        for (std::size_t i = 0; i < kDraws; ++i) mine.push_back(rng.Bytes(16));
      });
    }
  }
  std::set<std::string> seen;
  for (const std::vector<std::string>& each : drawn) seen.insert(each.begin(), each.end());
  EXPECT_EQ(seen.size(), 2 * kDraws);
}

TEST(SystemRng, GivesMoreThanItKeepsInStore) {
  SystemRng rng;
  for (const std::size_t count : {1'000U, 1'024U, 1'025U, 5'000U}) {
    const std::string bytes = rng.Bytes(count);
    EXPECT_EQ(bytes.size(), count);
    EXPECT_EQ(bytes.find(std::string(16, '\0')), std::string::npos);
  }
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
