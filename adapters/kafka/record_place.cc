#include "adapters/kafka/record_place.h"

#include <librdkafka/rdkafka.h>

namespace tollbridge::kafka {

int PartitionOfKey(std::string_view key, int partitions) {
  // It looks at the key alone, as Java's does.
  return rd_kafka_msg_partitioner_murmur2(nullptr, key.data(), key.size(), partitions, nullptr,
                                          nullptr);
}

}  // namespace tollbridge::kafka
