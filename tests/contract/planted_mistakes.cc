#include "tests/contract/planted_mistakes.h"

#include <cstdlib>

#include "adapters/redis/scripts.h"
#include "tests/support/test_keyspace.h"

namespace tollbridge::test {

namespace {

constexpr const char* kMoneyTests = "Stores/Money.*/Fake";
constexpr const char* kApprovalTests = "Stores/Approval.*/Fake";
constexpr const char* kLostAttemptTests = "Stores/LostAttempt.*/Fake";

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
      {"AttemptOfALostEpoch",
       {{redis::kEffectsLua, "tonumber(arg.attempt) > record.a and not is_whole(record, epoch)",
         "false"}},
       kLostAttemptTests},
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
      // Of a second person: what runs, or is closed, before another identity has confirmed it.
      {"RunsBeforeItIsConfirmed",
       {{redis::kApprovalLua, "return approval and approval.c and not approval.to",
         "return approval and not approval.to"}},
       kApprovalTests},
      {"RunsByAReplicaWithoutTheSetting",
       {{redis::kClaimLua,
         "if state == 'A' and not approved then return answer_approval_needed(false) end", ""}},
       kApprovalTests},
      {"ConfirmedByWhoAsked",
       {{redis::kApprovalLua, "if seen[string.sub(others, i, i + NAME_BYTES - 1)] then",
         "if false then"}},
       kApprovalTests},
      {"ConfirmedByNobody",
       {{redis::kApprovalLua, "return names == '' or others == ''", "return false"}},
       kApprovalTests},
      {"ConfirmedForEver",
       {{redis::kApprovalLua, "not approval.ov and approval.l > now", "not approval.ov"}},
       kApprovalTests},
      {"ConfirmedForTwoEffects",
       {{redis::kRecordLua, "(approval.to or not (to == 'R' or to == 'U' or change.unsent))",
         "approval.to"},
        {redis::kApprovalLua, "approval.f == record.a and ", ""}},
       kApprovalTests},
      {"AnotherThanWasSeenIsConfirmed",
       {{redis::kApprovalLua, "if not approval or approval.id ~= arg.approval then",
         "if not approval then"}},
       kApprovalTests},
      {"ClosedAlthoughItChanged",
       {{redis::kCloseOperationLua, "if approval.n ~= record.n then return {'changed'} end", ""}},
       kApprovalTests},
      {"AskingCloses",
       {{redis::kCloseOperationLua, "if arg.second == 'ask' then\n  record.ap",
         "if arg.second == 'ask' and false then\n  record.ap"}},
       kApprovalTests},
      {"WhatWasForgottenIsNotLookedFor",
       {{redis::kClaimLua, "record.np, record.lf = unproven and 1 or 0, look_first and 1 or nil",
         "record.np, record.lf = unproven and 1 or 0, record.a ~= 0 and look_first and 1 or nil"}},
       kApprovalTests},
      {"Channel",
       {{redis::kSaveSnapshotLua, "prefix .. 'changes'", "'" + KeysOf("other") + "changes'"}}},
  };
  return mistakes;
}

const PlantedMistake& VersionBeforeApprovals() {
  static const auto& version = *new PlantedMistake{
      "VersionBeforeApprovals",
      {{redis::kRecordLua, "(approval.to or not (to == 'R' or to == 'U' or change.unsent))",
        "false"}},
      "Stores/Approval.WhatMayHaveHadItsEffectDoesNotRunAgainUnconfirmed/Fake"};
  return version;
}

void PlantMistake(MiniRedis& server) {
  const char* name = std::getenv(kPlantedMistake);
  if (name == nullptr) return;
  std::vector<PlantedMistake> mistakes = PlantedMistakes();
  mistakes.push_back(VersionBeforeApprovals());
  for (const PlantedMistake& mistake : mistakes) {
    if (mistake.name != name) continue;
    for (const PlantedPatch& patch : mistake.patches) {
      server.PatchScript(patch.piece, patch.old, patch.replacement);
    }
  }
}

}  // namespace tollbridge::test
