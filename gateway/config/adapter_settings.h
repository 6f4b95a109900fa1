#ifndef TOLLBRIDGE_GATEWAY_CONFIG_ADAPTER_SETTINGS_H_
#define TOLLBRIDGE_GATEWAY_CONFIG_ADAPTER_SETTINGS_H_

#include <absl/status/statusor.h>

#include <array>
#include <functional>
#include <memory>
#include <optional>

#include "adapters/payment_service/transport.h"
#include "adapters/redis/connection.h"
#include "adapters/telemetry/tracing.h"
#include "base/http/client.h"
#include "base/net/tls.h"
#include "gateway/config/config.h"
#include "gateway/config/secrets.h"
#include "gateway/config/stores.h"
#include "services/domain/project.h"
#include "services/webhooks/path_tokens.h"

/// What adapters are given, made from the configuration. Each function reads the files that the
/// settings name, and fails with the setting's name.
namespace tollbridge::gateway {

/// Of the clients of the payment service, at payment_service::IndexOf(origin); nullopt for an
/// origin that is not configured.
using OriginOptions = std::array<std::optional<http::ClientOptions>, payment_service::kOrigins>;
absl::StatusOr<OriginOptions> PaymentServiceOptions(const Config& config);

/// Of the connections to a store of this configuration.
absl::StatusOr<redis::ConnectionOptions> RedisOptions(const Config& config, const Store& store,
                                                      const Secrets& secrets);

/// Without an endpoint nothing is exported, and no file read.
absl::StatusOr<telemetry_exporters::TracingSettings> TracesSettings(const Config& config,
                                                                    const Secrets& secrets);

/// Tells the log of TLS files that were exchanged while the process runs, by the setting that names
/// them.
std::function<void(const absl::Status&)> LogReload(std::string setting);

/// nullptr when TLS is off.
absl::StatusOr<std::shared_ptr<const net::TlsContext>> ServerTls(const TlsConfig& tls,
                                                                 const std::string& setting);

/// The projects with their webhook_url: `ingress_url` and the project's first path token, as its
/// file has it at each order. An empty `ingress_url` sets none.
domain::Projects MakeProjects(const Config& config, const Secrets& secrets,
                              const std::string& ingress_url);

/// The path tokens in force for the ingress. `projects` outlives them. INVALID_ARGUMENT, without a
/// token in it, when a file holds one that cannot be used.
absl::StatusOr<webhooks::PathTokens> MakePathTokens(const domain::Projects& projects,
                                                    const Secrets& secrets);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_CONFIG_ADAPTER_SETTINGS_H_
