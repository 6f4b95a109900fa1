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

/// The topics of events through EventTail. Blocks for moments, and lets others of its executor run
/// in between: for command lines, not for shards.
class KafkaEventTopic final : public ports::EventTopic {
 public:
  KafkaEventTopic(ClientSettings settings, std::vector<std::string> topics,
                  boost::asio::any_io_executor executor)
      : settings_(std::move(settings)),
        topics_(std::move(topics)),
        executor_(std::move(executor)) {}

  absl::StatusOr<std::vector<ports::EventPartition>> Look() override;
  std::vector<std::size_t> PartitionsOf(std::string_view key) const override;
  AsyncStatus Read(const std::function<void(const ports::EventRecord&)>& take) override;

 private:
  /// All that one topic holds; its first partition is that of this number.
  AsyncStatus ReadTopic(const std::string& topic, std::size_t first,
                        const std::function<void(const ports::EventRecord&)>& take);

  ClientSettings settings_;
  std::vector<std::string> topics_;
  boost::asio::any_io_executor executor_;
  std::vector<std::size_t> partitions_;  ///< how many each topic has, as Look saw them
};

}  // namespace tollbridge::kafka

#endif  // TOLLBRIDGE_ADAPTERS_KAFKA_EVENT_TOPIC_H_
