#ifndef TOLLBRIDGE_GATEWAY_CONFIG_KAFKA_SETTINGS_H_
#define TOLLBRIDGE_GATEWAY_CONFIG_KAFKA_SETTINGS_H_

#include <absl/status/statusor.h>

#include <string>
#include <utility>
#include <vector>

#include "adapters/kafka/client.h"
#include "gateway/config/config.h"
#include "gateway/config/secrets.h"

namespace tollbridge::gateway {

/// Replicas of a topic of which one can be lost and one be late (docs/design/events.md#events).
inline constexpr int kLeastReplicas = 3;

/// Name and value of each property that is set, in the order in which they count: the last of a
/// name does. What is no `name=value` is left out.
std::vector<std::pair<std::string, std::string>> KafkaProperties(const Config& config,
                                                                 const Secrets& secrets);

/// How to reach Kafka. INVALID_ARGUMENT, never with a secret value in it, for a property that is no
/// `name=value`, that is secret and stands in the configuration itself, or that the adapter
/// refuses; and in production for fewer than kLeastReplicas, and for plaintext (plaintext_check.h).
absl::StatusOr<kafka::ClientSettings> KafkaSettings(const Config& config, const Secrets& secrets);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_CONFIG_KAFKA_SETTINGS_H_
