#ifndef TOLLBRIDGE_ADAPTERS_KAFKA_EVENT_LOG_H_
#define TOLLBRIDGE_ADAPTERS_KAFKA_EVENT_LOG_H_

#include <string>

#include "adapters/kafka/event_gate.h"
#include "adapters/kafka/producer.h"
#include "services/ports/event_log.h"

namespace tollbridge::kafka {

/// Publishes finished events as the outbox holds them: key, headers in their order, payload
/// (docs/design/events.md#events). Those that name no topic go to `topic`. Per shard; the producer
/// is shared. UNAVAILABLE at once where the partition takes nothing and others try it already.
class KafkaEventLog final : public ports::EventLog {
 public:
  /// `partitions`: of each topic of events.
  KafkaEventLog(Producer& producer, std::string topic, int partitions)
      : producer_(producer), topic_(std::move(topic)), gate_(partitions) {}

  Async<ports::EventPlace> Publish(const storage::v1::OutboxEntry& event,
                                   const ports::Context& context) override;

 private:
  Producer& producer_;
  std::string topic_;
  EventGate gate_;
};

}  // namespace tollbridge::kafka

#endif  // TOLLBRIDGE_ADAPTERS_KAFKA_EVENT_LOG_H_
