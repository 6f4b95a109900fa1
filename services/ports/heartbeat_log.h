#ifndef TOLLBRIDGE_SERVICES_PORTS_HEARTBEAT_LOG_H_
#define TOLLBRIDGE_SERVICES_PORTS_HEARTBEAT_LOG_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/core/async.h"
#include "services/ports/context.h"

namespace tollbridge::storage::v1 {
class OutboxEntry;
}

namespace tollbridge::ports {

/// How far the group is with one partition of the hints topic, whoever owns it, or nobody.
struct HintsProgress {
  /// Offset before which all is finished by the group, or no longer kept. Above `end`: the log has
  /// gone back, and it says nothing.
  std::int64_t finished = 0;
  std::int64_t end = 0;  ///< offset after the last hint
};

/// What heartbeats are made from and where they go (docs/design/events.md#heartbeats). Per shard.
/// UNAVAILABLE when the log cannot be reached by the context's deadline.
class HeartbeatLog {
 public:
  virtual ~HeartbeatLog() = default;
  /// All partitions of the hints topic, in order. Every `finished` is asked before every `end`, so
  /// that what was appended before something finished lies before the ends.
  virtual Async<std::vector<HintsProgress>> Look(const Context& context) = 0;
  /// How many partitions a topic of events has now.
  virtual Async<std::int32_t> CountPartitions(const std::string& topic, const Context& context) = 0;
  /// Writes headers and payload of the heartbeat, without a key, to this partition of its topic.
  /// Ends when the broker has acknowledged with acks=all.
  virtual AsyncStatus Append(const storage::v1::OutboxEntry& heartbeat, std::int32_t partition,
                             const Context& context) = 0;
};

}  // namespace tollbridge::ports

#endif  // TOLLBRIDGE_SERVICES_PORTS_HEARTBEAT_LOG_H_
