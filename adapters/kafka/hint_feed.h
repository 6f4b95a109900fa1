#ifndef TOLLBRIDGE_ADAPTERS_KAFKA_HINT_FEED_H_
#define TOLLBRIDGE_ADAPTERS_KAFKA_HINT_FEED_H_

#include <absl/status/statusor.h>

#include <boost/asio/any_io_executor.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "adapters/kafka/client.h"
#include "services/ports/hint_log.h"

namespace tollbridge::telemetry {
class Metrics;
}

namespace tollbridge::kafka {

struct HintFeedSettings {
  ClientSettings client;
  std::string topic;
  std::string group;
  /// A lasting name of this consumer, which no other of the group has. With one, the group keeps
  /// its partitions for it over a restart, until session_timeout, and the others go on undisturbed;
  /// Stop does not give them away then. Two consumers of one name end the older one for good.
  /// Empty: none.
  std::string instance_id;
  /// When the group takes a process that is not heard of for dead.
  std::chrono::milliseconds session_timeout{};
  /// How long the group waits for a member that takes no part when partitions are shared out anew
  /// (docs/adr/0062-nobody-holds-a-group-up.md); never less than session_timeout. The longest of
  /// its members counts. One that is stopped for longer loses its partitions.
  std::chrono::milliseconds rebalance_timeout{30'000};
  /// How long Stop may take when the brokers do not answer.
  std::chrono::milliseconds stop_limit{3'000};
  /// Where it is told which share the feed has and how far it is behind; outlives the feed, and
  /// collects on its shard. nullptr: nowhere.
  telemetry::Metrics* metrics = nullptr;
};

/// The consumer of the hints topic, as ports::HintFeed says. Assignor `range`; stored offsets are
/// committed every second, when partitions are taken away, and by Stop, each with its note as the
/// commit's metadata, which is asked for before the partitions are read; a group without offsets
/// starts at the oldest hint. A process that dies is noticed by the group after session_timeout.
///
/// Two queues: what the group does is always handled at once, whoever calls Next() or not; records
/// wait in librdkafka (some 1000 a partition, 4 MiB in all) until Next() takes them. Taking a
/// partition away drops its waiting records.
///
/// Where the topic has gone, or a partition that is ours, it comes back by a new client, as by
/// Renew, and commits nothing of the old one: the topic may be another now.
///
/// Next() answers UNAVAILABLE once per outage, not in a loop: after that it waits for records.
/// Stop() calls the observer's OnRevoked for what is left.
///
/// Lives on one shard: made, used and destroyed there, or while its thread is stopped. librdkafka
/// calls made here wait for its own main thread, which never waits for the network: microseconds.
class KafkaHintFeed final : public ports::HintFeed {
 public:
  /// `executor`: of the shard. INVALID_ARGUMENT as CheckSettings.
  static absl::StatusOr<std::unique_ptr<KafkaHintFeed>> Create(
      const HintFeedSettings& settings, boost::asio::any_io_executor executor);
  /// Without Stop() first, as if the process died: nothing is committed, the group notices later.
  ~KafkaHintFeed() override;

  absl::Status Start(ports::HintFeedObserver* observer) override;
  Async<std::vector<ports::HintRecord>> Next() override;
  void StoreOffset(std::int32_t partition, std::int64_t next_offset, std::string note) override;
  bool Owns(std::int32_t partition) const override;
  void Pause(std::int32_t partition) override;
  void Resume(std::int32_t partition) override;
  AsyncStatus Stop() override;

  /// Leaves the group, with what is stored committed, and comes back by a new client with these
  /// settings: Next() goes on with it, and the observer hears of a revocation. With an instance_id
  /// the others of the group notice nothing. After Start, one at a time; ends when the new client
  /// has begun to join. INVALID_ARGUMENT as CheckSettings, UNAVAILABLE when no broker answers the
  /// new client within 5 s, FAILED_PRECONDITION when a newer consumer has the name: nothing has
  /// changed then. CANCELLED when the feed was stopped meanwhile.
  AsyncStatus Renew(ClientSettings settings);

  /// The group has given this consumer its share of the partitions, be it none. Not so while the
  /// group shares them out anew.
  bool member() const;

 private:
  struct State;
  explicit KafkaHintFeed(std::shared_ptr<State> state);

  std::shared_ptr<State> state_;
};

}  // namespace tollbridge::kafka

#endif  // TOLLBRIDGE_ADAPTERS_KAFKA_HINT_FEED_H_
