#ifndef TOLLBRIDGE_ADAPTERS_KAFKA_HINT_LOG_H_
#define TOLLBRIDGE_ADAPTERS_KAFKA_HINT_LOG_H_

#include <string>

#include "adapters/kafka/producer.h"
#include "services/ports/hint_log.h"

namespace tollbridge::kafka {

/// Writes hints: key "project:order_id", so that the hints of an order stay in one partition;
/// header traceparent (docs/design/events.md#hints). Per shard; the producer is shared.
class KafkaHintLog final : public ports::HintLog {
 public:
  KafkaHintLog(Producer& producer, std::string topic)
      : producer_(producer), topic_(std::move(topic)) {}

  AsyncStatus Append(const events::v1::Hint& hint, const ports::Context& context) override;

 private:
  Producer& producer_;
  std::string topic_;
};

}  // namespace tollbridge::kafka

#endif  // TOLLBRIDGE_ADAPTERS_KAFKA_HINT_LOG_H_
