#include "tests/chaos/events_driver/planted.h"

#include <vector>

namespace tollbridge::pipeline {

std::span<const chaos::PlantedBug> PlantedBugs() {
  static const std::vector<chaos::PlantedBug> bugs = {
      {"store-that-went-back",
       "a store that came back without its last writes counts as the one that it was, so that "
       "streams go on with numbers that were told",
       {{"then return four_bytes(id), since, till end",
         "then return 'one-life', since, till end"}}},
      {"outbox-not-kept",
       "what is to be published is not saved with the snapshot",
       {{"redis.call('HSET', outbox_key, 'v', expected + 1, 'o', outbox)", ""}}},
      {"outbox-not-finished",
       "a pending outbox is not seen by who reads the family next",
       {{"local outbox = redis.call('HMGET', prefix .. 'x:' .. family, 'o', 'v')",
         "local outbox = {false, false}"}}},
      {"version-not-compared",
       "a snapshot is saved over one that another reader has saved meanwhile",
       {{"if tonumber(version or 0) ~= expected then return 'version_lost' end", ""}}},
      {"own-checkout-not-kept",
       "an operation does not leave with its order that Tollbridge started its transaction",
       {{"if arg.entry_own_checkout == '1' then redis.call('HSET', key, 'w', '1') end", ""}}},
      {"capture-mode-not-kept",
       "an operation does not leave with its order that it is to be captured",
       {{"redis.call('HSET', key, 'c', arg.entry_capture_mode, 'x',",
         "redis.call('HSET', key, 'x',"}}},
      {"sweep-held-for-ever",
       "the search sweep of a process that died is never taken over",
       {{"left > 0 and left <= 2 * lease then", "true then"}}},
  };
  return bugs;
}

}  // namespace tollbridge::pipeline
