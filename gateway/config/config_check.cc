#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>

#include "base/core/uuid.h"
#include "gateway/config/config.h"
#include "gateway/config/needs.h"
#include "gateway/config/payment_service_settings.h"
#include "gateway/config/plaintext_check.h"
#include "gateway/config/rpc_settings.h"
#include "gateway/config/stores.h"
#include "gateway/config/topic_specs.h"
#include "services/domain/called_hosts.h"

namespace tollbridge::gateway {
namespace {

/// More often they would be most of what lies on the topics.
constexpr ports::Millis kShortestHeartbeats{100};

/// Whether two listeners of HOST:PORT cannot both have it. Port 0 is a free one.
bool Collide(std::string_view one, std::string_view other) {
  const std::size_t colon = one.rfind(':');
  const std::size_t other_colon = other.rfind(':');
  if (colon == std::string_view::npos || other_colon == std::string_view::npos) return false;
  const std::string_view port = one.substr(colon);
  if (port == ":0" || port != other.substr(other_colon)) return false;
  const auto is_any = [](std::string_view host) { return host == "0.0.0.0" || host == "[::]"; };
  const std::string_view host = one.substr(0, colon);
  const std::string_view other_host = other.substr(0, other_colon);
  return host == other_host || is_any(host) || is_any(other_host);
}

/// That each listener of the roles has an address of its own.
template <typename Add>
void CheckListeners(const Config& config, Add add) {
  std::vector<std::pair<std::string, std::string>> listeners;
  if (config.HasRole("rpc")) listeners.emplace_back("rpc", config.rpc.listen);
  if (config.HasRole("webhooks")) listeners.emplace_back("webhooks", config.webhooks.listen);
  listeners.emplace_back("metrics", config.metrics.listen);
  for (std::size_t i = 0; i < listeners.size(); ++i) {
    for (std::size_t before = 0; before < i; ++before) {
      if (!Collide(listeners[before].second, listeners[i].second)) continue;
      add(absl::StrCat(listeners[i].first, ".listen: is the address of ", listeners[before].first,
                       ".listen too"));
    }
  }
}

bool IsCurrency(std::string_view text) {
  return text.size() == 3 && std::ranges::all_of(text, [](char c) {
           return absl::ascii_isupper(static_cast<unsigned char>(c));
         });
}

template <typename Add>
void CheckMoneyLimits(const std::vector<MoneyLimitConfig>& limits, const std::string& path,
                      Add add) {
  std::set<std::pair<std::string, bool>> seen;
  for (std::size_t i = 0; i < limits.size(); ++i) {
    const MoneyLimitConfig& limit = limits[i];
    const std::string element = absl::StrCat(path, "[", i, "]");
    const bool is_all = limit.currency == "*";
    if (!is_all && !IsCurrency(limit.currency)) {
      add(element + ".currency: must be three capital letters, as EUR, or * for all together");
    }
    if (is_all && limit.amount != 0) {
      add(element + ".amount: goes with one currency; amounts of several do not add up");
    }
    if (limit.amount == 0 && limit.count == 0) add(element + ": limits neither amount nor count");
    if (!seen.emplace(limit.currency, limit.each_caller).second) {
      add(element + ": the same currency is limited twice");
    }
  }
}

/// Without certificates all callers are alike, and none can be another person.
template <typename Add>
void CheckApprovals(const Config& config, Add add) {
  const bool identities = config.rpc.tls.enabled && !config.rpc.tls.ca_file.empty();
  const auto check_identities = [&](const std::string& field) {
    if (identities) return;
    add(field + ": needs rpc.tls.client_ca_file; without certificates nobody is another person");
  };
  if (config.operations.settings.resolve_needs_approval) {
    check_identities("operations.resolve_needs_approval");
  }
  for (std::size_t i = 0; i < config.projects.size(); ++i) {
    const std::vector<ApprovalLimitConfig>& limits = config.projects[i].payout_approvals;
    const std::string path = absl::StrCat("projects[", i, "].limits.payouts_to_confirm");
    if (!limits.empty()) check_identities(path);
    std::set<std::string> seen;
    for (std::size_t k = 0; k < limits.size(); ++k) {
      const std::string element = absl::StrCat(path, "[", k, "]");
      if (limits[k].currency != "*" && !IsCurrency(limits[k].currency)) {
        add(element + ".currency: must be three capital letters, as EUR, or * for all others");
      }
      if (!seen.insert(limits[k].currency).second) {
        add(element + ": the same currency is limited twice");
      }
    }
  }
}

}  // namespace

absl::Status CheckConfig(const Config& config) {
  std::string problems;
  const auto add = [&problems](std::string_view what) {
    absl::StrAppend(&problems, problems.empty() ? "" : "\n", std::string(what));
  };
  for (const std::string& role : config.process.roles) {
    if (std::ranges::find(kRoleNeeds, role, &RoleNeeds::role) == kRoleNeeds.end()) {
      add(absl::StrCat("process.roles: there is no role '", role, "'"));
    }
  }
  if (config.process.roles.empty()) add("process.roles: names no role");
  if (const absl::Status name = CheckProcessName(config.process.name); !name.ok()) {
    add(absl::StrCat("process.name: ", name.message()));
  }
  if (config.webhooks.public_url == kBoundAddress && config.HasRole("rpc") &&
      !config.HasRole("webhooks")) {
    add("webhooks.public_url: bound-address needs the role webhooks in the same process as rpc");
  }
  const Needs needs = NeedsOf(config);
  std::set<std::string> names;
  std::set<Uuid> ids;
  for (std::size_t i = 0; i < config.projects.size(); ++i) {
    const ProjectConfig& project = config.projects[i];
    const std::string path = absl::StrCat("projects[", i, "].");
    if (project.name.empty()) add(path + "name: is required");
    if (!names.insert(project.name).second) add(path + "name: is another project's name too");
    const std::optional<Uuid> id = Uuid::Parse(project.id);
    if (!id) add(path + "id: must be a UUID");
    if (id && !ids.insert(*id).second) add(path + "id: is another project's id too");
    if (project.api_key_file.empty() && needs.payment_service) {
      add(path + "api_key_file: is required");
    }
    if (project.webhook_tokens_file.empty() && !config.webhooks.public_url.empty() &&
        needs.webhook_tokens) {
      add(path + "webhook_tokens_file: is required with webhooks.public_url");
    }
    const auto hosts = domain::CalledHosts::Parse(project.wallet_a_hosts);
    if (!hosts.ok()) add(absl::StrCat(path, "wallet_a_hosts", hosts.status().message()));
  }
  for (std::size_t i = 0; i < config.projects.size(); ++i) {
    const std::string path = absl::StrCat("projects[", i, "].limits.");
    CheckMoneyLimits(config.projects[i].refund_limits, path + "refunds", add);
    CheckMoneyLimits(config.projects[i].payout_limits, path + "payouts", add);
  }
  CheckApprovals(config, add);
  for (const std::string& problem : PaymentServiceProblems(config.payment_service)) add(problem);
  CheckListeners(config, add);
  for (const std::string& problem : StoreProblems(config)) add(problem);
  for (const std::string& problem : TopicProblems(config)) add(problem);
  for (const std::string& problem : RpcProblems(config)) add(problem);
  for (const std::string& problem : PlaintextProblems(config)) add(problem);
  if (config.projects.empty()) add("projects: at least one is required");
  for (const auto& [name, file] :
       {std::pair{"fingerprint_keys_file", &config.operations.fingerprint_keys_file},
        std::pair{"outcome_keys_file", &config.operations.outcome_keys_file}}) {
    if (file->empty() && needs.operation_keys) {
      add(absl::StrCat("operations.", name, ": is required"));
    }
  }
  if (needs.operation_keys && !config.operations.outcome_keys_file.empty() &&
      config.operations.outcome_keys_file == config.operations.fingerprint_keys_file) {
    add("operations.outcome_keys_file: is fingerprint_keys_file too; each wants keys of its own");
  }
  if (config.events.shortest_read_interval > config.events.longest_read_interval) {
    add("events.shortest_read_interval: must not be longer than longest_read_interval");
  }
  if ((config.events.encoding == events::Encoding::kConfluent) != (config.events.schema_id > 0)) {
    add("events.schema_id: goes with the encoding confluent, and that with it");
  }
  if (config.events.max_unknown_reads_per_second > config.events.max_reads_per_second) {
    add("events.max_unknown_reads_per_second: must not be more than max_reads_per_second");
  }
  if (config.events.heartbeat_interval > ports::Millis::zero() &&
      config.events.heartbeat_interval < kShortestHeartbeats) {
    add("events.heartbeat_interval: must be 0s, or 100ms or longer");
  }
  if (const absl::Status s = operations::CheckSettings(config.operations.settings); !s.ok()) {
    add(absl::StrCat("operations: ", s.message()));
  }
  for (const auto& [path, tls] :
       {std::pair{"rpc", &config.rpc.tls}, std::pair{"webhooks", &config.webhooks.tls}}) {
    if (tls->enabled && (tls->certificate_file.empty() || tls->private_key_file.empty())) {
      add(absl::StrCat(path, ".tls: needs certificate_file and private_key_file"));
    }
  }
  return problems.empty() ? absl::OkStatus() : absl::InvalidArgumentError(problems);
}

absl::Status CheckProcessName(std::string_view name) {
  const bool good = !name.empty() && name.size() <= 200 && std::ranges::all_of(name, [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '-' || c == '_';
  });
  return good ? absl::OkStatus()
              : absl::InvalidArgumentError(
                    "must be 1 to 200 letters, digits, dots, hyphens and underscores");
}

}  // namespace tollbridge::gateway
