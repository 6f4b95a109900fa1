#include <absl/strings/numbers.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>

#include "adapters/redis/scripts.h"
#include "base/telemetry/log.h"
#include "tests/durability/model/run.h"

namespace tollbridge::model {
namespace {

/// A mistake in the product, and a seed of the model test that finds it (docs/reliability.md).
struct PlantedBug {
  const char* name;
  std::uint64_t seed;
  std::function<void(test::MiniRedis&, operations::Settings&)> plant;
};

std::ostream& operator<<(std::ostream& out, const PlantedBug& bug) { return out << bug.name; }

const PlantedBug kPlantedBugs[] = {
    {"SentIsRecordedAfterSending", 129,
     [](test::MiniRedis& redis, operations::Settings&) {
       redis.PatchScript(redis::kClaimLua, "not look_first and {{'S', now, arg.step}} or nil",
                         "nil");
     }},
    {"OneMissCountsAsAbsence", 42674,
     [](test::MiniRedis&, operations::Settings& settings) { settings.absence_reads = 1; }},
    {"TheGateExpires", 6,
     [](test::MiniRedis& redis, operations::Settings&) {
       redis.PatchScript(redis::kClaimLua, "redis.call('SET', gate_key(gate), id)",
                         "redis.call('SET', gate_key(gate), id, 'PX', 30000)");
     }},
    {"ALateAnswerIsRefused", 1654,
     [](test::MiniRedis& redis, operations::Settings&) {
       redis.PatchScript(redis::kFinishLua, "if (state == 'N' and not nothing_sent)",
                         "if arg.by_resolver ~= '1' and state ~= 'R' then return 'not_ours' end\n"
                         "if (state == 'N' and not nothing_sent)");
     }},
    {"ReleaseDoesNotCompareTheOwner", 157,
     [](test::MiniRedis& redis, operations::Settings&) {
       redis.PatchScript(redis::kReleaseLua, "record.w ~= arg.owner or", "");
     }},
    {"NobodyLooksFirstWhenTheMemoryIsDoubtful", 230,
     [](test::MiniRedis& redis, operations::Settings&) {
       redis.PatchScript(redis::kClaimLua,
                         "record and record.lf == 1 or (doubtful and (not record or record.e < "
                         "epoch.since))",
                         "false");
     }},
    {"TheLookIsNotOwedWhenTheDoubtIsOver", 706,
     [](test::MiniRedis& redis, operations::Settings&) {
       redis.PatchScript(redis::kClaimLua,
                         "record and record.lf == 1 or (doubtful and (not record or record.e < "
                         "epoch.since))",
                         "doubtful and (not record or record.lf == 1 or record.e < epoch.since)");
     }},
};

class PlantedBugTest : public testing::TestWithParam<PlantedBug> {
 protected:
  PlantedBugTest() { telemetry::SetLogLevel(telemetry::Severity::kError); }
};

TEST_P(PlantedBugTest, IsFoundByItsSeedAndTheProductIsNotBlamed) {
  test::MiniRedis sound_redis;
  const operations::Settings sound_settings = ModelSettings();
  test::MiniRedis redis;
  operations::Settings settings = ModelSettings();
  GetParam().plant(redis, settings);
  std::uint64_t seed = GetParam().seed;
  // To find a seed: runs from this one on.
  if (const char* text = std::getenv("TOLLBRIDGE_MODEL_SEARCH")) {
    std::uint64_t runs = 0;
    ASSERT_TRUE(absl::SimpleAtoi(text, &runs));
    while (runs-- > 0 && RunOnce(seed, redis, settings, false).failure.empty()) ++seed;
    const RunResult found = RunOnce(seed, redis, settings, true);
    std::cout << GetParam().name << " seed " << seed << ": " << found.failure << "\n"
              << found.history;
  }
  EXPECT_NE(RunOnce(seed, redis, settings, false).failure, "");
  const RunResult sound = RunOnce(seed, sound_redis, sound_settings, true);
  EXPECT_EQ(sound.failure, "") << sound.history;
}

INSTANTIATE_TEST_SUITE_P(All, PlantedBugTest, testing::ValuesIn(kPlantedBugs),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace tollbridge::model
