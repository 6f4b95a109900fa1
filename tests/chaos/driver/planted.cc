#include "tests/chaos/driver/planted.h"

#include <algorithm>
#include <stdexcept>

namespace tollbridge::chaos {

std::span<const PlantedBug> PlantedBugs() {
  static const std::vector<PlantedBug> bugs = {
      {"unknown-for-ever",
       "no read ever counts as a miss, so that what is absent stays UNKNOWN",
       {{"local next_look, misses = tonumber(arg.next_look), tonumber(arg.misses)",
         "local next_look, misses = tonumber(arg.next_look), 0"}}},
      {.name = "look-owed-once",
       .about = "a look that did not end is not owed by the next call of its key",
       .replacements = {{"record and record.lf == 1 or (doubtful and (not record or of_another or "
                         "record.e < epoch.since))",
                         "doubtful and (not record or of_another or record.e < epoch.since)"}},
       .showing = {.many_come_back = true, .most_wait = true, .reads_fail_in_doubt = true}},
      {.name = "unknown-key-is-another-request",
       .about = "a record under a key id that the replica does not have is taken for another's",
       .replacements = {{"  local same = is_same(record.k, record.f)\n"
                         "  if same == nil then return answer('key_unknown', {}) end",
                         "  local same = is_same(record.k, record.f)"}},
       .showing = {.many_come_back = true}},
      {.name = "link-told-and-not-kept",
       .about = "a payment link is told to its caller and not recorded",
       .replacements =
           {{"change_to(to)\nenter_order(now, made_order and id)",
             "if to == 'D' and string.find(arg.rpc, 'CreatePaymentLink', 1, true) then\n"
             "  return 'recorded'\n"
             "end\n"
             "change_to(to)\nenter_order(now, made_order and id)"}},
       .showing = {.many_come_back = true}},
      {"late-claim",
       "a claim is executed however late it comes, when nobody waits for it any more",
       {{"if now > tonumber(arg.not_after) then return answer('late', {}) end", ""}}},
      {"unreadable-record",
       "one record that cannot be read holds up the resolution of all others",
       {{"    if not pcall(act, id) then\n"
         "      redis.call('ZADD', index, text(lease_end), id)\n"
         "      taken[#taken + 1] = {'id', id}\n"
         "    end",
         "    act(id)"}}},
      {"gate-of-all-projects",
       "the gate of an order is one for all projects, and whoever stands in it holds it",
       {{"local function gate_key(order) return prefix .. 'g:' .. order end",
         "local function gate_key(order) return 'tb:g:' .. order end"},
        {"return is_open(load(holder)) and holder or nil", "return holder"}}},
  };
  return bugs;
}

const PlantedBug& BugOf(std::span<const PlantedBug> bugs, std::string_view name) {
  const auto found = std::ranges::find(bugs, name, &PlantedBug::name);
  if (found != bugs.end()) return *found;
  std::string names;
  for (const PlantedBug& bug : bugs) names += (names.empty() ? "" : ", ") + std::string(bug.name);
  throw std::runtime_error("--planted: there is " + names);
}

std::string FileOf(const PlantedBug& bug) {
  std::string text = std::string(bug.about) + "\n";
  for (const auto& [was, is] : bug.replacements) {
    text += "--- was\n" + std::string(was) + "\n--- is\n" + std::string(is) + "\n--- end\n";
  }
  return text;
}

}  // namespace tollbridge::chaos
