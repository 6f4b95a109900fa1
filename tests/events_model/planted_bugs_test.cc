#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <ostream>
#include <string>

#include "adapters/redis/scripts.h"
#include "base/telemetry/log.h"
#include "tests/events_model/run.h"

namespace tollbridge::events_model {
namespace {

/// A mistake in the product, and a seed of the model test that finds it (docs/reliability.md).
struct PlantedBug {
  const char* name;
  std::uint64_t seed;
  const char* says;  ///< in what the model says of it
  std::function<void(test::MiniRedis&, Planted&)> plant;
};

std::ostream& operator<<(std::ostream& out, const PlantedBug& bug) { return out << bug.name; }

const PlantedBug kPlantedBugs[] = {
    {"AStoreThatWentBackGoesOnInItsStreams", 32, "has two contents",
     [](test::MiniRedis& redis, Planted&) {
       redis.PatchScript(redis::kFamilyEpochLua, "then return four_bytes(id), since, till end",
                         "then return 'for-ever', since, till end");
     }},
    {"NothingKeepsHowFarTheRoundsHaveCome", 15, "is read for ever",
     [](test::MiniRedis&, Planted& planted) { planted.forgets_cycle = true; }},
    {"ThePollersTimeDefeatsTheBackoff", 42, "is read for ever",
     [](test::MiniRedis& redis, Planted&) {
       redis.PatchScript(
           redis::kSetDueLua,
           "if due_as_seen(ARGV[4]) then return redis.call('ZADD', due, ARGV[3], family) end", "");
       redis.PatchScript(redis::kTakeDueLua, "ARGV[math.min(FIRST_MOVE + before, #ARGV)]",
                         "ARGV[FIRST_MOVE]");
     }},
    {"AClockThatWasAheadStopsTheSweep", 53, "was swept last",
     [](test::MiniRedis&, Planted& planted) { planted.believes_clock_ahead = true; }},
    {"AnOutboxIsClearedByTheFamilysVersion", 24, "is published for ever",
     [](test::MiniRedis& redis, Planted&) {
       redis.PatchScript(redis::kFamilyStateLua, "return {fields, outbox[1], outbox[2],",
                         "return {fields, outbox[1], outbox[1] and (redis.call('HGET', prefix .. "
                         "'f:' .. family, 'v') or '0'),");
     }},
    {"ADueTimeIsTakenOutUnseen", 11, "nobody looks at it any more",
     [](test::MiniRedis& redis, Planted&) {
       redis.PatchScript(redis::kSetDueLua,
                         "if due_as_seen(ARGV[4]) then return redis.call('ZADD', due, ARGV[3], "
                         "family) end",
                         "if due_as_seen(ARGV[4]) then return redis.call('ZREM', due, family) end");
     }},
};

class PlantedEventBugTest : public testing::TestWithParam<PlantedBug> {
 protected:
  PlantedEventBugTest() { telemetry::SetLogLevel(telemetry::Severity::kError); }
};

TEST_P(PlantedEventBugTest, IsFoundByItsSeedAndTheProductIsNotBlamed) {
  test::MiniRedis sound_redis;
  const Planted sound;
  test::MiniRedis redis;
  Planted planted;
  GetParam().plant(redis, planted);
  const std::uint64_t seed = model::SearchSeed(GetParam().seed, GetParam().says,
                                               [&](std::uint64_t each, bool keep_history) {
                                                 return RunOnce(each, redis, planted, keep_history);
                                               });
  EXPECT_THAT(RunOnce(seed, redis, planted, false).failure, testing::HasSubstr(GetParam().says));
  const model::RunResult without = RunOnce(seed, sound_redis, sound, true);
  EXPECT_EQ(without.failure, "") << without.history;
}

INSTANTIATE_TEST_SUITE_P(All, PlantedEventBugTest, testing::ValuesIn(kPlantedBugs),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace tollbridge::events_model
