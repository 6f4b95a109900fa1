#include "gateway/commands/check_command.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <iostream>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/http/client.h"
#include "gateway/commands/run_to_end.h"
#include "gateway/commands/store_command.h"
#include "gateway/commands/topics_command.h"
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

constexpr std::chrono::seconds kReachTimeout{5};

struct Options {
  std::string config;
  /// In place of the configured ones, where there are any: only what they need is checked.
  std::vector<std::string> roles;
  /// Also ask Redis, Kafka and the payment service.
  bool online = false;
  /// One JSON object instead of lines for people.
  bool json = false;
};

/// What was found: errors make the check fail, warnings do not.
struct Findings {
  std::vector<std::string> errors;
  std::vector<std::string> warnings;

  void Add(const absl::Status& status) {
    if (!status.ok()) errors.emplace_back(status.message());
  }
  /// Of a status that tells one thing a line.
  void AddLines(const absl::Status& status) {
    if (status.ok()) return;
    for (const auto& line : std::vector<std::string>(absl::StrSplit(status.message(), '\n'))) {
      errors.emplace_back(line);
    }
  }
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

/// Any answer will do, also a refusal: it shows that the way is open and the certificate good.
void Reach(http::ClientOptions options, Findings* findings) {
  boost::asio::io_context context(1);
  const std::string origin = options.base_url.Origin();
  http::Client client(context.get_executor(), std::move(options));
  const http::SendResult result =
      RunToEnd(context, client.Send({.method = "HEAD", .target = "/"},
                                    {.deadline = BootClock::now() + kReachTimeout}));
  if (result.fate != http::Fate::kAnswered) {
    findings->errors.push_back(absl::StrCat("the payment service cannot be reached at ", origin,
                                            ": ", result.error.message()));
  }
}

void ReachPaymentService(const Config& config, Findings* findings) {
  const absl::StatusOr<OriginOptions> origins = PaymentServiceOptions(config);
  if (!origins.ok()) return;
  // Most often all are one host: what is wrong there is told once.
  std::set<std::string> reached;
  for (const std::optional<http::ClientOptions>& options : *origins) {
    if (options && reached.insert(options->base_url.Origin()).second) Reach(*options, findings);
  }
}

void CheckRedisOnline(const Config& config, const Secrets& secrets, Findings* findings) {
  for (const Store& store : StoresOf(config)) {
    const std::string about = store.name == kOnlyStore
                                  ? "Redis: "
                                  : absl::StrCat("Redis of the store ", store.name, ": ");
    const auto warnings = CheckStore(config, store, secrets);
    if (!warnings.ok()) {
      findings->errors.push_back(about + std::string(warnings.status().message()));
      continue;
    }
    for (const std::string& warning : *warnings) findings->warnings.push_back(about + warning);
  }
}

void CheckKafkaOnline(const Config& config, const Secrets& secrets, Findings* findings) {
  const auto topics = TopicDifferences(config, secrets);
  if (!topics.ok()) {
    findings->errors.push_back(absl::StrCat("Kafka: ", topics.status().message()));
    return;
  }
  for (const std::string& difference : *topics) findings->errors.push_back("Kafka: " + difference);
}

void CheckOnline(const Config& config, const Needs& needs, const Secrets& secrets,
                 Findings* findings) {
  if (needs.redis) CheckRedisOnline(config, secrets, findings);
  if (needs.kafka) CheckKafkaOnline(config, secrets, findings);
  if (needs.payment_service) ReachPaymentService(config, findings);
}

void Print(const Findings& findings, bool json) {
  if (json) {
    boost::json::object answer;
    answer["errors"] = boost::json::array(findings.errors.begin(), findings.errors.end());
    answer["warnings"] = boost::json::array(findings.warnings.begin(), findings.warnings.end());
    std::cout << boost::json::serialize(answer) << "\n";
    return;
  }
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
      findings.Add(CheckSecretFiles(*config, needs, *secrets));
      CheckFiles(*config, needs, *secrets, &findings);
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
  command->add_flag("--online", options->online, "also ask Redis, Kafka and the payment service");
  command->callback([options, action] { *action = [options] { return Run(*options); }; });
}

}  // namespace tollbridge::gateway
