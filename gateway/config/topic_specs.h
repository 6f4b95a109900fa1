#ifndef TOLLBRIDGE_GATEWAY_CONFIG_TOPIC_SPECS_H_
#define TOLLBRIDGE_GATEWAY_CONFIG_TOPIC_SPECS_H_

#include <string>
#include <vector>

#include "adapters/kafka/topics.h"
#include "gateway/config/config.h"

namespace tollbridge::gateway {

/// What docs/design/events.md#events demands of the topics: three replicas and two of them in sync,
/// or more replicas and a majority of them. Only development may do with less (KafkaSettings).
std::vector<kafka::TopicSpec> TopicSpecs(const kafka::Settings& settings);

/// Those that the configured roles read or write; empty where none needs Kafka.
std::vector<kafka::TopicSpec> TopicSpecsOfRoles(const Config& config);

/// The difference in words, with the topic's name.
std::string TextOf(const kafka::TopicDifference& difference);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_CONFIG_TOPIC_SPECS_H_
