#ifndef TOLLBRIDGE_TESTS_SUPPORT_KAFKA_CLUSTER_H_
#define TOLLBRIDGE_TESTS_SUPPORT_KAFKA_CLUSTER_H_

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "tests/support/kafka_broker.h"
#include "tests/support/shared_kafka.h"

namespace tollbridge::test {

/// Three real Kafka brokers, each a controller too (KRaft), on free loopback ports: what two of
/// them have is kept when the third goes. Leaders go back to their preferred broker by themselves;
/// one that was not in sync never leads. For one thread, with which they die.
class KafkaCluster {
 public:
  static constexpr std::size_t kBrokers = 3;
  /// How long a broker that is not heard of counts as there.
  static constexpr std::chrono::milliseconds kSession{6'000};

  /// Returns when all serve. Throws std::runtime_error when they cannot be started. The last one's
  /// data lies on a small disk of its own where this process may mount one, in a namespace of its
  /// own: then nothing of it is left when this process ends.
  KafkaCluster();
  /// Kills them and removes their folders.
  ~KafkaCluster();
  KafkaCluster(const KafkaCluster&) = delete;
  KafkaCluster& operator=(const KafkaCluster&) = delete;

  KafkaAddress address() const;
  KafkaBroker& broker(std::size_t which) { return *brokers_.at(which); }
  /// Whether each partition has all its replicas in sync by the limit.
  bool AwaitInSync(std::chrono::milliseconds limit) const;

  /// Of the broker whose disk can be filled; kBrokers where no disk could be mounted.
  std::size_t small_disk() const { return disk_.empty() ? kBrokers : kBrokers - 1; }
  /// Takes all that is left of that disk.
  void FillDisk() const;
  void FreeDisk() const;

 private:
  void MountDisk();
  void StartAll();

  std::string disk_;
  std::array<std::unique_ptr<KafkaBroker>, kBrokers> brokers_;
};

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_KAFKA_CLUSTER_H_
