#ifndef TOLLBRIDGE_ADAPTERS_KAFKA_EVENT_TAIL_H_
#define TOLLBRIDGE_ADAPTERS_KAFKA_EVENT_TAIL_H_

#include <absl/status/statusor.h>

#include <chrono>
#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/kafka/client.h"
#include "adapters/kafka/record_place.h"
#include "base/core/wall_time.h"

namespace tollbridge::kafka {

/// A record as it lies in a topic.
struct TailedRecord {
  std::int32_t partition = 0;
  std::int64_t offset = 0;
  /// By the record's own timestamp; the beginning of time where it has none.
  WallTime written{};
  std::string key;
  std::string value;
  std::vector<std::pair<std::string, std::string>> headers;

  /// The value of the header; empty where there is none of this name.
  std::string Header(std::string_view name) const;
};

/// Reads a whole topic outside of any group, for people who look. Leaves no trace at the broker.
/// Blocks: for command lines, not for shards.
class EventTail {
 public:
  /// Offsets of a partition.
  struct Range {
    std::int64_t low = 0;   ///< of the first record
    std::int64_t high = 0;  ///< after the last one
  };

  /// Begins at the first record there is, or at the first that comes after this call. UNAVAILABLE
  /// when the brokers do not answer within `timeout`, NOT_FOUND when there is no such topic.
  static absl::StatusOr<std::unique_ptr<EventTail>> Open(const ClientSettings& settings,
                                                         const std::string& topic,
                                                         bool from_beginning,
                                                         std::chrono::milliseconds timeout);
  /// From the beginning, and nothing but the partition where records of this key lie: others' share
  /// it. Errors as Open.
  static absl::StatusOr<std::unique_ptr<EventTail>> OpenAtKey(const ClientSettings& settings,
                                                              const std::string& topic,
                                                              const std::string& key,
                                                              std::chrono::milliseconds timeout);
  ~EventTail();
  EventTail(const EventTail&) = delete;
  EventTail& operator=(const EventTail&) = delete;

  /// The next record; nullopt when none came in time.
  absl::StatusOr<std::optional<TailedRecord>> Next(std::chrono::milliseconds timeout);
  /// Whether Next has given everything that the topic held when it was opened.
  bool AtEnd() const { return open_partitions_.empty(); }
  /// What the partitions held when the topic was opened.
  const std::vector<Range>& ranges() const { return ranges_; }

  /// The record at one place, whatever Next has given; Next must not be asked after it. NOT_FOUND
  /// when there is none: it is past the end, its time of keeping is over, or there is no such
  /// partition. UNAVAILABLE when it did not come in time.
  absl::StatusOr<TailedRecord> ReadAt(const RecordPlace& place, std::chrono::milliseconds timeout);

 private:
  /// Without `key` all partitions.
  static absl::StatusOr<std::unique_ptr<EventTail>> Open(const ClientSettings& settings,
                                                         const std::string& topic,
                                                         bool from_beginning,
                                                         const std::optional<std::string>& key,
                                                         std::chrono::milliseconds timeout);
  EventTail(std::unique_ptr<Client> client, std::string topic, std::vector<Range> ranges)
      : client_(std::move(client)), topic_(std::move(topic)), ranges_(std::move(ranges)) {}
  absl::Status Assign(const std::vector<RecordPlace>& from);

  std::unique_ptr<Client> client_;
  std::string topic_;
  std::vector<Range> ranges_;  ///< by partition, when the topic was opened
  /// Partitions with records that Next has still to give, of those there were then.
  std::set<std::int32_t> open_partitions_;
};

}  // namespace tollbridge::kafka

#endif  // TOLLBRIDGE_ADAPTERS_KAFKA_EVENT_TAIL_H_
