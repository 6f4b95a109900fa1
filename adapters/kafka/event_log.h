#ifndef TOLLBRIDGE_ADAPTERS_KAFKA_EVENT_LOG_H_
#define TOLLBRIDGE_ADAPTERS_KAFKA_EVENT_LOG_H_

#include <string>

#include "adapters/kafka/producer.h"
#include "services/ports/event_log.h"

namespace tollbridge::kafka {

/// Publishes finished events as the outbox holds them: key, headers in their order, payload
/// (docs/design/events.md#events). Those that name no topic go to `topic`. Per shard; the producer
/// is shared.
class KafkaEventLog final : public ports::EventLog {
 public:
  KafkaEventLog(Producer& producer, std::string topic)
      : producer_(producer), topic_(std::move(topic)) {}

  Async<ports::EventPlace> Publish(const storage::v1::OutboxEntry& event,
                                   const ports::Context& context) override;

 private:
  Producer& producer_;
  std::string topic_;
};

}  // namespace tollbridge::kafka

#endif  // TOLLBRIDGE_ADAPTERS_KAFKA_EVENT_LOG_H_
