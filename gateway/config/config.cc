#include "gateway/config/config.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string_view>

#include "base/config/config_schema.h"
#include "base/core/status_macros.h"
#include "gateway/config/payment_service_settings.h"
#include "gateway/config/rpc_settings.h"

namespace tollbridge::gateway {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

using config::Section;

void DescribeServerTls(Section& section, TlsConfig* tls) {
  section.Flag("enabled", &tls->enabled, "Serve TLS");
  section.Text("certificate_file", &tls->certificate_file, "Certificate with its chain, PEM");
  section.Text("private_key_file", &tls->private_key_file, "Key of the certificate, PEM");
}

void DescribeProcess(Section& section, ProcessConfig* process) {
  section.Choice("environment", &process->environment, {"development", "production"},
                 "What is only a warning in development is refused in production");
  section.Text("name", &process->name,
               "Names the process in operations' transitions, log lines and traces, and in the "
               "consumer group with kafka.static_membership; letters, digits, dot, hyphen and "
               "underscore. --name and TOLLBRIDGE_NAME go before it");
  section.TextList("roles", &process->roles,
                   "What the process does, any of rpc, webhooks, events, reconcile");
  section.Number("shards", &process->shards, 1, 128, "Threads that calls live on");
  section.Choice("log_level", &process->log_level, {"debug", "info", "warning", "error"},
                 "Log lines below are not written");
  section.Duration("drain_delay", &process->drain_delay, milliseconds(0), minutes(5),
                   "How long, after SIGTERM, calls and webhooks are still taken while probes say "
                   "that none should come; a second signal ends it");
  section.Duration("grace_period", &process->grace_period, milliseconds(100), minutes(10),
                   "How long work under way may then take to end");
}

void DescribeCaller(Section& section, rpc::CallerGrant& caller) {
  section.Text("identity", &caller.identity,
               "A URI or DNS name in the caller's certificate, or the beginning of a URI with a "
               "star behind a slash at its end, as spiffe://shop.example/*");
  section.TextList("projects", &caller.projects, "Names of projects; * is all");
  section.TextList("permissions", &caller.permissions,
                   "Permissions of methods, as payments.create; payments.* is a group, * is all");
}

void DescribeRpc(Section& section, RpcConfig* rpc) {
  section.Text("listen", &rpc->listen, "HOST:PORT of the gRPC services; port 0 takes a free one");
  Section& tls = section.Sub("tls", "TLS of the gRPC listener");
  DescribeServerTls(tls, &rpc->tls);
  tls.Text("client_ca_file", &rpc->tls.ca_file,
           "Authorities of callers' certificates, PEM: every caller must show one then");
  section.Flag("allow_plaintext_beyond_loopback", &rpc->allow_plaintext_beyond_loopback,
               "Serve without TLS on an address that is not loopback");
  section.Flag("allow_callers_without_certificate", &rpc->allow_callers_without_certificate,
               "Serve TLS without client_ca_file in production: callers have no identity then");
  section.List<rpc::CallerGrant>("callers", &rpc->callers, DescribeCaller,
                                 "Who may do what; several entries of one identity add up");
  section.TextList("local_permissions", &rpc->local_permissions,
                   "What callers without a certificate may do, in all projects; development is "
                   "everything in development and nothing in production");
  section.Number("max_in_flight", &rpc->limit.max_in_flight, 1, 1'000'000,
                 "Calls under way on a shard; more answer RESOURCE_EXHAUSTED");
  section.Number("max_in_flight_per_project", &rpc->limit_project.max_in_flight, 1, 1'000'000,
                 "Of those, calls of one project; more answer RESOURCE_EXHAUSTED");
  section.Number("max_watchers", &rpc->limit.max_watchers, 0, 1'000'000,
                 "WatchOrder streams on a shard, which are no calls under way; more answer "
                 "RESOURCE_EXHAUSTED");
  section.Duration("watch_interval", &rpc->watch_interval, milliseconds(100), hours(1),
                   "How often WatchOrder looks for changes that nobody told it of");
  section.Number("max_request_bytes", &rpc->max_request_bytes, 1024, 64 << 20,
                 "Longer requests are refused by gRPC");
  section.Duration("max_deadline", &rpc->max_deadline, seconds(1), hours(1),
                   "Longer deadlines of callers are cut to this");
}

void DescribeWebhooks(Section& section, WebhooksConfig* webhooks) {
  section.Text("listen", &webhooks->listen, "HOST:PORT of the ingress; port 0 takes a free one");
  DescribeServerTls(section.Sub("tls", "TLS of the ingress"), &webhooks->tls);
  section.Text("public_url", &webhooks->public_url,
               "How the payment service reaches the ingress, e.g. https://hooks.example. Each "
               "project's orders then carry a webhook_url below it; empty sets none");
  webhooks::Describe(section, &webhooks->settings);
}

void DescribeRedis(Section& section, RedisConfig* redis) {
  section.Text("address", &redis->address,
               "HOST:PORT of the primary; not used with sentinels, leave it out then");
  section.TextList("sentinels", &redis->sentinels,
                   "HOST:PORT of each Sentinel, which are asked for the primary's address at every "
                   "connect; empty uses address");
  section.Text("sentinel_master", &redis->sentinel_master,
               "What the Sentinels call the primary; required with sentinels");
  section.Text("sentinel_username", &redis->sentinel_username,
               "ACL user at the Sentinels; empty for their default user");
  section.Text("sentinel_password_file", &redis->sentinel_password_file,
               "File with the password for the Sentinels; empty for none");
  section.Text("username", &redis->username, "ACL user; empty for the default user");
  section.Text("password_file", &redis->password_file, "File with the password; empty for none");
  section.Number("database", &redis->database, 0, 1'000, "Database to SELECT");
  Section& tls = section.Sub("tls", "TLS to Redis and to the Sentinels");
  tls.Flag("enabled", &redis->tls.enabled, "Connect with TLS, host name checked");
  tls.Text("ca_file", &redis->tls.ca_file, "Certificates to trust, PEM; empty trusts the system's");
  tls.Text("certificate_file", &redis->tls.certificate_file, "Client certificate, PEM");
  tls.Text("private_key_file", &redis->tls.private_key_file, "Key of the client certificate, PEM");
  section.Text("key_prefix", &redis->key_prefix, "Begins every key");
  section.Duration("outcomes_kept", &redis->outcomes_kept, minutes(1), hours(24 * 400),
                   "How long closed operations are kept; 100 a second for 72 h are 26 million");
  section.Number("min_replicas", &redis->min_replicas, 0, 16,
                 "Replicas that must have a claim before anything is sent to the payment service");
  section.Duration("replica_timeout", &redis->replica_timeout, milliseconds(1), seconds(10),
                   "How long a claim waits for min_replicas; it fails when they are too late");
  section.Duration("memory_lost_doubt", &redis->memory_lost_doubt, minutes(1), hours(24 * 400),
                   "For how long after Redis lost its memory evidence is read before an unknown "
                   "operation runs; at least as long as callers repeat a key");
  section.Duration("failover_doubt", &redis->failover_doubt, seconds(1), hours(24 * 30),
                   "The same after Redis restarted or failed over: its last writes may be missing");
}

void DescribeKafka(Section& section, KafkaConfig* kafka) {
  section.TextList("brokers", &kafka->brokers, "HOST:PORT of brokers to begin with");
  section.TextList("properties", &kafka->properties,
                   "Further librdkafka properties as name=value, for TLS and SASL; none that is "
                   "secret");
  section.Text("secret_properties_file", &kafka->secret_properties_file,
               "File with further properties, one name=value a line: passwords belong here");
  section.Text("hints_topic", &kafka->hints_topic, "Topic of hints");
  section.Text("events_topic", &kafka->events_topic, "Topic of domain events");
  section.Text("dead_letter_topic", &kafka->dead_letter_topic, "Topic of hints nobody can use");
  section.Text("operations_topic", &kafka->operations_topic,
               "Topic of what became of operations, for audit");
  section.Text("group", &kafka->group, "Consumer group that reads the hints");
  section.Flag("static_membership", &kafka->static_membership,
               "Whether a process of the role events that is back under its process.name within "
               "session_timeout keeps its partitions, and the others are not stopped. Names must "
               "be different and lasting, as those of a stateful set are");
  section.Duration("session_timeout", &kafka->session_timeout, seconds(1), minutes(5),
                   "When the group takes a process that is not heard of for dead and gives its "
                   "partitions to others; brokers refuse less than their "
                   "group.min.session.timeout.ms");
  section.Number("partitions", &kafka->partitions, 1, 10'000,
                 "Partitions of the topics when they are created; never changed afterwards");
  section.Number("replication", &kafka->replication, 1, 32, "Replicas of the topics");
}

void DescribeTraces(Section& section, TracesConfig* traces) {
  section.Text("otlp_endpoint", &traces->otlp_endpoint,
               "OTLP over HTTP, e.g. http://collector.example:4318/v1/traces; empty exports none");
  section.Text("ca_file", &traces->ca_file,
               "Certificates to trust for an https endpoint, PEM; empty trusts the system's");
  section.Text("headers_file", &traces->headers_file,
               "File with headers that the collector asks for, one `name: value` a line; empty for "
               "none");
}

void DescribeOperations(Section& section, OperationsConfig* operations) {
  operations::Describe(section, &operations->settings);
  section.Text("fingerprint_keys_file", &operations->fingerprint_keys_file,
               "Keys of request fingerprints, lines of `<key id> <base64 of 32 bytes>`, current "
               "one first");
  section.Text("outcome_keys_file", &operations->outcome_keys_file,
               "Keys that encrypt stored outcomes, in the same form");
}

void DescribeEvents(Section& section, EventsConfig* events) {
  section.Choice("encoding", &events->encoding, {"protobuf", "json"}, "Of the events' payload");
  section.Choice("customer_data", &events->customer_data, {"none", "full"},
                 "Whether events carry customer, extra and cardholder_name");
  events::Describe(section, &events->settings);
}

void DescribeProject(Section& section, ProjectConfig& project) {
  section.Text("name", &project.name, "What callers name in `project`");
  section.Text("id", &project.id, "Id of the project at the payment service, a UUID");
  section.Flag("test", &project.test, "A test project");
  section.Text("api_key_file", &project.api_key_file,
               "API keys, one a line; the first is used, the others may still be live");
  section.Text("webhook_tokens_file", &project.webhook_tokens_file,
               "Path tokens of the ingress, one a line, 22 characters at least, two at most; the "
               "first goes into webhook_url");
  section.Flag("allow_caller_webhook_url", &project.allow_caller_webhook_url,
               "Whether callers may set webhook_url themselves");
}

void Describe(Section& root, Config* config) {
  DescribeProcess(root.Sub("process", "The process as a whole"), &config->process);
  DescribeRpc(root.Sub("rpc", "gRPC services (role rpc)"), &config->rpc);
  DescribeWebhooks(root.Sub("webhooks", "Webhook ingress (role webhooks)"), &config->webhooks);
  root.Sub("metrics", "Prometheus metrics")
      .Text("listen", &config->metrics.listen, "HOST:PORT of /metrics; port 0 takes a free one");
  DescribeTraces(root.Sub("traces", "Traces"), &config->traces);
  DescribePaymentService(root.Sub("payment_service", "The payment service"),
                         &config->payment_service);
  DescribeRedis(root.Sub("redis", "Redis: operations and snapshots"), &config->redis);
  DescribeKafka(root.Sub("kafka", "Kafka: hints, events and records of operations"),
                &config->kafka);
  DescribeOperations(root.Sub("operations", "Durable operations"), &config->operations);
  DescribeEvents(root.Sub("events", "Hints to domain events (role events)"), &config->events);
  reconcile::Describe(
      root.Sub("reconcile", "Due queue, search sweep and records of operations (role reconcile)"),
      &config->reconcile);
  root.List<ProjectConfig>("projects", &config->projects, DescribeProject,
                           "Projects at the payment service");
}

}  // namespace

bool Config::HasRole(std::string_view role) const {
  return std::find(process.roles.begin(), process.roles.end(), role) != process.roles.end();
}

absl::StatusOr<Config> ParseConfig(std::string_view yaml, const Overrides& overrides) {
  Config config;
  Section root("", "");
  Describe(root, &config);
  TB_RETURN_IF_ERROR(config::ReadYaml(yaml, root));
  if (!overrides.roles.empty()) config.process.roles = overrides.roles;
  if (!overrides.name.empty()) config.process.name = overrides.name;
  if (!overrides.metrics_listen.empty()) config.metrics.listen = overrides.metrics_listen;
  TB_RETURN_IF_ERROR(CheckConfig(config));
  config.events.settings.encoding =
      config.events.encoding == "json" ? events::Encoding::kJson : events::Encoding::kProtobuf;
  config.events.settings.customer_data = config.events.customer_data == "full"
                                             ? events::CustomerData::kFull
                                             : events::CustomerData::kNone;
  config.operations.settings.process_name = config.process.name;
  return config;
}

absl::StatusOr<Config> LoadConfig(const std::string& path, const Overrides& overrides) {
  std::ifstream file(path);
  if (!file) return absl::NotFoundError(absl::StrCat(path, ": cannot be read"));
  std::stringstream text;
  text << file.rdbuf();
  absl::StatusOr<Config> config = ParseConfig(text.str(), overrides);
  if (!config.ok())
    return absl::Status(config.status().code(),
                        absl::StrCat(path, ":\n", config.status().message()));
  return config;
}

std::string PrintConfig(const Config& config) {
  Config copy = config;
  Section root("", "");
  Describe(root, &copy);
  std::string out;
  root.Print(0, false, &out);
  return out;
}

std::string ExampleConfig() {
  Config config;
  config.projects.push_back({.name = "shop",
                             .id = "11111111-1111-4111-8111-111111111111",
                             .api_key_file = "/etc/tollbridge/shop-api-keys",
                             .webhook_tokens_file = "/etc/tollbridge/shop-webhook-tokens"});
  config.rpc.callers.push_back({.identity = "spiffe://shop.example/checkout",
                                .projects = {"shop"},
                                .permissions = {"payments.*", "operations.read"}});
  config.payment_service.extensions = AllExtensions();
  config.operations.fingerprint_keys_file = "/etc/tollbridge/fingerprint-keys";
  config.operations.outcome_keys_file = "/etc/tollbridge/outcome-keys";
  Section root("", "");
  Describe(root, &config);
  std::string out =
      "# Every setting of Tollbridge with its default. Printed by `tollbridge print-config "
      "--example`.\n# Secrets are named by file, and read again when the file changes.\n";
  root.Print(0, true, &out);
  return out;
}

std::string ConfigJsonSchema() {
  Config config;
  Section root("", "");
  Describe(root, &config);
  return config::PrintJsonSchema(root, "Configuration of Tollbridge");
}

}  // namespace tollbridge::gateway
