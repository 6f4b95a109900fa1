#include "gateway/wiring/ingress.h"

#include <chrono>
#include <cstddef>
#include <string_view>
#include <utility>

#include "adapters/kafka/hint_log.h"
#include "base/core/status_macros.h"
#include "base/telemetry/log.h"
#include "base/telemetry/metric_definitions.h"
#include "gateway/config/adapter_settings.h"
#include "gateway/config/listen_address.h"
#include "gateway/wiring/shard.h"

namespace tollbridge::gateway {
namespace {

/// Webhooks that come together travel together, which costs half; a sender waits 4 s (ADR 20).
constexpr std::chrono::milliseconds kLinger{5};

}  // namespace

absl::StatusOr<std::unique_ptr<IngressRole>> IngressRole::Bind(const Config& config, Shard& shard) {
  TB_ASSIGN_OR_RETURN(const Address address,
                      ParseAddress(config.webhooks.listen, "webhooks.listen"));
  std::unique_ptr<IngressRole> role(new IngressRole(shard));
  http::ServerOptions options;
  options.host = address.host;
  options.port = address.port;
  options.limits =
      webhooks::IngressLimits(static_cast<std::size_t>(config.webhooks.settings.max_connections));
  TB_ASSIGN_OR_RETURN(options.tls, ServerTls(config.webhooks.tls, "webhooks.tls"));
  options.error_response = [self = role.get()](int status, std::string_view reason) {
    return self->ingress_->Refuse(status, reason);
  };
  options.on_shed = [self = role.get()](std::size_t count) { self->ingress_->CountShed(count); };
  TB_ASSIGN_OR_RETURN(
      role->server_,
      http::Server::Start({shard.executor()}, std::move(options),
                          [self = role.get()](const http::Request& request,
                                              const http::ConnectionInfo& connection) {
                            return self->ingress_->Handle(request, connection);
                          }));
  return role;
}

absl::Status IngressRole::Open(const Dependencies& dependencies, KafkaClients& kafka) {
  projects_ = &dependencies.projects;
  secrets_ = &dependencies.secrets;
  const Config& config = dependencies.config;
  TB_ASSIGN_OR_RETURN(producer_, kafka::Producer::Create({.client = kafka.settings(),
                                                          .linger = kLinger,
                                                          .open = kafka.topics_open(),
                                                          .metrics = &dependencies.metrics},
                                                         shard_.executor()));
  kafka.Add("webhooks", [producer = producer_.get()](kafka::ClientSettings settings) {
    return producer->Renew(std::move(settings));
  });
  for (const std::string_view result : telemetry::kWebhookResults) {
    dependencies.metrics.Get(telemetry::kWebhooks, {result, telemetry::kOtherLabelValue});
    for (const domain::Project& project : projects_->all()) {
      dependencies.metrics.Get(telemetry::kWebhooks, {result, project.name});
    }
  }
  producer_->Prepare({config.kafka.hints_topic});
  hint_log_ = std::make_unique<kafka::KafkaHintLog>(*producer_, config.kafka.hints_topic);
  TB_ASSIGN_OR_RETURN(webhooks::PathTokens tokens, MakePathTokens(*projects_, *secrets_));
  ingress_ = std::make_unique<webhooks::Ingress>(
      webhooks::Ingress::Ports{
          .hint_log = *hint_log_, .clock = dependencies.clock, .metrics = dependencies.metrics},
      std::move(tokens), config.webhooks.settings);
  tokens_in_force_ = TokensInFiles();
  return absl::OkStatus();
}

std::vector<SecretFile::Lines> IngressRole::TokensInFiles() const {
  std::vector<SecretFile::Lines> lines;
  for (const auto& [project, file] : secrets_->webhook_tokens) lines.push_back(file->Get());
  return lines;
}

void IngressRole::RotateTokens() {
  std::vector<SecretFile::Lines> lines = TokensInFiles();
  if (lines == tokens_in_force_) return;
  tokens_in_force_ = std::move(lines);
  absl::StatusOr<webhooks::PathTokens> tokens = MakePathTokens(*projects_, *secrets_);
  if (tokens.ok()) {
    ingress_->ReplaceTokens(*std::move(tokens));
  } else {
    telemetry::Log(telemetry::Severity::kError, "webhook_tokens_refused",
                   {{"reason", std::string(tokens.status().message())}});
  }
}

bool IngressRole::Stop(BootTime deadline) { return RunOn(shard_, server_->Stop(deadline)).ok(); }

}  // namespace tollbridge::gateway
