#ifndef TOLLBRIDGE_SANDBOX_KAFKA_BROKER_H_
#define TOLLBRIDGE_SANDBOX_KAFKA_BROKER_H_

#include <absl/status/statusor.h>

#include <memory>
#include <string>
#include <vector>

namespace tollbridge::sandbox {

struct Topic {
  std::string name;
  int partitions = 1;
};

/// A Kafka broker inside this process: librdkafka's mock cluster, which speaks the real protocol to
/// any client, consumer groups included. Loopback only, everything in memory. For demos.
class KafkaBroker {
 public:
  /// INTERNAL when librdkafka refuses.
  static absl::StatusOr<std::unique_ptr<KafkaBroker>> Start(const std::vector<Topic>& topics);
  ~KafkaBroker();
  KafkaBroker(const KafkaBroker&) = delete;
  KafkaBroker& operator=(const KafkaBroker&) = delete;

  /// host:port, comma-separated: a client's bootstrap.servers.
  const std::string& brokers() const { return brokers_; }

 private:
  struct Cluster;
  KafkaBroker(std::unique_ptr<Cluster> cluster, std::string brokers);
  std::unique_ptr<Cluster> cluster_;
  std::string brokers_;
};

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_KAFKA_BROKER_H_
