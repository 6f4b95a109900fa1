#ifndef TOLLBRIDGE_ADAPTERS_KAFKA_HANDLES_H_
#define TOLLBRIDGE_ADAPTERS_KAFKA_HANDLES_H_

#include <librdkafka/rdkafka.h>

#include <memory>

/// Owners of librdkafka's C objects. For .cc files of this room.
namespace tollbridge::kafka {

template <auto kDestroy>
struct Deleter {
  template <typename T>
  void operator()(T* object) const {
    kDestroy(object);
  }
};

using EventPtr = std::unique_ptr<rd_kafka_event_t, Deleter<rd_kafka_event_destroy>>;
using QueuePtr = std::unique_ptr<rd_kafka_queue_t, Deleter<rd_kafka_queue_destroy>>;
using ErrorPtr = std::unique_ptr<rd_kafka_error_t, Deleter<rd_kafka_error_destroy>>;
using PartitionsPtr = std::unique_ptr<rd_kafka_topic_partition_list_t,
                                      Deleter<rd_kafka_topic_partition_list_destroy>>;

}  // namespace tollbridge::kafka

#endif  // TOLLBRIDGE_ADAPTERS_KAFKA_HANDLES_H_
