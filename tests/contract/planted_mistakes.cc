#include "tests/contract/planted_mistakes.h"

#include <cstdlib>

#include "adapters/redis/scripts.h"
#include "tests/support/test_keyspace.h"

namespace tollbridge::test {

namespace {

constexpr const char* kMoneyTests = "Stores/Money.*/Fake";

}  // namespace

const std::vector<PlantedMistake>& PlantedMistakes() {
  static const std::vector<PlantedMistake> mistakes = {
      {"Gate", {{redis::kRecordLua, "return prefix .. 'g:' .. order", "return 'tb:g:' .. order"}}},
      {"FreshMark",
       {{redis::kRecordLua, "return prefix .. 'f:' .. order", "return 'tb:f:' .. order"}}},
      {"List", {{redis::kRecordLua, "return prefix .. 'i:' .. order", "return 'tb:i:' .. order"}}},
      {"Index",
       {{redis::kRecordLua, "return operations_key(INDEX[state])",
         "return 'tb:operations:' .. INDEX[state]"}}},
      // Pages that walk through all projects' operations, and leave out what is another's.
      {"Cursor",
       {{redis::kRecordLua,
         "if INDEX[to] then redis.call('ZADD', index_key(to), text(change.lease_end or now), id) "
         "end",
         "if INDEX[to] then\n"
         "  redis.call('ZADD', index_key(to), text(change.lease_end or now), id)\n"
         "  redis.call('ZADD', 'tb:all:' .. to, text(change.lease_end or now), id)\n"
         "end"},
        {redis::kListOperationsLua, "collect(index_key(string.sub(arg.states, i, i)))",
         "collect('tb:all:' .. string.sub(arg.states, i, i))"}}},
      {"Counter",
       {{redis::kRecordLua, "return operations_key('reviews')", "return 'tb:operations:reviews'"}}},
      {"Due", {{redis::kRecordLua, "return operations_key('due')", "return 'tb:operations:due'"}}},
      {"Outbox",
       {{redis::kRecordLua, "operations_key('transitions')", "'tb:operations:transitions'"}}},
      {"RefusedCalls",
       {{redis::kNoteRefusedLua, "operations_key('refused')", "'tb:operations:refused'"},
        {redis::kTakeRefusedLua, "operations_key('refused')", "'tb:operations:refused'"},
        {redis::kDropRefusedLua, "operations_key('refused')", "'tb:operations:refused'"}}},
      {"Tombstone",
       {{redis::kRecordLua, "return prefix .. 't:' .. (first * 64",
         "return 'tb:t:' .. (first * 64"}}},
      {"PendingOutboxes",
       {{redis::kSaveSnapshotLua, "prefix .. 'pending'", "'tb:pending'"},
        {redis::kClearOutboxLua, "ARGV[1] .. 'pending'", "'tb:pending'"},
        {redis::kPendingOutboxesLua, "ARGV[1] .. 'pending'", "'tb:pending'"}}},
      {"MoneyOfAllProjects",
       {{redis::kClaimLua, "operations_key('money:' .. text(day))", "'tb:money:' .. text(day)"}},
       kMoneyTests},
      // What it holds is still held when the key runs again.
      {"MoneyGivenBackTwice", {{redis::kRecordLua, "    record.ml = nil\n", ""}}, kMoneyTests},
      {"MoneyKeptForEver",
       {{redis::kRecordLua, "if to == 'N' then give_money_back", "if false then give_money_back"}},
       kMoneyTests},
      {"MoneyOfUnknownGivenBack",
       {{redis::kRecordLua, "if record.ml and (to == 'D' or to == 'N') then",
         "if record.ml and to ~= 'R' then"},
        {redis::kRecordLua, "if to == 'N' then give_money_back",
         "if to ~= 'D' then give_money_back"}},
       kMoneyTests},
      {"MoneyTakenTwice",
       {{redis::kClaimLua, "not (record and record.ml and record.ml[1] == day) and operations_key",
         "operations_key"},
        {redis::kClaimLua, "  if record.ml then give_money_back(record.ml) end\n", ""}},
       kMoneyTests},
      {"MoneyTakenByAReplay",
       {{redis::kClaimLua, "  if state == 'D' then\n",
         "  if state == 'D' then\n"
         "    redis.call('HINCRBY', operations_key('money:' .. text(math.floor(now / 86400000))),\n"
         "               'arefunds.EUR', arg.amount)\n"}},
       kMoneyTests},
      {"Channel",
       {{redis::kSaveSnapshotLua, "prefix .. 'changes'", "'" + KeysOf("other") + "changes'"}}},
  };
  return mistakes;
}

void PlantMistake(MiniRedis& server) {
  const char* name = std::getenv(kPlantedMistake);
  if (name == nullptr) return;
  for (const PlantedMistake& mistake : PlantedMistakes()) {
    if (mistake.name != name) continue;
    for (const PlantedPatch& patch : mistake.patches) {
      server.PatchScript(patch.piece, patch.old, patch.replacement);
    }
  }
}

}  // namespace tollbridge::test
