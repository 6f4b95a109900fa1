#ifndef TOLLBRIDGE_ADAPTERS_KAFKA_EVENT_TAIL_H_
#define TOLLBRIDGE_ADAPTERS_KAFKA_EVENT_TAIL_H_

#include <absl/status/statusor.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "adapters/kafka/client.h"

namespace tollbridge::kafka {

/// A record as it lies in a topic.
struct TailedRecord {
  std::int32_t partition = 0;
  std::int64_t offset = 0;
  std::string key;
  std::string value;
  std::vector<std::pair<std::string, std::string>> headers;
};

/// Reads a whole topic outside of any group, for people who look. Leaves no trace at the broker.
/// Blocks: for command lines, not for shards.
class EventTail {
 public:
  /// From the first record there is, or from the first that comes after this call. UNAVAILABLE when
  /// the brokers do not answer within `timeout`, NOT_FOUND when there is no such topic.
  static absl::StatusOr<std::unique_ptr<EventTail>> Open(const ClientSettings& settings,
                                                         const std::string& topic,
                                                         bool from_beginning,
                                                         std::chrono::milliseconds timeout);
  ~EventTail();
  EventTail(const EventTail&) = delete;
  EventTail& operator=(const EventTail&) = delete;

  /// The next record; nullopt when none came in time.
  absl::StatusOr<std::optional<TailedRecord>> Next(std::chrono::milliseconds timeout);

 private:
  explicit EventTail(std::unique_ptr<Client> client);
  std::unique_ptr<Client> client_;
};

}  // namespace tollbridge::kafka

#endif  // TOLLBRIDGE_ADAPTERS_KAFKA_EVENT_TAIL_H_
