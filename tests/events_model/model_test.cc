#include <gtest/gtest.h>

#include <cstdint>

#include "base/telemetry/log.h"
#include "tests/events_model/run.h"

namespace tollbridge::events_model {
namespace {

#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr std::uint64_t kRuns = 20;
#else
constexpr std::uint64_t kRuns = 400;
#endif

class EventsModelTest : public testing::Test {
 protected:
  EventsModelTest() { telemetry::SetLogLevel(telemetry::Severity::kError); }

  test::MiniRedis redis_;
  Planted planted_;
};

TEST_F(EventsModelTest, WhatIsPublishedHoldsInEveryInterleaving) {
  model::RunSeeds(model::SeedsFromEnvironment(kRuns),
                  [this](std::uint64_t seed, bool keep_history) {
                    return RunOnce(seed, redis_, planted_, keep_history);
                  });
}

TEST_F(EventsModelTest, ARunFollowsFromItsSeedAlone) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const model::RunResult first = RunOnce(seed, redis_, planted_, true);
    const model::RunResult second = RunOnce(seed, redis_, planted_, true);
    EXPECT_FALSE(first.history.empty());
    EXPECT_EQ(first.history, second.history);
  }
}

}  // namespace
}  // namespace tollbridge::events_model
