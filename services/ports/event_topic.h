#ifndef TOLLBRIDGE_SERVICES_PORTS_EVENT_TOPIC_H_
#define TOLLBRIDGE_SERVICES_PORTS_EVENT_TOPIC_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/async.h"
#include "services/ports/clock.h"

namespace tollbridge::ports {

/// An event as it lies on its topic.
struct EventRecord {
  /// Which of those that Look gives.
  std::int32_t partition = 0;
  std::int64_t offset = 0;
  WallTime written{};
  std::string type;  ///< its header ce_type; empty: it has none
  std::string content_type;
  std::string value;
};

/// What a partition holds.
struct EventPartition {
  std::string topic;
  std::int32_t number = 0;  ///< of the topic
  std::int64_t first = 0;   ///< offset of the first record that is still there
  std::int64_t end = 0;     ///< the one after the last
  /// When the first one was written; nullopt where there is none.
  std::optional<WallTime> first_written;
};

/// The topics of events as one, for who looks at all of it. Changes nothing, and leaves no trace at
/// the broker. UNAVAILABLE when the log cannot be reached, or stops answering.
class EventTopic {
 public:
  virtual ~EventTopic() = default;
  /// All partitions of all topics, as they are now.
  virtual absl::StatusOr<std::vector<EventPartition>> Look() = 0;
  /// The partitions where events of this key may lie, one of each topic. After Look.
  virtual std::vector<std::size_t> PartitionsOf(std::string_view key) const = 0;
  /// Gives `take` each record that they hold when this is called, in order per partition.
  virtual AsyncStatus Read(const std::function<void(const EventRecord&)>& take) = 0;
};

}  // namespace tollbridge::ports

#endif  // TOLLBRIDGE_SERVICES_PORTS_EVENT_TOPIC_H_
