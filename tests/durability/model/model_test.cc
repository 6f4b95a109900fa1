#include <gtest/gtest.h>

#include <cstdint>

#include "base/telemetry/log.h"
#include "tests/durability/model/run.h"

namespace tollbridge::model {
namespace {

#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr std::uint64_t kRuns = 2'000;
#else
/// Of each of the two shards in CMakeLists.txt.
constexpr std::uint64_t kRuns = 30'000;
#endif

class ModelTest : public testing::Test {
 protected:
  ModelTest() { telemetry::SetLogLevel(telemetry::Severity::kError); }

  test::MiniRedis redis_;
  Model model_;
};

TEST_F(ModelTest, WhatIsToldHoldsInEveryInterleaving) {
  RunSeeds(SeedsFromEnvironment(kRuns), [this](std::uint64_t seed, bool keep_history) {
    return RunOnce(seed, redis_, model_, keep_history);
  });
}

TEST_F(ModelTest, ARunFollowsFromItsSeedAlone) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const RunResult first = RunOnce(seed, redis_, model_, true);
    const RunResult second = RunOnce(seed, redis_, model_, true);
    EXPECT_FALSE(first.history.empty());
    EXPECT_EQ(first.history, second.history);
  }
}

}  // namespace
}  // namespace tollbridge::model
