#ifndef TOLLBRIDGE_SERVICES_PORTS_EVENT_LOG_H_
#define TOLLBRIDGE_SERVICES_PORTS_EVENT_LOG_H_

#include <cstdint>

#include "base/core/async.h"
#include "services/ports/context.h"

namespace tollbridge::storage::v1 {
class OutboxEntry;
}

namespace tollbridge::ports {

/// Where an event lies in its log.
struct EventPlace {
  std::int32_t partition = 0;
  std::int64_t offset = 0;
};

/// Publishes domain events (docs/design/events.md#events). Per shard.
class EventLog {
 public:
  virtual ~EventLog() = default;
  /// Publishes the finished event: key, headers and payload as the outbox holds them, byte for
  /// byte. Ends when the broker has acknowledged with acks=all; UNAVAILABLE when it has not by the
  /// context's deadline (it may still come), INVALID_ARGUMENT when it takes
  /// none so large, FAILED_PRECONDITION when it refuses the event.
  virtual Async<EventPlace> Publish(const storage::v1::OutboxEntry& event,
                                    const Context& context) = 0;
};

}  // namespace tollbridge::ports

#endif  // TOLLBRIDGE_SERVICES_PORTS_EVENT_LOG_H_
