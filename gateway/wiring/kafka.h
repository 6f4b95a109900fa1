#ifndef TOLLBRIDGE_GATEWAY_WIRING_KAFKA_H_
#define TOLLBRIDGE_GATEWAY_WIRING_KAFKA_H_

#include <absl/status/statusor.h>

#include <atomic>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "adapters/kafka/client.h"
#include "adapters/kafka/topics.h"
#include "base/core/async.h"
#include "base/core/boot_clock.h"
#include "gateway/config/config.h"
#include "gateway/config/secrets.h"
#include "gateway/wiring/topic_gate.h"
#include "services/ports/clock.h"

namespace tollbridge::gateway {

/// Keeps a process's clients of Kafka up with the files that they are made from: certificates, keys
/// and authorities, and kafka.secret_properties_file. librdkafka reads them once, when a client is
/// made, so each client is replaced when one of them changes (ADR 28). Files that cannot be used,
/// and those that no broker accepts, leave the old clients in force and are tried again. Lives on
/// one shard; what comes before Run may be called before that runs.
class KafkaClients {
 public:
  /// Replaces a client by one with these settings; when it fails the old one goes on.
  using RenewClient = std::function<AsyncStatus(kafka::ClientSettings)>;

  /// `config` outlives it. Errors as LoadKafkaProperties and KafkaSettings.
  static absl::StatusOr<std::unique_ptr<KafkaClients>> Create(
      const Config& config, boost::asio::any_io_executor executor);

  /// Before Run: what clients are to be made with.
  const kafka::ClientSettings& settings() const { return settings_; }
  /// Before Run. `name`: for the log.
  void Add(std::string name, RenewClient renew);

  /// Looks at the files each second, until Stop.
  boost::asio::awaitable<void> Run(ports::Clock& clock);
  void Stop() { stopping_ = true; }

  /// Looks at the topics as TopicGate::Look; Run does it again until they are settled. On the
  /// shard.
  AsyncStatus CheckTopics(BootTime deadline) { return topics_.Look(*admin_, deadline); }
  /// For producers: whether the topics are such that something may be written to them.
  std::shared_ptr<const std::atomic<bool>> topics_open() const { return topics_.open(); }

  /// Whether a broker answers, within 800 ms, and the topics may be written to.
  boost::asio::awaitable<bool> Answer();
  /// A client was renewed less than a session ago: the group may not have taken it in again yet. On
  /// the shard.
  bool settling() const { return BootClock::now() < settled_at_; }

 private:
  struct Entry {
    std::string name;
    RenewClient renew;
    std::string made_from;  ///< the files, as FileStamp has them
  };

  KafkaClients(const Config& config, boost::asio::any_io_executor executor)
      : config_(config), executor_(std::move(executor)), topics_(config) {}
  /// Takes settings_ from the files, and notes in seen_ which files these are. UNAVAILABLE when
  /// they change meanwhile.
  absl::Status ReadSettings();
  std::vector<std::string> Files() const;
  boost::asio::awaitable<void> Look();
  /// While the topics are not settled; says in the log why they are refused.
  boost::asio::awaitable<void> LookAtTopics();
  /// Renews those that were made from other files than there are; an exception is a failure too.
  AsyncStatus TryToRenew();
  AsyncStatus RenewAll();
  AsyncStatus RenewAdmin(kafka::ClientSettings settings);

  const Config& config_;
  const boost::asio::any_io_executor executor_;
  kafka::ClientSettings settings_;
  std::unique_ptr<kafka::TopicAdmin> admin_;
  TopicGate topics_;
  BootTime look_at_topics_after_;
  std::string topics_refused_;  ///< what was logged of the last look
  std::vector<Entry> entries_;
  std::string seen_;  ///< the files at the last look, as FileStamp has them
  BootTime try_after_;
  BootTime settled_at_;
  std::string refused_;  ///< what was logged of the last try
  bool stopping_ = false;
};

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_WIRING_KAFKA_H_
