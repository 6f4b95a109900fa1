#ifndef TOLLBRIDGE_GATEWAY_CONFIG_CONFIG_H_
#define TOLLBRIDGE_GATEWAY_CONFIG_CONFIG_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "services/events/settings.h"
#include "services/operations/settings.h"
#include "services/reconcile/settings.h"
#include "services/rpc/access.h"
#include "services/rpc/limit.h"
#include "services/rpc/limit_project.h"
#include "services/webhooks/settings.h"

namespace tollbridge::gateway {

using Millis = std::chrono::milliseconds;

/// Certificates of a listener or a client. All files are PEM.
struct TlsConfig {
  bool enabled = false;
  std::string certificate_file;
  std::string private_key_file;
  /// Whose certificates are trusted; of rpc.tls the authorities of callers (client_ca_file).
  std::string ca_file;
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
  std::vector<rpc::CallerGrant> callers;
  /// What callers without a certificate may do; kDevelopmentPermissions may stand among them.
  std::vector<std::string> local_permissions = {std::string(kDevelopmentPermissions)};
  rpc::LimitSettings limit;
  rpc::LimitProjectSettings limit_project;
  Millis watch_interval = std::chrono::seconds(15);
  std::int64_t max_request_bytes = 4 << 20;
  Millis max_deadline = std::chrono::minutes(2);
};

/// In webhooks.public_url, for tests and demonstrations.
inline constexpr std::string_view kBoundAddress = "bound-address";

struct WebhooksConfig {
  std::string listen = "127.0.0.1:7441";
  TlsConfig tls;
  /// What the payment service reaches the listener by; empty sets no webhook_url on orders.
  /// kBoundAddress: where the ingress of this very process listens.
  std::string public_url;
  webhooks::Settings settings;
};

struct MetricsConfig {
  std::string listen = "127.0.0.1:7442";
};

struct TracesConfig {
  std::string otlp_endpoint;
  std::string ca_file;
  std::string headers_file;
};

struct PaymentServiceConfig {
  std::string base_url = "https://payment-service.example";
  /// Empty: there is none, and what needs it is not sent.
  std::string vault_url;
  std::string wallet_token_url;
  std::string ca_file;
  /// Optional endpoints that are on (docs/interface.md#optional-endpoints).
  std::vector<std::string> extensions;
  bool mark_descriptions = true;
  std::int64_t max_connections = 64;
  Millis max_pool_wait = std::chrono::seconds(1);
  Millis connect_timeout = std::chrono::seconds(5);
  std::int64_t max_in_flight = 256;
  std::int64_t read_attempts = 3;
  std::int64_t mutation_attempts = 3;
  std::int64_t retry_budget_percent = 10;
  std::int64_t breaker_failures = 5;
  Millis breaker_open = std::chrono::seconds(10);
  std::int64_t breaker_probes = 1;
  Millis rate_limit_pause = std::chrono::seconds(1);
  Millis rate_limit_longest_pause = std::chrono::minutes(1);
  std::string wallet_a_name = "wallet-a-pay";
  std::string wallet_b_name = "wallet-b-pay";
};

struct RedisConfig {
  static constexpr std::string_view kDefaultAddress = "127.0.0.1:6379";
  /// Not used with `sentinels`, and then refused unless it is the default.
  std::string address = std::string(kDefaultAddress);
  /// HOST:PORT of each Sentinel; empty: the primary is at `address`.
  std::vector<std::string> sentinels;
  std::string sentinel_master;
  std::string sentinel_username;
  std::string sentinel_password_file;
  std::string username;
  std::string password_file;
  std::int64_t database = 0;
  TlsConfig tls;
  std::string key_prefix = "tb:";
  Millis outcomes_kept = std::chrono::hours(72);
  /// Replicas that must have a claim before anything is sent (docs/design/operations.md#rule-13).
  std::int64_t min_replicas = 0;
  Millis replica_timeout{200};
  /// How long the store is doubted (docs/design/operations.md#rule-12).
  Millis memory_lost_doubt = std::chrono::hours(72);
  Millis failover_doubt = std::chrono::hours(1);
};

struct KafkaConfig {
  std::vector<std::string> brokers = {"127.0.0.1:9092"};
  /// librdkafka properties beside those that the product sets, `name=value`. None that is secret.
  std::vector<std::string> properties;
  /// More of them, one a line: those that are secret.
  std::string secret_properties_file;
  std::string hints_topic = "tollbridge.hints.v1";
  std::string events_topic = "tollbridge.events.v1";
  std::string dead_letter_topic = "tollbridge.hints.dlq.v1";
  std::string operations_topic = "tollbridge.operations.v1";
  std::string group = "tollbridge-events";
  bool static_membership = false;
  std::chrono::milliseconds session_timeout = std::chrono::seconds(15);
  std::int64_t partitions = 12;
  std::int64_t replication = 3;
};

struct EventsConfig {
  std::string encoding = "protobuf";
  std::string customer_data = "none";
  events::Settings settings;
};

struct OperationsConfig {
  operations::Settings settings;
  std::string fingerprint_keys_file;
  std::string outcome_keys_file;
};

/// A merchant's project at the payment service.
struct ProjectConfig {
  std::string name;
  std::string id;
  bool test = false;
  std::string api_key_file;
  std::string webhook_tokens_file;
  bool allow_caller_webhook_url = false;
};

/// Every setting of the process, with its default.
struct Config {
  ProcessConfig process;
  RpcConfig rpc;
  WebhooksConfig webhooks;
  MetricsConfig metrics;
  TracesConfig traces;
  PaymentServiceConfig payment_service;
  RedisConfig redis;
  KafkaConfig kafka;
  OperationsConfig operations;
  EventsConfig events;
  reconcile::Settings reconcile;
  std::vector<ProjectConfig> projects;

  bool HasRole(std::string_view role) const;
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
