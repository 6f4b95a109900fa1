#ifndef TOLLBRIDGE_SERVICES_RPC_SERVER_H_
#define TOLLBRIDGE_SERVICES_RPC_SERVER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "base/core/boot_clock.h"
#include "base/core/shard.h"
#include "base/net/address.h"
#include "base/wire/limits.h"
#include "services/ports/clock.h"
#include "services/rpc/dispatcher.h"
#include "services/rpc/drain.h"
#include "services/rpc/method.h"
#include "services/rpc/wire_binding.h"

namespace tollbridge::rpc {

/// PEM files, read again when they change.
struct ServerTls {
  std::string certificate_chain_file;
  std::string private_key_file;
  /// Authorities of callers' certificates. When set, a caller without a certificate of theirs is
  /// refused by the handshake, health and reflection included. Without it nobody is asked for one.
  std::string client_ca_file;
  /// Lists of what these authorities have revoked, one of each of them; empty: none is asked for.
  std::string client_crl_file = {};
  /// As that of net::TlsServerSettings.
  std::function<void(const absl::Status&)> on_reload = {};
};

struct ServerSettings {
  /// Port 0 picks a free one.
  net::Address listen{.host = "127.0.0.1"};
  /// Without it the port is plaintext, which is refused on any address but loopback.
  std::optional<ServerTls> tls;
  /// Allows plaintext on any address, for a port that something else protects.
  bool plaintext_beyond_loopback{};
  /// What anybody who can connect may take, outside of the pipe.
  wire::Limits wire;
  /// grpc.health.v1.Health.Watch of one caller at a time.
  std::int64_t max_health_watchers = 100;
  DeadlineBounds deadlines;
};

/// Names of grpc.health.v1 that follow a dependency (docs/architecture.md#published-services); ""
/// is the process as such.
namespace health {
inline constexpr std::string_view kProcess = "";
inline constexpr std::string_view kMutations = "tollbridge.mutations";
inline constexpr std::string_view kWebhooks = "tollbridge.webhooks";
inline constexpr std::string_view kEvents = "tollbridge.events";
}  // namespace health

/// The gRPC server of the process, on its shards: the published methods, server reflection,
/// grpc.health.v1 (Check and Watch).
class Server {
 public:
  /// Listens. `dispatchers` are one per shard of `shards`, which run already; all arguments by
  /// reference outlive the server. FAILED_PRECONDITION for a mistake in a registration or in the
  /// settings, UNAVAILABLE when the address cannot be had. "" is serving from here on, the other
  /// health names are not until SetServing says so.
  static absl::StatusOr<std::unique_ptr<Server>> Start(const ServerSettings& settings,
                                                       const MethodTable& methods,
                                                       ShardPool& shards,
                                                       std::vector<Dispatcher*> dispatchers,
                                                       Drain& drain, const ports::Clock& clock);
  /// Stops at once, if Stop was not called.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// The port listened on.
  int port() const;
  /// What was refused of connections and requests, and what is open. Any thread; it may outlive the
  /// server.
  std::shared_ptr<const wire::Counts> counts() const;

  /// Any thread. Nothing is serving any more once EnterLameDuck or Stop has begun.
  void SetServing(std::string_view health_name, bool serving);

  /// Looks at the files of TLS, and ends the connections of callers whose certificate is revoked
  /// now. Meant to be called each second. Any thread.
  void LookAtCertificates();

  /// Health says for good that nothing is serving; calls are taken all the same. Any thread.
  void EnterLameDuck();

  /// Ends the service: nothing is serving, callers are told to go elsewhere (GOAWAY), calls that
  /// come now are refused (SHUTTING_DOWN), those on their way finish and are answered, then the
  /// port closes. Calls still not finished at `deadline` end for their callers (UNAVAILABLE); their
  /// coroutines live on until the shards stop.
  /// Whether all finished in time. Blocks; not on a shard. The shards must still run. Idempotent.
  bool Stop(BootTime deadline);

 private:
  class Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace tollbridge::rpc

#endif  // TOLLBRIDGE_SERVICES_RPC_SERVER_H_
