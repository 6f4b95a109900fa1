#ifndef TOLLBRIDGE_ADAPTERS_KAFKA_OPERATION_LOG_H_
#define TOLLBRIDGE_ADAPTERS_KAFKA_OPERATION_LOG_H_

#include <string>

#include "adapters/kafka/producer.h"
#include "services/ports/operation_outbox.h"

namespace tollbridge::kafka {

/// Writes records of operations: key operation id, so that those of an operation stay in one
/// partition and in order; of a privileged action its id. Header content-type. No trace: a repeat
/// is an exact copy (docs/design/operations.md#records-for-audit). Per shard; the producer is
/// shared.
class KafkaOperationLog final : public ports::OperationLog {
 public:
  KafkaOperationLog(Producer& producer, std::string topic)
      : producer_(producer), topic_(std::move(topic)) {}

  AsyncStatus Append(const operations::v1::OperationRecord& record,
                     const ports::Context& context) override;

 private:
  Producer& producer_;
  std::string topic_;
};

}  // namespace tollbridge::kafka

#endif  // TOLLBRIDGE_ADAPTERS_KAFKA_OPERATION_LOG_H_
