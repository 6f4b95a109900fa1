#ifndef TOLLBRIDGE_ADAPTERS_KAFKA_DEAD_LETTER_LOG_H_
#define TOLLBRIDGE_ADAPTERS_KAFKA_DEAD_LETTER_LOG_H_

#include <string>

#include "adapters/kafka/producer.h"
#include "services/ports/hint_log.h"

namespace tollbridge::kafka {

/// Writes dead letters: key and value as they were found, the rest in headers
/// (docs/design/events.md#reader): cause, tries, first_failure and last_failure (RFC 3339, UTC,
/// milliseconds), original_topic, original_partition, original_offset, traceparent and tracestate
/// of the hint; of a record that was cut also cut, value_bytes and value_sha256, which are of the
/// whole. Per shard; the producer is shared.
class KafkaDeadLetterLog final : public ports::DeadLetterLog {
 public:
  /// `hints_topic`: where the letters come from.
  KafkaDeadLetterLog(Producer& producer, std::string topic, std::string hints_topic)
      : producer_(producer), topic_(std::move(topic)), hints_topic_(std::move(hints_topic)) {}

  AsyncStatus Append(const ports::DeadLetter& letter, const ports::Context& context) override;

 private:
  Producer& producer_;
  std::string topic_;
  std::string hints_topic_;
};

}  // namespace tollbridge::kafka

#endif  // TOLLBRIDGE_ADAPTERS_KAFKA_DEAD_LETTER_LOG_H_
