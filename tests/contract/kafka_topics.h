#ifndef TOLLBRIDGE_TESTS_CONTRACT_KAFKA_TOPICS_H_
#define TOLLBRIDGE_TESTS_CONTRACT_KAFKA_TOPICS_H_

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adapters/kafka/client.h"
#include "adapters/kafka/event_tail.h"
#include "adapters/kafka/hint_feed.h"
#include "tests/support/kafka_broker.h"

namespace tollbridge::test {

/// The broker of this program alone: its tests stop it, one at a time, and start it again.
KafkaBroker& OwnBroker();
/// How to reach it; started again if a test has left it stopped.
kafka::ClientSettings OwnBrokerSettings();
/// A name that no other test of this program uses.
std::string UniqueName(const std::string& prefix);
/// Creates a topic of one replica on that broker. Throws when it cannot.
void CreateTopic(boost::asio::io_context& context, const std::string& name, int partitions);
/// Deletes a topic. Throws when it cannot.
void DeleteTopic(const std::string& name);
/// Sets an offset of a group that nobody is in, with this as its metadata. Throws when it cannot.
void SetGroupOffset(const std::string& group, const std::string& topic, std::int32_t partition,
                    std::int64_t offset, const std::string& metadata);
struct CommittedPlace {
  std::int64_t offset = 0;
  /// -1: none was committed with it.
  std::int32_t leader_epoch = -1;

  bool operator==(const CommittedPlace&) const = default;
};
/// What a group has, as GroupOffset, with the epoch of its leader.
std::optional<CommittedPlace> CommittedOf(const std::string& group, const std::string& topic,
                                          std::int32_t partition);
/// What a group has; nullopt: nothing. Throws when it cannot be asked.
std::optional<std::int64_t> GroupOffset(const std::string& group, const std::string& topic,
                                        std::int32_t partition);
/// A feed that has begun to join its group at that broker. Throws when it cannot.
std::unique_ptr<kafka::KafkaHintFeed> StartFeed(boost::asio::io_context& context,
                                                kafka::HintFeedSettings settings,
                                                ports::HintFeedObserver& observer);
/// The first `count` records of a topic; throws when they do not come.
std::vector<kafka::TailedRecord> ReadTopic(const std::string& name, std::size_t count);

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_CONTRACT_KAFKA_TOPICS_H_
