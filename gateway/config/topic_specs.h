#ifndef TOLLBRIDGE_GATEWAY_CONFIG_TOPIC_SPECS_H_
#define TOLLBRIDGE_GATEWAY_CONFIG_TOPIC_SPECS_H_

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "adapters/kafka/topics.h"
#include "gateway/config/config.h"
#include "services/events/settings.h"

namespace tollbridge::gateway {

/// The topics of each project's events, by its name: its own, else those of all.
std::map<std::string, events::ProjectTopics, std::less<>> EventTopics(const Config& config);

/// All of them once, in the order of their names.
std::vector<std::string> EventTopicNames(const Config& config);

/// What is wrong with the names of topics, one a line.
std::vector<std::string> TopicProblems(const Config& config);

/// What docs/design/events.md#events demands of the topics: three replicas and two of them in sync,
/// or more replicas and a majority of them. Only development may do with less (KafkaSettings).
std::vector<kafka::TopicSpec> TopicSpecs(const Config& config);

/// Those that the configured roles read or write; empty where none needs Kafka.
std::vector<kafka::TopicSpec> TopicSpecsOfRoles(const Config& config);

/// The difference in words, with the topic's name.
std::string TextOf(const kafka::TopicDifference& difference);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_CONFIG_TOPIC_SPECS_H_
