#include "gateway/config/config.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <string_view>

#include "base/config/config_schema.h"
#include "base/core/status_macros.h"
#include "gateway/config/payment_service_settings.h"
#include "gateway/config/rpc_settings.h"
#include "gateway/config/secret_file.h"
#include "services/rpc/settings.h"

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

void DescribeRpc(Section& section, RpcConfig* rpc) {
  section.Text("listen", &rpc->listen, "HOST:PORT of the gRPC services; port 0 takes a free one");
  Section& tls = section.Sub("tls", "TLS of the gRPC listener");
  DescribeServerTls(tls, &rpc->tls);
  tls.Text("client_ca_file", &rpc->tls.ca_file,
           "Authorities of callers' certificates, PEM: every caller must show one then");
  tls.Text("client_crl_file", &rpc->tls.crl_file,
           "Lists of what these authorities have revoked (CRL), PEM, one of each: who shows such a "
           "certificate is refused, and its open connections end");
  section.Flag("allow_plaintext_beyond_loopback", &rpc->allow_plaintext_beyond_loopback,
               "Serve without TLS on an address that is not loopback");
  section.Flag("allow_callers_without_certificate", &rpc->allow_callers_without_certificate,
               "Serve TLS without client_ca_file in production: callers have no identity then");
  section.Flag("refuse_card_numbers", &rpc->refuse_card_numbers,
               "Refuse requests with what reads as a card number in a text or in data that callers "
               "fill as they like, merchant_order_id among them. Of other numbers of 16 digits one "
               "in 24 reads as one: false for merchants whose order numbers are such");
  section.List<rpc::CallerGrant>(
      "callers", &rpc->callers,
      [](Section& element, rpc::CallerGrant& caller) { rpc::Describe(element, &caller); },
      "Who may do what; several entries of one identity add up. Read again when this file changes");
  section.TextList("local_permissions", &rpc->local_permissions,
                   "What callers without a certificate may do, in all projects; development is "
                   "everything in development and nothing in production. Read again when this "
                   "file changes");
  rpc::Describe(section, &rpc->limit, &rpc->limit_project);
  rpc::Describe(section.Sub("limits_per_caller",
                            "What one caller may take; more answer RESOURCE_EXHAUSTED. All callers "
                            "without a certificate are one"),
                &rpc->limits_per_caller, "no limit");
  payments::Describe(section, &rpc->watch);
  rpc::Describe(section, &rpc->server);
}

void DescribeWebhooks(Section& section, WebhooksConfig* webhooks) {
  section.Text("listen", &webhooks->listen, "HOST:PORT of the ingress; port 0 takes a free one");
  DescribeServerTls(section.Sub("tls", "TLS of the ingress"), &webhooks->tls);
  section.Flag("allow_plaintext_beyond_loopback", &webhooks->allow_plaintext_beyond_loopback,
               "In production: serve without TLS on an address that is not loopback, behind "
               "something that ends TLS; the path tokens are in clear from there on");
  section.Text("public_url", &webhooks->public_url,
               "How the payment service reaches the ingress, e.g. https://hooks.example. Each "
               "project's orders then carry a webhook_url below it; empty sets none");
  webhooks::Describe(section, &webhooks->settings);
}

void DescribeMetrics(Section& section, MetricsConfig* metrics) {
  section.Text("listen", &metrics->listen, "HOST:PORT of /metrics; port 0 takes a free one");
  section.Flag("allow_plaintext_beyond_loopback", &metrics->allow_plaintext_beyond_loopback,
               "In production: serve metrics and probes, which have no TLS, on an address that is "
               "not loopback");
}

void DescribeOperations(Section& section, OperationsConfig* operations) {
  operations::Describe(section, &operations->settings);
  section.Text("fingerprint_keys_file", &operations->fingerprint_keys_file,
               "Keys of request fingerprints, lines of `<key id> <base64 of 32 bytes>`, current "
               "one first; read again when it changes");
  section.Text("outcome_keys_file", &operations->outcome_keys_file,
               "Keys that encrypt stored outcomes, in the same form");
}

/// Of any currency, in its smallest unit.
constexpr std::int64_t kMostMoney = 1'000'000'000'000'000;

void DescribeMoneyLimit(Section& section, MoneyLimitConfig& limit) {
  section.Text("currency", &limit.currency,
               "Of which currency, as EUR; * is all together, and then without an amount");
  section.Number("amount", &limit.amount, 0, kMostMoney,
                 "In a day, in the smallest unit of the currency; 0: as much as anybody likes");
  section.Number("count", &limit.count, 0, kMostMoney,
                 "How many in a day; 0: as many as anybody likes");
  section.Flag("each_caller", &limit.each_caller,
               "Each caller has as much for itself, and not all of them together");
}

void DescribeApprovalLimit(Section& section, ApprovalLimitConfig& limit) {
  section.Text("currency", &limit.currency,
               "Of which currency, as EUR; * is each that has no limit of its own");
  section.Number("amount", &limit.amount, 0, kMostMoney,
                 "In the smallest unit of the currency: more than this has to be confirmed");
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
  section.TextList(
      "wallet_a_hosts", &project.wallet_a_hosts,
      "Hosts that validation_url of CreateWalletASession may be at, since the payment "
      "service calls it: pay.example, *.pay.example for all below it, an address, each "
      "with :PORT where that is not 443; empty: any host name of several labels, at 443");
  section.Text("store", &project.store,
               "Name of the one of stores that keeps it; required with stores");
  section.Text("events_topic", &project.events_topic,
               "Topic of its domain events, so that rights on it can be others; empty: "
               "kafka.events_topic");
  section.Text("test_events_topic", &project.test_events_topic,
               "Topic of those of its test orders; empty: kafka.test_events_topic, else where its "
               "others go");
  Section& limits = section.Sub("limits",
                                "What may go out in a day of Redis' clock, in UTC; more answer "
                                "FAILED_PRECONDITION, and nothing is sent");
  limits.List<MoneyLimitConfig>("refunds", &project.refund_limits, DescribeMoneyLimit,
                                "Of CreateRefund; empty: no limit");
  limits.List<MoneyLimitConfig>("payouts", &project.payout_limits, DescribeMoneyLimit,
                                "Of CreatePayout; empty: no limit");
  limits.List<ApprovalLimitConfig>(
      "payouts_to_confirm", &project.payout_approvals, DescribeApprovalLimit,
      "CreatePayout of more than this sends nothing before another identity confirms it "
      "(ConfirmOperation, permission operations.confirm); empty: none");
}

void DescribeStore(Section& section, StoreConfig& store) {
  section.Text("name", &store.name, "What projects name it by");
  redis::Describe(section, &store.redis);
}

void Describe(Section& root, Config* config) {
  DescribeProcess(root.Sub("process", "The process as a whole"), &config->process);
  DescribeRpc(root.Sub("rpc", "gRPC services (role rpc)"), &config->rpc);
  DescribeWebhooks(root.Sub("webhooks", "Webhook ingress (role webhooks)"), &config->webhooks);
  DescribeMetrics(root.Sub("metrics", "Prometheus metrics and probes"), &config->metrics);
  telemetry_exporters::Describe(root.Sub("traces", "Traces"), &config->traces);
  DescribePaymentService(root.Sub("payment_service", "The payment service"),
                         &config->payment_service);
  redis::Describe(root.Sub("redis", "Redis: operations and snapshots"), &config->redis);
  root.List<StoreConfig>(
      "stores", &config->stores, DescribeStore,
      "In place of the section redis, with its settings: several Redises, of which "
      "each project names one and fails with no other");
  kafka::Describe(root.Sub("kafka", "Kafka: hints, events and records of operations"),
                  &config->kafka);
  DescribeOperations(root.Sub("operations", "Durable operations"), &config->operations);
  events::Describe(root.Sub("events", "Hints to domain events (role events)"), &config->events);
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

bool Config::IsProduction() const { return process.environment == "production"; }

absl::StatusOr<Config> ParseConfig(std::string_view yaml, const Overrides& overrides) {
  Config config;
  Section root("", "");
  Describe(root, &config);
  TB_RETURN_IF_ERROR(config::ReadYaml(yaml, root));
  if (!overrides.roles.empty()) config.process.roles = overrides.roles;
  if (!overrides.name.empty()) config.process.name = overrides.name;
  if (!overrides.metrics_listen.empty()) config.metrics.listen = overrides.metrics_listen;
  TB_RETURN_IF_ERROR(CheckConfig(config));
  config.operations.settings.process_name = config.process.name;
  return config;
}

absl::StatusOr<Config> LoadConfig(const std::string& path, const Overrides& overrides) {
  const absl::StatusOr<std::string> text = ReadFile(path);
  if (!text.ok()) {
    return absl::NotFoundError(absl::StrCat(
        text.status().message(), "; name the configuration with --config or TOLLBRIDGE_CONFIG"));
  }
  absl::StatusOr<Config> config = ParseConfig(*text, overrides);
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
