#ifndef TOLLBRIDGE_ADAPTERS_KAFKA_BROKER_H_
#define TOLLBRIDGE_ADAPTERS_KAFKA_BROKER_H_

#include <absl/status/status.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "adapters/kafka/client.h"
#include "adapters/kafka/handles.h"
#include "base/core/async.h"
#include "base/core/boot_clock.h"

/// Whether brokers answer a client. For .cc files of this room.
namespace tollbridge::kafka {

/// What a broker is given to take a new client, its TLS handshake with it.
inline constexpr std::chrono::milliseconds kNewClientLimit{5'000};

/// What librdkafka says of a question to a broker, with its own text or the error's. UNAVAILABLE,
/// PERMISSION_DENIED, NOT_FOUND, else INTERNAL.
absl::Status StatusOfAnswer(rd_kafka_resp_err_t error, const char* text);

/// Asks a broker who leads the partitions of these topics, or nothing but whether it answers where
/// there are none; librdkafka remembers it. Blocks, `limit` a topic at most.
absl::Status AskBroker(const Client& client, const std::vector<std::string>& topics,
                       std::chrono::milliseconds limit);
/// Does the same without blocking the shard that awaits it. UNAVAILABLE when there is no answer by
/// the deadline.
AsyncStatus AwaitBroker(std::shared_ptr<Client> client, std::vector<std::string> topics,
                        BootTime deadline);

}  // namespace tollbridge::kafka

#endif  // TOLLBRIDGE_ADAPTERS_KAFKA_BROKER_H_
