#include "gateway/wiring/own_topics.h"

#include <string>
#include <utility>

#include "adapters/kafka/hint_log.h"
#include "adapters/kafka/operation_log.h"
#include "adapters/kafka/producer.h"
#include "base/core/status_macros.h"
#include "gateway/config/kafka_settings.h"

namespace tollbridge::gateway {
namespace {

/// `Log`, what implements the port with a producer and a topic; `Record`, what is appended.
template <typename Port, typename Log, typename Record>
class OwnLog final : public Port {
 public:
  OwnLog(std::unique_ptr<kafka::Producer> producer, const std::string& topic)
      : producer_(std::move(producer)), log_(*producer_, topic) {}

  AsyncStatus Append(const Record& record, const ports::Context& context) override {
    return log_.Append(record, context);
  }

 private:
  std::unique_ptr<kafka::Producer> producer_;
  Log log_;
};

using OwnHintLog = OwnLog<ports::HintLog, kafka::KafkaHintLog, events::v1::Hint>;
using OwnOperationLog =
    OwnLog<ports::OperationLog, kafka::KafkaOperationLog, operations::v1::OperationRecord>;

template <typename Own>
absl::StatusOr<std::unique_ptr<Own>> Open(const Config& config, const Secrets& secrets,
                                          const boost::asio::any_io_executor& executor,
                                          const std::string& topic) {
  TB_ASSIGN_OR_RETURN(kafka::ClientSettings settings, KafkaSettings(config, secrets));
  TB_ASSIGN_OR_RETURN(auto producer,
                      kafka::Producer::Create({.client = std::move(settings)}, executor));
  producer->Prepare({topic});
  return std::make_unique<Own>(std::move(producer), topic);
}

}  // namespace

absl::StatusOr<std::unique_ptr<ports::HintLog>> OpenHintTopic(
    const Config& config, const Secrets& secrets, const boost::asio::any_io_executor& executor) {
  return Open<OwnHintLog>(config, secrets, executor, config.kafka.hints_topic);
}

absl::StatusOr<std::unique_ptr<ports::OperationLog>> OpenOperationTopic(
    const Config& config, const Secrets& secrets, const boost::asio::any_io_executor& executor) {
  return Open<OwnOperationLog>(config, secrets, executor, config.kafka.operations_topic);
}

}  // namespace tollbridge::gateway
