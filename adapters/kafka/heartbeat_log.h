#ifndef TOLLBRIDGE_ADAPTERS_KAFKA_HEARTBEAT_LOG_H_
#define TOLLBRIDGE_ADAPTERS_KAFKA_HEARTBEAT_LOG_H_

#include <absl/status/statusor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "adapters/kafka/client.h"
#include "adapters/kafka/producer.h"
#include "services/ports/heartbeat_log.h"

namespace tollbridge::kafka {

struct HeartbeatLogSettings {
  ClientSettings client;
  std::string hints_topic;
  /// Of the readers; this client does not join it.
  std::string group;
};

/// Asks how far the group is, and writes heartbeats by the process's producer. What librdkafka
/// answers only to blocking calls is asked on a helper thread: no shard waits for it. Lives on one
/// shard.
class KafkaHeartbeatLog final : public ports::HeartbeatLog {
 public:
  /// INVALID_ARGUMENT as CheckSettings. `producer` outlives it.
  static absl::StatusOr<std::unique_ptr<KafkaHeartbeatLog>> Create(
      const HeartbeatLogSettings& settings, Producer& producer);

  Async<std::vector<ports::HintsProgress>> Look(const ports::Context& context) override;
  Async<std::int32_t> CountPartitions(const std::string& topic,
                                      const ports::Context& context) override;
  AsyncStatus Append(const storage::v1::OutboxEntry& heartbeat, std::int32_t partition,
                     const ports::Context& context) override;

  /// Asks by a new client with these settings once a broker answers that. Errors as
  /// KafkaHintFeed::Renew: nothing has changed then.
  AsyncStatus Renew(ClientSettings settings);

 private:
  KafkaHeartbeatLog(HeartbeatLogSettings settings, Producer& producer,
                    std::shared_ptr<Client> client)
      : settings_(std::move(settings)), producer_(producer), client_(std::move(client)) {}

  HeartbeatLogSettings settings_;
  Producer& producer_;
  std::shared_ptr<Client> client_;
};

}  // namespace tollbridge::kafka

#endif  // TOLLBRIDGE_ADAPTERS_KAFKA_HEARTBEAT_LOG_H_
