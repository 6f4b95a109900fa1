#ifndef TOLLBRIDGE_GATEWAY_CONFIG_PLAINTEXT_CHECK_H_
#define TOLLBRIDGE_GATEWAY_CONFIG_PLAINTEXT_CHECK_H_

#include <string>
#include <vector>

#include "adapters/kafka/client.h"
#include "gateway/config/config.h"

namespace tollbridge::gateway {

/// What production refuses of the listeners and connections of the configured roles, a line each:
/// plaintext on or to an address that is not loopback, unless the setting of its own
/// `allow_plaintext_beyond_loopback` says that something else protects it. None in development. Of
/// Kafka see KafkaPlaintextProblem.
std::vector<std::string> PlaintextProblems(const Config& config);

/// The same of the brokers, for which secret properties count too; empty: there is none.
std::string KafkaPlaintextProblem(const Config& config, const kafka::ClientSettings& settings);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_CONFIG_PLAINTEXT_CHECK_H_
