#ifndef TOLLBRIDGE_ADAPTERS_KAFKA_RECORD_PLACE_H_
#define TOLLBRIDGE_ADAPTERS_KAFKA_RECORD_PLACE_H_

#include <compare>
#include <cstdint>
#include <string_view>

namespace tollbridge::kafka {

/// Where a record lies in a topic.
struct RecordPlace {
  std::int32_t partition = 0;
  std::int64_t offset = 0;

  auto operator<=>(const RecordPlace&) const = default;
};

/// The partition of so many where the producer puts records of this key (murmur2).
int PartitionOfKey(std::string_view key, int partitions);

}  // namespace tollbridge::kafka

#endif  // TOLLBRIDGE_ADAPTERS_KAFKA_RECORD_PLACE_H_
