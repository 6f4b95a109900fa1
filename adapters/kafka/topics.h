#ifndef TOLLBRIDGE_ADAPTERS_KAFKA_TOPICS_H_
#define TOLLBRIDGE_ADAPTERS_KAFKA_TOPICS_H_

#include <absl/status/statusor.h>

#include <boost/asio/any_io_executor.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adapters/kafka/client.h"
#include "base/core/async.h"
#include "base/core/boot_clock.h"

namespace tollbridge::kafka {

/// How a topic is to be (docs/design/events.md#events). Always: unclean leader election off;
/// records go by time alone, never by key (compaction would leave the last event of a family only);
/// records of 1 MiB.
struct TopicSpec {
  std::string name;
  /// Never changed in place: a key would move to another partition, and order be lost.
  int partitions{};
  int replication{};          ///< when checked: at least
  int min_insync_replicas{};  ///< when checked: at least
  /// How long records are kept. nullopt: what the cluster says. When checked: at least; a negative
  /// value on the topic means for ever.
  std::optional<std::chrono::milliseconds> retention;

  bool operator==(const TopicSpec&) const = default;
};

/// Where a topic is not as it should be.
struct TopicDifference {
  std::string topic;
  std::string property;  ///< "exists", "partitions", "replication", or the topic config's name
  std::string wanted;
  std::string found;

  bool operator==(const TopicDifference&) const = default;
};

/// Whether, with this difference, records that were acknowledged can be lost, or some would never
/// be taken. Not of a topic that is not there: nothing is acknowledged.
bool WouldLose(const TopicDifference& difference);

/// Creates and checks topics, for the command line, `check-config --online` and health. Nothing of
/// it blocks a shard: the admin API answers through a queue, Ping asks on a helper thread. Has a
/// librdkafka handle of its own. Lives on one shard: made, used and destroyed there, or while its
/// thread is stopped.
///
/// Errors of all calls: UNAVAILABLE when no broker answered by the deadline; PERMISSION_DENIED when
/// it does not let us; INTERNAL for any other refusal, with the broker's text.
class TopicAdmin {
 public:
  /// INVALID_ARGUMENT as CheckSettings.
  static absl::StatusOr<std::unique_ptr<TopicAdmin>> Create(const ClientSettings& settings,
                                                            boost::asio::any_io_executor executor);
  ~TopicAdmin();
  TopicAdmin(const TopicAdmin&) = delete;
  TopicAdmin& operator=(const TopicAdmin&) = delete;

  /// Creates those that are not there, and leaves the others as they are. Ends when records can be
  /// written to what it created, as AwaitLeaders. The names of those it created.
  Async<std::vector<std::string>> CreateTopics(std::vector<TopicSpec> specs, BootTime deadline);
  /// Ends when records can be written to all partitions: a topic is there before the brokers that
  /// lead it know of it. UNAVAILABLE when that is not so by the deadline.
  AsyncStatus AwaitLeaders(std::vector<TopicSpec> specs, BootTime deadline);
  /// Compares what is there with what should be. Empty: all is well. UNIMPLEMENTED at the
  /// sandbox's broker, which cannot tell.
  Async<std::vector<TopicDifference>> CheckTopics(std::vector<TopicSpec> specs, BootTime deadline);
  /// OK when a broker answers. For health.
  AsyncStatus Ping(BootTime deadline);

 private:
  struct State;
  explicit TopicAdmin(std::shared_ptr<State> state);

  std::shared_ptr<State> state_;
};

}  // namespace tollbridge::kafka

#endif  // TOLLBRIDGE_ADAPTERS_KAFKA_TOPICS_H_
