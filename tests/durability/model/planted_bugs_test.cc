#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
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
  const char* says;  ///< in what the model says of it
  std::function<void(test::MiniRedis&, Model&)> plant;
};

std::ostream& operator<<(std::ostream& out, const PlantedBug& bug) { return out << bug.name; }

const PlantedBug kPlantedBugs[] = {
    {"SentIsRecordedAfterSending", 193, "has an effect and is told",
     [](test::MiniRedis& redis, Model&) {
       redis.PatchScript(redis::kClaimLua, "not look_first and {{'S', now, arg.step}} or nil",
                         "nil");
     }},
    {"OneMissCountsAsAbsence", 55143, "LATE_EFFECT",
     [](test::MiniRedis&, Model& model) { model.settings.absence_reads = 1; }},
    {"TheGateExpires", 12, "does not hold its gate",
     [](test::MiniRedis& redis, Model&) {
       redis.PatchScript(redis::kClaimLua, "redis.call('SET', gate_key(gate), id)",
                         "redis.call('SET', gate_key(gate), id, 'PX', 30000)");
     }},
    {"ALateAnswerIsRefused", 2192, "has a success that is dropped",
     [](test::MiniRedis& redis, Model&) {
       redis.PatchScript(redis::kFinishLua, "if (gave_up and not nothing_sent)",
                         "if arg.by_resolver ~= '1' and state ~= 'R' then return 'not_ours' end\n"
                         "if (gave_up and not nothing_sent)");
     }},
    {"ReleaseDoesNotCompareTheOwner", 555, "has a second effect",
     [](test::MiniRedis& redis, Model&) {
       redis.PatchScript(redis::kReleaseLua, "record.w ~= arg.owner or", "");
     }},
    {"NobodyLooksFirstWhenTheMemoryIsDoubtful", 290, "has a second effect",
     [](test::MiniRedis& redis, Model&) {
       redis.PatchScript(redis::kClaimLua,
                         "record and record.lf == 1 or (doubtful and (not record or of_another or "
                         "record.e < epoch.since))",
                         "false");
     }},
    {"ASecondCallSkipsTheLook", 290, "has a second effect",
     [](test::MiniRedis& redis, Model&) {
       redis.PatchScript(redis::kClaimLua,
                         "record and record.lf == 1 or (doubtful and (not record or of_another or "
                         "record.e < epoch.since))",
                         "doubtful and (not record or of_another or record.e < epoch.since)");
     }},
    {"WhatIsNotKnownIsCalledNotExecuted", 230, "its record says that there is none",
     [](test::MiniRedis& redis, Model&) {
       redis.PatchScript(redis::kFinishLua, "local now, record = now_ms(), load(arg.id)",
                         "local now, record = now_ms(), load(arg.id)\n"
                         "if arg.keep_look_first == '1' then to = 'N' end");
     }},
    {"WhatIsNotThereIsNeverDecided", 34, "is never resolved: U",
     [](test::MiniRedis&, Model& model) {
       model.hides_not_found = true;
       model.settings.review_unreadable_after = std::chrono::hours(10'000);
     }},
    {"AGateIsOfTheOrderAlone", 72,
     "is held up by an operation that is not of its order in its project",
     [](test::MiniRedis& redis, Model&) {
       redis.PatchScript(redis::kRecordLua,
                         "local function gate_key(order) return prefix .. 'g:' .. order end",
                         "local function gate_key(order) return 'tb:g:' .. order end");
       redis.PatchScript(redis::kClaimLua, "local holder = gate_holder(gate, id)",
                         "local holder = redis.call('GET', gate_key(gate))\n"
                         "if holder == id then holder = nil end");
     }},
    {"AnOrdersListIsOfTheOrderAlone", 1, "is of no project",
     [](test::MiniRedis& redis, Model&) {
       redis.PatchScript(redis::kRecordLua,
                         "local function order_key(order) return prefix .. 'i:' .. order end",
                         "local function order_key(order) return 'tb:i:' .. order end");
     }},
    {"AnUnknownSecretIsAnotherRequest", 4627, "is told that it was used for another request",
     [](test::MiniRedis& redis, Model&) {
       redis.PatchScript(redis::kClaimLua, "local same = is_same(record.k, record.f)",
                         "local same = is_same(record.k, record.f) or false");
     }},
    {"ALinkIsToldBeforeItIsKept", 4449, "is told two results",
     [](test::MiniRedis&, Model& model) { model.tells_before_it_keeps = true; }},
    {"AClaimIsCarriedOutHoweverLate", 155, "after nobody waited for it",
     [](test::MiniRedis& redis, Model&) {
       redis.PatchScript(redis::kClaimLua,
                         "if now > tonumber(arg.not_after) then return answer('late', {}) end", "");
     }},
    {"OneThatCannotBeReadHoldsUpAll", 5878, "is never resolved: U",
     [](test::MiniRedis& redis, Model&) {
       redis.PatchScript(redis::kTakeUnresolvedLua, "if not pcall(act, id) then",
                         "act(id)\n    if false then");
     }},
    {"ARetiredKeyRunsAgain", 45, "is told two results",
     [](test::MiniRedis& redis, Model&) {
       redis.PatchScript(redis::kClaimLua, "if tombstone then", "if false then");
     }},
    {"ItRunsBeforeAnotherIdentityConfirmsIt", 41, "nobody has confirmed it",
     [](test::MiniRedis& redis, Model&) {
       redis.PatchScript(redis::kApprovalLua, "return approval and approval.c and",
                         "return approval and");
     }},
    {"MoneyIsGivenBackTwice", 1, "hold it or were done",
     [](test::MiniRedis& redis, Model&) {
       redis.PatchScript(redis::kRecordLua, "    record.ml = nil\n", "");
     }},
    {"MoneyIsTakenByAReplay", 1, "hold it or were done",
     [](test::MiniRedis& redis, Model&) {
       redis.PatchScript(redis::kClaimLua, "  if state == 'D' then\n",
                         "  if state == 'D' then\n"
                         "    if arg.money ~= '' then\n"
                         "      redis.call('HINCRBY', operations_key('money:' .. "
                         "text(math.floor(now / 86400000))), 'n' .. arg.limit1, 1)\n"
                         "    end\n");
     }},
    {"MoneyIsTakenAnewByALook", 2, "hold it or were done",
     [](test::MiniRedis& redis, Model&) {
       redis.PatchScript(redis::kClaimLua,
                         "not (record and record.ml and record.ml[1] == day) and operations_key",
                         "operations_key");
       redis.PatchScript(redis::kClaimLua, "  if record.ml then give_money_back(record.ml) end\n",
                         "");
     }},
};

class PlantedBugTest : public testing::TestWithParam<PlantedBug> {
 protected:
  PlantedBugTest() { telemetry::SetLogLevel(telemetry::Severity::kError); }
};

TEST_P(PlantedBugTest, IsFoundByItsSeedAndTheProductIsNotBlamed) {
  test::MiniRedis sound_redis;
  const Model sound;
  test::MiniRedis redis;
  Model model;
  GetParam().plant(redis, model);
  const std::uint64_t seed =
      SearchSeed(GetParam().seed, GetParam().says, [&](std::uint64_t each, bool keep_history) {
        return RunOnce(each, redis, model, keep_history);
      });
  EXPECT_THAT(RunOnce(seed, redis, model, false).failure, testing::HasSubstr(GetParam().says));
  const RunResult without = RunOnce(seed, sound_redis, sound, true);
  EXPECT_EQ(without.failure, "") << without.history;
}

INSTANTIATE_TEST_SUITE_P(All, PlantedBugTest, testing::ValuesIn(kPlantedBugs),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace tollbridge::model
