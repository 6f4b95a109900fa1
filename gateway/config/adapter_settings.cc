#include "gateway/config/adapter_settings.h"

#include <absl/strings/str_cat.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "adapters/system/system_rng.h"
#include "base/core/status_macros.h"
#include "base/core/uuid.h"
#include "base/telemetry/log.h"
#include "base/version/version.h"
#include "gateway/config/listen_address.h"
#include "gateway/config/secret_file.h"
#include "gateway/config/webhook_url.h"

namespace tollbridge::gateway {

namespace {

absl::StatusOr<http::ClientOptions> OptionsOf(const std::string& origin_url,
                                              const std::string& setting, const Config& config) {
  const PaymentServiceConfig& service = config.payment_service;
  http::ClientOptions options = service.settings.client;
  absl::StatusOr<http::Url> url = http::ParseUrl(origin_url);
  if (!url.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("payment_service.", setting, ": ", url.status().message()));
  }
  options.base_url = *std::move(url);
  if (options.base_url.tls) {
    TB_ASSIGN_OR_RETURN(options.tls, net::TlsContext::ForClient(
                                         {.ca_file = service.origins.ca_file,
                                          .on_reload = LogReload("payment_service.ca_file")}));
  } else if (config.IsProduction()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "payment_service.", setting, ": must be https in production (the interface is TLS only)"));
  }
  return options;
}

}  // namespace

std::function<void(const absl::Status&)> LogReload(std::string setting) {
  return [setting = std::move(setting)](const absl::Status& status) {
    if (status.ok()) {
      telemetry::Log(telemetry::Severity::kInfo, "tls_files_changed", {{"setting", setting}});
    } else {
      NoteSecretFileFailure(SecretKind::kTls);
      telemetry::Log(telemetry::Severity::kWarning, "tls_files_refused",
                     {{"setting", setting},
                      {"reason", std::string(status.message())},
                      {"kept", "what was there before"}});
    }
  };
}

absl::StatusOr<OriginOptions> PaymentServiceOptions(const Config& config) {
  using payment_service::IndexOf;
  using payment_service::Origin;
  const payment_service::OriginSettings& service = config.payment_service.origins;
  OriginOptions options;
  TB_ASSIGN_OR_RETURN(options[IndexOf(Origin::kService)],
                      OptionsOf(service.base_url, "base_url", config));
  if (!service.vault_url.empty()) {
    TB_ASSIGN_OR_RETURN(options[IndexOf(Origin::kVault)],
                        OptionsOf(service.vault_url, "vault_url", config));
  }
  if (!service.wallet_token_url.empty()) {
    TB_ASSIGN_OR_RETURN(options[IndexOf(Origin::kWalletTokens)],
                        OptionsOf(service.wallet_token_url, "wallet_token_url", config));
  }
  return options;
}

absl::StatusOr<redis::ConnectionOptions> RedisOptions(const Config& config, const Store& store,
                                                      const Secrets& secrets) {
  const redis::Settings& settings = *store.settings;
  TB_ASSIGN_OR_RETURN(const Address address,
                      ParseAddress(settings.address, store.setting + ".address"));
  redis::ConnectionOptions options = settings.connection;
  options.store = store.name;
  options.host = address.host;
  options.port = address.port;
  options.command_timeout = config.operations.settings.store_timeout;
  options.epoch_key = redis::EpochKey(settings.key_prefix);
  if (settings.tls_enabled) {
    net::TlsClientSettings tls = settings.tls;
    tls.on_reload = LogReload(store.setting + ".tls");
    TB_ASSIGN_OR_RETURN(options.tls, net::TlsContext::ForClient(tls));
  }
  for (const std::string& text : settings.sentinels) {
    TB_ASSIGN_OR_RETURN(const Address sentinel, ParseAddress(text, store.setting + ".sentinels"));
    options.sentinel.sentinels.push_back({.host = sentinel.host, .port = sentinel.port});
  }
  options.sentinel.tls = options.tls;
  const auto found = secrets.stores.find(store.name);
  if (found != secrets.stores.end()) {
    options.password = found->second.password;
    options.sentinel.password = found->second.sentinel_password;
  }
  return options;
}

absl::StatusOr<telemetry_exporters::TracingSettings> TracesSettings(const Config& config,
                                                                    const Secrets& secrets) {
  telemetry_exporters::TracingSettings settings = config.traces;
  settings.service_version = std::string(Version());
  // Replicas may have one name.
  settings.service_instance_id =
      absl::StrCat(config.process.name, "/", system::SystemRng().NewUuid().ToString());
  if (settings.otlp_endpoint.empty()) return settings;
  const absl::StatusOr<http::Url> url = http::ParseUrl(settings.otlp_endpoint);
  if (!url.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("traces.otlp_endpoint: ", url.status().message()));
  }
  if (secrets.trace_headers) {
    settings.otlp_headers = [headers = secrets.trace_headers] { return headers->Get(); };
  }
  if (url->tls) {
    TB_ASSIGN_OR_RETURN(settings.otlp_tls,
                        net::TlsContext::ForClient({.ca_file = settings.ca_file,
                                                    .on_reload = LogReload("traces.ca_file")}));
  }
  return settings;
}

absl::StatusOr<std::shared_ptr<const net::TlsContext>> ServerTls(const TlsConfig& tls,
                                                                 const std::string& setting) {
  if (!tls.enabled) return std::shared_ptr<const net::TlsContext>();
  return net::TlsContext::ForServer({.certificate_chain_file = tls.certificate_file,
                                     .private_key_file = tls.private_key_file,
                                     .on_reload = LogReload(setting)});
}

namespace {

std::vector<domain::MoneyLimit> LimitsOf(const std::vector<MoneyLimitConfig>& limits) {
  std::vector<domain::MoneyLimit> all;
  for (const MoneyLimitConfig& limit : limits) {
    all.push_back({.currency = limit.currency,
                   .amount = limit.amount,
                   .count = limit.count,
                   .each_caller = limit.each_caller});
  }
  return all;
}

}  // namespace

domain::Projects MakeProjects(const Config& config, const Secrets& secrets,
                              const std::string& ingress_url) {
  std::vector<domain::Project> projects;
  for (const ProjectConfig& project : config.projects) {
    domain::Project made;
    made.name = project.name;
    made.id = *Uuid::Parse(project.id);
    made.test = project.test;
    made.allow_caller_webhook_url = project.allow_caller_webhook_url;
    made.wallet_a_hosts = *domain::CalledHosts::Parse(project.wallet_a_hosts);
    made.refund_limits = LimitsOf(project.refund_limits);
    made.payout_limits = LimitsOf(project.payout_limits);
    for (const ApprovalLimitConfig& limit : project.payout_approvals) {
      made.payout_approvals.push_back({.currency = limit.currency, .above = limit.amount});
    }
    const auto tokens = secrets.webhook_tokens.find(project.name);
    if (!ingress_url.empty() && tokens != secrets.webhook_tokens.end()) {
      made.webhook_url = WebhookUrl(project.name, ingress_url, tokens->second);
    }
    projects.push_back(std::move(made));
  }
  return domain::Projects(std::move(projects));
}

absl::StatusOr<webhooks::PathTokens> MakePathTokens(const domain::Projects& projects,
                                                    const Secrets& secrets) {
  std::vector<webhooks::ProjectTokens> tokens;
  for (const domain::Project& project : projects.all()) {
    const auto file = secrets.webhook_tokens.find(project.name);
    if (file == secrets.webhook_tokens.end()) continue;
    tokens.push_back(
        {.project = &project, .tokens = *file->second->Get(), .file = file->second->path()});
  }
  return webhooks::PathTokens::Create(std::move(tokens));
}

}  // namespace tollbridge::gateway
