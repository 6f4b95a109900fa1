#include "gateway/wiring/hints.h"

#include <utility>

#include "adapters/kafka/hint_log.h"
#include "adapters/kafka/producer.h"
#include "base/core/status_macros.h"
#include "gateway/config/kafka_settings.h"

namespace tollbridge::gateway {
namespace {

class OwnHintLog final : public ports::HintLog {
 public:
  OwnHintLog(std::unique_ptr<kafka::Producer> producer, const std::string& topic)
      : producer_(std::move(producer)), log_(*producer_, topic) {}

  AsyncStatus Append(const events::v1::Hint& hint, const ports::Context& context) override {
    return log_.Append(hint, context);
  }

 private:
  std::unique_ptr<kafka::Producer> producer_;
  kafka::KafkaHintLog log_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<ports::HintLog>> OpenHintTopic(
    const Config& config, const Secrets& secrets, const boost::asio::any_io_executor& executor) {
  TB_ASSIGN_OR_RETURN(kafka::ClientSettings settings, KafkaSettings(config, secrets));
  TB_ASSIGN_OR_RETURN(auto producer,
                      kafka::Producer::Create({.client = std::move(settings)}, executor));
  const std::string& topic = config.kafka.hints_topic;
  producer->Prepare({topic});
  return std::make_unique<OwnHintLog>(std::move(producer), topic);
}

}  // namespace tollbridge::gateway
