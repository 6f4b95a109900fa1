#include <absl/strings/numbers.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <exception>
#include <string>

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

/// A number from the environment.
std::uint64_t Number(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  std::uint64_t number = otherwise;
  if (text != nullptr && !absl::SimpleAtoi(text, &number)) {
    ADD_FAILURE() << name << " is not a number: " << text;
  }
  return number;
}

class ModelTest : public testing::Test {
 protected:
  ModelTest() { telemetry::SetLogLevel(telemetry::Severity::kError); }

  /// Runs seeds one after the other until `most` have failed; prints how those went.
  void RunSeeds(std::uint64_t first, std::uint64_t count, std::uint64_t most) {
    std::uint64_t seed = first;
    try {
      Run(seed, first + count, most);
    } catch (const std::exception& error) {
      ADD_FAILURE() << "seed " << seed << ": " << error.what();
    }
  }

  test::MiniRedis redis_;
  Model model_;

 private:
  void Run(std::uint64_t& seed, std::uint64_t end, std::uint64_t most) {
    for (; seed < end; ++seed) {
      if (RunOnce(seed, redis_, model_, false).failure.empty()) continue;
      const RunResult again = RunOnce(seed, redis_, model_, true);
      ADD_FAILURE() << "seed " << seed << ": " << again.failure << "\n" << again.history;
      if (--most == 0) return;
    }
  }
};

TEST_F(ModelTest, WhatIsToldHoldsInEveryInterleaving) {
  RunSeeds(Number("TOLLBRIDGE_MODEL_SEED", 1), Number("TOLLBRIDGE_MODEL_RUNS", kRuns),
           Number("TOLLBRIDGE_MODEL_FAILURES", 1));
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
