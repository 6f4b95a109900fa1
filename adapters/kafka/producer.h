#ifndef TOLLBRIDGE_ADAPTERS_KAFKA_PRODUCER_H_
#define TOLLBRIDGE_ADAPTERS_KAFKA_PRODUCER_H_

#include <absl/status/statusor.h>

#include <atomic>
#include <boost/asio/any_io_executor.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/kafka/client.h"
#include "adapters/kafka/record_place.h"
#include "base/core/async.h"
#include "base/core/boot_clock.h"

namespace tollbridge::telemetry {
class Metrics;
}

namespace tollbridge::kafka {

/// What a record is for, in the order of telemetry::kProducePurposes.
enum class Purpose : std::uint8_t { kHints, kEvents, kHeartbeats, kOperations, kDeadLetters };

struct ProducerSettings {
  ClientSettings client;
  /// How long a record may lie in librdkafka before it is given up. Longer than the deadlines of
  /// those who produce; short, because a record whose producer has long been told UNAVAILABLE may
  /// still arrive until then.
  std::chrono::milliseconds delivery_timeout{10'000};
  /// How long a record waits for others to travel with. 0: not at all.
  std::chrono::milliseconds linger{0};
  /// While it is false nothing is produced; null: at any time.
  std::shared_ptr<const std::atomic<bool>> open;
  /// Where it is told how long records take and why they fail; outlives the producer. nullptr:
  /// nowhere.
  telemetry::Metrics* metrics = nullptr;
};

/// A header of a record: name, value.
using RecordHeader = std::pair<std::string, std::string>;

/// A record to be produced. What it refers to must live until Produce has ended.
struct OutgoingRecord {
  Purpose purpose{};
  const std::string& topic;
  /// Without data (a default string_view) the record has none.
  std::string_view key;
  std::string_view value;
  std::span<const RecordHeader> headers;
  /// nullopt: that of the key.
  std::optional<std::int32_t> partition = std::nullopt;
};

/// Writes records that all in-sync replicas have to acknowledge (acks=all). One for the whole
/// process, used by all shards, and one of the ingress's own (ADR 20): librdkafka runs one thread
/// per broker and handle, so a handle per shard would multiply threads and connections by the
/// number of shards, while handing a delivery report over to its shard costs microseconds. Reports
/// arrive on the home shard.
///
/// The same key always goes to the same partition, the one that Java's producer would choose
/// (murmur2). Of two records to a partition, one that was produced after the other was acknowledged
/// lies behind it; two that are under way together lie in any order. A record that is sent again,
/// since its acknowledgement was lost, may lie there twice. It is not the idempotent producer,
/// which can call delivered what no broker has (ADR 24).
class Producer {
 public:
  /// `home`: the executor of a shard. INVALID_ARGUMENT as CheckSettings. Connects by itself.
  static absl::StatusOr<std::unique_ptr<Producer>> Create(const ProducerSettings& settings,
                                                          boost::asio::any_io_executor home);
  /// Runs on the home shard, or after the shards have stopped and before they are destroyed. What
  /// was not delivered is given up.
  ~Producer();
  Producer(const Producer&) = delete;
  Producer& operator=(const Producer&) = delete;

  /// Learns in the background who leads the partitions of these topics. Without it the first
  /// record to a topic waits up to a second for that. Any thread; returns at once.
  void Prepare(std::vector<std::string> topics);

  /// Any shard; UNAVAILABLE at once while it is not open. Ends on the shard that awaits it, when
  /// the broker has acknowledged, with the place that the record has. UNAVAILABLE when it has not
  /// by the deadline: the record may still arrive within `delivery_timeout`. INVALID_ARGUMENT when
  /// the broker will never take one so large, FAILED_PRECONDITION when the topic takes no such
  /// records.
  Async<RecordPlace> Produce(OutgoingRecord record, BootTime deadline);

  /// Writes by a new client with these settings as soon as that has found who leads the partitions
  /// of the prepared topics, and until then by the old one, which ends when all that it took over
  /// is reported. Nobody who produces notices. Home shard, one at a time. INVALID_ARGUMENT as
  /// Create, UNAVAILABLE when no broker answered the new client within 5 s: nothing has changed
  /// then.
  AsyncStatus Renew(ClientSettings settings);

  /// Records that somebody awaits at the moment. Any thread.
  std::size_t waiting() const;
  /// Clients that are there: the one in use, and old ones that may still have to report. Home
  /// shard.
  std::size_t clients() const;

 private:
  struct State;
  explicit Producer(std::shared_ptr<State> state);

  std::shared_ptr<State> state_;
};

}  // namespace tollbridge::kafka

#endif  // TOLLBRIDGE_ADAPTERS_KAFKA_PRODUCER_H_
