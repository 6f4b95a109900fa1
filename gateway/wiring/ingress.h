#ifndef TOLLBRIDGE_GATEWAY_WIRING_INGRESS_H_
#define TOLLBRIDGE_GATEWAY_WIRING_INGRESS_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <memory>
#include <string>
#include <vector>

#include "adapters/kafka/producer.h"
#include "base/core/boot_clock.h"
#include "base/core/shard.h"
#include "base/http/server.h"
#include "base/telemetry/metrics.h"
#include "gateway/config/config.h"
#include "gateway/config/secrets.h"
#include "gateway/wiring/kafka.h"
#include "services/domain/project.h"
#include "services/ports/clock.h"
#include "services/ports/hint_log.h"
#include "services/webhooks/ingress.h"

namespace tollbridge::gateway {

/// The role webhooks, on one shard. It holds the path tokens and a producer, and nothing else.
class IngressRole {
 public:
  struct Dependencies {
    const Config& config;
    const domain::Projects& projects;
    const Secrets& secrets;
    telemetry::Metrics& metrics;
    ports::Clock& clock;
  };

  /// Takes the port. Open before the shard runs: nothing is answered until then.
  static absl::StatusOr<std::unique_ptr<IngressRole>> Bind(const Config& config, Shard& shard);
  /// What `dependencies` has outlives the role.
  absl::Status Open(const Dependencies& dependencies, KafkaClients& kafka);

  /// Where it listens, `host:port`.
  const std::string& address() const { return server_->address(); }
  /// Takes the tokens from the files anew when these have changed. On the shard.
  void RotateTokens();
  /// Lets the webhooks under way be answered. Whether they were in time. Not on a shard.
  bool Stop(BootTime deadline);

 private:
  explicit IngressRole(Shard& shard) : shard_(shard) {}
  std::vector<SecretFile::Lines> TokensInFiles() const;

  Shard& shard_;
  const domain::Projects* projects_ = nullptr;
  const Secrets* secrets_ = nullptr;
  std::unique_ptr<kafka::Producer> producer_;
  std::unique_ptr<ports::HintLog> hint_log_;
  std::unique_ptr<webhooks::Ingress> ingress_;
  std::vector<SecretFile::Lines> tokens_in_force_;
  std::unique_ptr<http::Server> server_;
};

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_WIRING_INGRESS_H_
