#ifndef TOLLBRIDGE_ADAPTERS_KAFKA_EVENT_TOPIC_H_
#define TOLLBRIDGE_ADAPTERS_KAFKA_EVENT_TOPIC_H_

#include <boost/asio/any_io_executor.hpp>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/kafka/client.h"
#include "services/ports/event_topic.h"

namespace tollbridge::kafka {

/// The topic of events through EventTail. Blocks for moments, and lets others of its executor run
/// in between: for command lines, not for shards.
class KafkaEventTopic final : public ports::EventTopic {
 public:
  KafkaEventTopic(ClientSettings settings, std::string topic, boost::asio::any_io_executor executor)
      : settings_(std::move(settings)), topic_(std::move(topic)), executor_(std::move(executor)) {}

  absl::StatusOr<std::vector<ports::EventPartition>> Look() override;
  std::size_t PartitionOf(std::string_view key) const override;
  AsyncStatus Read(const std::function<void(const ports::EventRecord&)>& take) override;

 private:
  ClientSettings settings_;
  std::string topic_;
  boost::asio::any_io_executor executor_;
  std::size_t partitions_ = 0;  ///< as Look saw them
};

}  // namespace tollbridge::kafka

#endif  // TOLLBRIDGE_ADAPTERS_KAFKA_EVENT_TOPIC_H_
