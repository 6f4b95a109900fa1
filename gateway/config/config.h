#ifndef TOLLBRIDGE_GATEWAY_CONFIG_CONFIG_H_
#define TOLLBRIDGE_GATEWAY_CONFIG_CONFIG_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/kafka/settings.h"
#include "adapters/payment_service/settings.h"
#include "adapters/redis/settings.h"
#include "adapters/telemetry/settings.h"
#include "services/events/settings.h"
#include "services/operations/settings.h"
#include "services/payments/options.h"
#include "services/reconcile/settings.h"
#include "services/rpc/access.h"
#include "services/rpc/limit.h"
#include "services/rpc/limit_caller.h"
#include "services/rpc/limit_project.h"
#include "services/rpc/server.h"
#include "services/webhooks/settings.h"

namespace tollbridge::gateway {

using Millis = std::chrono::milliseconds;

/// Certificates of a listener. All files are PEM.
struct TlsConfig {
  bool enabled = false;
  std::string certificate_file;
  std::string private_key_file;
  /// Of rpc.tls: the authorities of callers (client_ca_file), and the lists of what they have
  /// revoked (client_crl_file).
  std::string ca_file;
  std::string crl_file;
};

struct ProcessConfig {
  /// "development" or "production": what is a warning in the one is refused in the other.
  std::string environment = "production";
  std::string name = "tollbridge";
  std::vector<std::string> roles = {"rpc", "webhooks", "events", "reconcile"};
  std::int64_t shards = 2;
  std::string log_level = "info";
  Millis drain_delay = std::chrono::seconds(10);
  Millis grace_period = std::chrono::seconds(20);
};

/// In rpc.local_permissions: everything in development, nothing in production.
inline constexpr std::string_view kDevelopmentPermissions = "development";

struct RpcConfig {
  std::string listen = "127.0.0.1:7440";
  TlsConfig tls;
  bool allow_plaintext_beyond_loopback = false;
  bool allow_callers_without_certificate = false;
  bool refuse_card_numbers = true;
  std::vector<rpc::CallerGrant> callers;
  /// What callers without a certificate may do; kDevelopmentPermissions may stand among them.
  std::vector<std::string> local_permissions = {std::string(kDevelopmentPermissions)};
  rpc::LimitSettings limit;
  rpc::LimitProjectSettings limit_project;
  rpc::CallerLimits limits_per_caller = rpc::kLimitsPerCaller;
  payments::WatchSettings watch;
  /// Its listener comes from the above.
  rpc::ServerSettings server;
};

/// In webhooks.public_url, for tests and demonstrations.
inline constexpr std::string_view kBoundAddress = "bound-address";

struct WebhooksConfig {
  std::string listen = "127.0.0.1:7441";
  TlsConfig tls;
  bool allow_plaintext_beyond_loopback = false;
  /// What the payment service reaches the listener by; empty sets no webhook_url on orders.
  /// kBoundAddress: where the ingress of this very process listens.
  std::string public_url;
  webhooks::Settings settings;
};

struct MetricsConfig {
  std::string listen = "127.0.0.1:7442";
  bool allow_plaintext_beyond_loopback = false;
};

struct PaymentServiceConfig {
  payment_service::OriginSettings origins;
  /// Optional endpoints that are on (docs/interface.md#optional-endpoints).
  std::vector<std::string> extensions;
  payments::PaymentOptions options;
  payment_service::Settings settings;
};

struct OperationsConfig {
  operations::Settings settings;
  std::string fingerprint_keys_file;
  std::string outcome_keys_file;
};

/// As domain::MoneyLimit.
struct MoneyLimitConfig {
  std::string currency;
  std::int64_t amount = 0;
  std::int64_t count = 0;
  bool each_caller = false;

  bool operator==(const MoneyLimitConfig&) const = default;
};

/// As domain::ApprovalLimit.
struct ApprovalLimitConfig {
  std::string currency;
  std::int64_t amount = 0;

  bool operator==(const ApprovalLimitConfig&) const = default;
};

/// A merchant's project at the payment service.
struct ProjectConfig {
  std::string name;
  std::string id;
  bool test = false;
  std::string api_key_file;
  std::string webhook_tokens_file;
  bool allow_caller_webhook_url = false;
  /// As domain::CalledHosts reads them.
  std::vector<std::string> wallet_a_hosts;
  /// Name of one of Config::stores; empty without them.
  std::string store;
  /// In place of kafka.events_topic and kafka.test_events_topic; empty: those.
  std::string events_topic;
  std::string test_events_topic;
  std::vector<MoneyLimitConfig> refund_limits;
  std::vector<MoneyLimitConfig> payout_limits;
  std::vector<ApprovalLimitConfig> payout_approvals;
};

/// One of several places where projects are kept (stores.h).
struct StoreConfig {
  std::string name;
  redis::Settings redis;
};

/// Every setting of the process. Those of a room are its own structs; what is here is the
/// process's.
struct Config {
  ProcessConfig process;
  RpcConfig rpc;
  WebhooksConfig webhooks;
  MetricsConfig metrics;
  telemetry_exporters::TracingSettings traces;
  PaymentServiceConfig payment_service;
  redis::Settings redis;
  std::vector<StoreConfig> stores;
  kafka::Settings kafka;
  OperationsConfig operations;
  events::Settings events;
  reconcile::Settings reconcile;
  std::vector<ProjectConfig> projects;

  bool HasRole(std::string_view role) const;
  /// What is a warning in development is refused then.
  bool IsProduction() const;
};

/// What differs between processes of one configuration file; empty: as the file says.
struct Overrides {
  /// In place of process.roles. What they do not need is not required.
  std::vector<std::string> roles;
  /// In place of process.name; as CheckProcessName says.
  std::string name;
  /// In place of metrics.listen.
  std::string metrics_listen;
};

/// INVALID_ARGUMENT for what Kafka would not take as the name of a member of a group.
absl::Status CheckProcessName(std::string_view name);

/// What spans settings: INVALID_ARGUMENT lists every problem, one a line.
absl::Status CheckConfig(const Config& config);

/// Reads YAML, and checks as CheckConfig does. INVALID_ARGUMENT lists every problem, one a line,
/// with the line number; an unknown key with the nearest known name. `${NAME}` is not replaced
/// anywhere: secrets come from files.
absl::StatusOr<Config> ParseConfig(std::string_view yaml, const Overrides& overrides = {});

/// Reads the file. NOT_FOUND or PERMISSION_DENIED when it cannot be read.
absl::StatusOr<Config> LoadConfig(const std::string& path, const Overrides& overrides = {});

/// The configuration in force, as YAML that ParseConfig reads. There is nothing secret in it:
/// secrets are named by file only.
std::string PrintConfig(const Config& config);

/// The complete example with every setting, its meaning, bounds and default.
std::string ExampleConfig();

/// What a configuration may say, as a JSON Schema of draft 7, for editors and for what deploys the
/// roles. What spans settings is ParseConfig's alone.
std::string ConfigJsonSchema();

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_CONFIG_CONFIG_H_
