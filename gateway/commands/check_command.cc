#include "gateway/commands/check_command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "gateway/commands/check_online.h"
#include "gateway/commands/findings.h"
#include "gateway/config/adapter_settings.h"
#include "gateway/config/config.h"
#include "gateway/config/kafka_settings.h"
#include "gateway/config/listen_address.h"
#include "gateway/config/needs.h"
#include "gateway/config/rpc_settings.h"
#include "gateway/config/secret_check.h"
#include "gateway/config/secrets.h"
#include "gateway/config/stores.h"

namespace tollbridge::gateway {
namespace {

struct Options {
  std::string config;
  /// In place of the configured ones, where there are any: only what they need is checked.
  std::vector<std::string> roles;
  /// Also ask Redis, Kafka and the payment service.
  bool online = false;
  /// One JSON object instead of lines for people.
  bool json = false;
};

void CheckAddresses(const Config& config, const Needs& needs, Findings* findings) {
  if (config.HasRole("rpc")) findings->Add(ParseAddress(config.rpc.listen, "rpc.listen").status());
  if (config.HasRole("webhooks")) {
    findings->Add(ParseAddress(config.webhooks.listen, "webhooks.listen").status());
  }
  findings->Add(ParseAddress(config.metrics.listen, "metrics.listen").status());
  if (needs.redis) {
    for (const Store& store : StoresOf(config)) {
      findings->Add(ParseAddress(store.settings->address, store.setting + ".address").status());
    }
  }
}

void CheckFiles(const Config& config, const Needs& needs, const Secrets& secrets,
                Findings* findings) {
  if (config.HasRole("rpc")) {
    findings->Add(ServerTls(config.rpc.tls, "rpc.tls").status());
    findings->Add(CheckClientCa(config));
  }
  if (config.HasRole("webhooks")) {
    findings->Add(ServerTls(config.webhooks.tls, "webhooks.tls").status());
  }
  findings->Add(TracesSettings(config, secrets).status());
  if (needs.payment_service) findings->Add(PaymentServiceOptions(config).status());
  if (needs.redis) {
    for (const Store& store : StoresOf(config)) {
      findings->Add(RedisOptions(config, store, secrets).status());
    }
  }
  if (needs.kafka) findings->Add(KafkaSettings(config, secrets).status());
  if (needs.webhook_tokens) {
    findings->Add(MakePathTokens(MakeProjects(config, secrets, ""), secrets).status());
  }
}

void Print(const Findings& findings, bool json) {
  if (json) {
    boost::json::object answer;
    answer["errors"] = boost::json::array(findings.errors.begin(), findings.errors.end());
    answer["warnings"] = boost::json::array(findings.warnings.begin(), findings.warnings.end());
    answer["good"] = boost::json::array(findings.well.begin(), findings.well.end());
    std::cout << boost::json::serialize(answer) << "\n";
    return;
  }
  for (const std::string& well : findings.well) std::cout << "good: " << well << "\n";
  for (const std::string& error : findings.errors) std::cout << "error: " << error << "\n";
  for (const std::string& warning : findings.warnings) std::cout << "warning: " << warning << "\n";
  if (findings.errors.empty()) std::cout << "the configuration is good\n";
}

int Run(const Options& options) {
  Findings findings;
  const absl::StatusOr<Config> config = LoadConfig(options.config, {.roles = options.roles});
  findings.Add(config.status());
  if (config.ok()) {
    const Needs needs = NeedsOf(*config);
    CheckAddresses(*config, needs, &findings);
    if (config->HasRole("rpc")) findings.warnings = RpcWarnings(*config);
    if (config->HasRole("webhooks") &&
        std::ranges::all_of(config->projects, [](const ProjectConfig& project) {
          return project.webhook_tokens_file.empty();
        })) {
      findings.warnings.emplace_back(
          "no project has a webhook_tokens_file: the role webhooks answers 404 to every webhook");
    }
    const absl::StatusOr<Secrets> secrets = LoadSecrets(*config, needs);
    findings.AddLines(secrets.status());
    if (secrets.ok()) {
      findings.AddLines(CheckSecretFiles(*config, needs, *secrets));
      CheckFiles(*config, needs, *secrets, &findings);
      CheckCertificateEnds(*config, *secrets, &findings);
      if (options.online && findings.errors.empty()) {
        CheckOnline(*config, needs, *secrets, &findings);
      }
    }
  }
  Print(findings, options.json);
  return findings.errors.empty() ? 0 : kFailed;
}

}  // namespace

void AddCheckConfig(CLI::App& app, Action* action) {
  CLI::App* command =
      app.add_subcommand("check-config", "check the configuration and the files it names");
  const auto options = std::make_shared<Options>();
  AddConfigOption(command, &options->config);
  AddJsonOption(command, &options->json);
  AddRoleOption(command, &options->roles,
                "check what these roles need, instead of the configured ones");
  command->add_flag("--online", options->online,
                    "also ask Redis, Kafka and the payment service, and try the API keys");
  command->callback([options, action] { *action = [options] { return Run(*options); }; });
}

}  // namespace tollbridge::gateway
