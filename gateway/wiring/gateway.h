#ifndef TOLLBRIDGE_GATEWAY_WIRING_GATEWAY_H_
#define TOLLBRIDGE_GATEWAY_WIRING_GATEWAY_H_

#include <absl/status/statusor.h>

#include <memory>
#include <string>

#include "gateway/config/callers_file.h"
#include "gateway/config/config.h"
#include "gateway/config/secrets.h"

namespace tollbridge::gateway {

/// Where the process listens, `host:port`; empty where it does not.
struct Addresses {
  std::string grpc;
  std::string webhooks;
  std::string metrics;
};

/// The product, put together and running. Composition is in gateway.cc.
class Gateway {
 public:
  /// Starts all that the configured roles need. Redis, Kafka and the payment service need not be
  /// there yet; a Redis that is there and may not be used is FAILED_PRECONDITION. `callers` has
  /// what `config` has of them.
  static absl::StatusOr<std::unique_ptr<Gateway>> Start(const Config& config, Secrets secrets,
                                                        CallersFile callers);
  /// Stops, if Stop was not called.
  ~Gateway();
  Gateway(const Gateway&) = delete;
  Gateway& operator=(const Gateway&) = delete;

  const Addresses& addresses() const;

  /// Tells probes and health checks that nothing more is to come here, and takes what comes all the
  /// same. Not on a shard.
  void EnterLameDuck();
  /// Takes nothing new, lets what is under way end within the grace period, in an order that loses
  /// no accepted hint and leaves no operation half: calls, operations, webhooks, hints, spans.
  /// Blocks; not on a shard. Whether everything ended in time.
  bool Stop();

 private:
  class Impl;
  explicit Gateway(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_WIRING_GATEWAY_H_
