#ifndef TOLLBRIDGE_ADAPTERS_KAFKA_SETTINGS_H_
#define TOLLBRIDGE_ADAPTERS_KAFKA_SETTINGS_H_

#include <chrono>
#include <string>
#include <vector>

namespace tollbridge::config {
class Section;
}  // namespace tollbridge::config

namespace tollbridge::kafka {

/// Where Kafka is, and what is kept on it.
struct Settings {
  std::vector<std::string> brokers = {"127.0.0.1:9092"};
  /// librdkafka properties beside those that the product sets, `name=value`. None that is secret.
  std::vector<std::string> properties;
  /// More of them, one a line: those that are secret.
  std::string secret_properties_file;
  bool allow_plaintext_beyond_loopback = false;
  std::string hints_topic = "tollbridge.hints.v1";
  std::string events_topic = "tollbridge.events.v1";
  /// Of the events of test orders; empty: with the others.
  std::string test_events_topic;
  std::string dead_letter_topic = "tollbridge.hints.dlq.v1";
  std::string operations_topic = "tollbridge.operations.v1";
  std::string group = "tollbridge-events";
  bool static_membership = false;
  /// When the group takes a process that is not heard of for dead.
  std::chrono::milliseconds session_timeout = std::chrono::seconds(15);
  int partitions = 12;
  int replication = 3;
};

/// Binds what a configuration may set, with its bounds.
void Describe(config::Section& section, Settings* settings);

}  // namespace tollbridge::kafka

#endif  // TOLLBRIDGE_ADAPTERS_KAFKA_SETTINGS_H_
