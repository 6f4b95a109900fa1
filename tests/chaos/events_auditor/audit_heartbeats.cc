// What heartbeats vouch for: who has read one has read all events that were noticed before its
// time.

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/chaos/events_auditor/audit_index.h"

namespace tollbridge::pipeline {

void CheckHeartbeats(const AuditIndex& index, Report* report) {
  std::map<int, std::vector<const HeartbeatLine*>> heartbeats;
  for (const HeartbeatLine& line : index.history->heartbeats) {
    heartbeats[line.partition].push_back(&line);
  }
  report->figures["heartbeats"] = index.history->heartbeats.size();
  std::size_t& vouched = report->figures[kVouchedFor];
  std::size_t& open = report->figures[kNotVouchedFor];
  // An event that comes again is known already, whatever it says of when it was noticed.
  std::set<std::string> seen;
  for (const EventLine& event : index.history->events) {
    if (!seen.insert(event.id).second) continue;
    bool is_vouched_for = false;
    for (const HeartbeatLine* heartbeat : heartbeats[event.partition]) {
      if (event.noticed_at >= heartbeat->published_before) continue;
      if (heartbeat->offset > event.offset) {
        is_vouched_for = true;
        continue;
      }
      report->findings.push_back(
          {rule::kBehindHeartbeat, event.order,
           event.kind + "." + event.what + " noticed at " + std::to_string(event.noticed_at) +
               " has offset " + std::to_string(event.offset) + " of partition " +
               std::to_string(event.partition) + ", behind " + std::to_string(heartbeat->offset) +
               ", which says " + std::to_string(heartbeat->published_before)});
      break;
    }
    ++(is_vouched_for ? vouched : open);
  }
}

}  // namespace tollbridge::pipeline
