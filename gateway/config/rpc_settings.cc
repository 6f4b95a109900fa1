#include "gateway/config/rpc_settings.h"

#include <absl/strings/str_cat.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "base/config/config_schema.h"
#include "base/core/status_macros.h"
#include "base/core/text.h"
#include "base/net/tls.h"
#include "gateway/config/adapter_settings.h"
#include "gateway/config/listen_address.h"
#include "gateway/config/published_services.h"
#include "services/rpc/method.h"
#include "tollbridge/operations/v1/operations.pb.h"
#include "tollbridge/payments/v1/payments.pb.h"

namespace tollbridge::gateway {
namespace {

using Names = std::vector<std::string>;

constexpr std::string_view kAll = "*";

bool AsksForCertificates(const Config& config) {
  return config.rpc.tls.enabled && !config.rpc.tls.ca_file.empty();
}

// All permissions that a method asks for.
Names Permissions() {
  // The method table reads descriptors, which the linker would drop with files nobody names.
  google::protobuf::LinkMessageReflection<payments::v1::GetOrderRequest>();
  google::protobuf::LinkMessageReflection<operations::v1::GetOperationRequest>();
  const absl::StatusOr<rpc::MethodTable> methods =
      rpc::MethodTable::Of({kPublishedServices.begin(), kPublishedServices.end()});
  std::set<std::string> names;
  if (methods.ok()) {
    for (const rpc::MethodInfo& method : methods->all()) names.insert(method.permission);
  }
  return {names.begin(), names.end()};
}

// What may stand for permissions: their names, and the groups `payments.*`.
Names PermissionPatterns() {
  const Names permissions = Permissions();
  std::set<std::string> patterns(permissions.begin(), permissions.end());
  for (const std::string& permission : permissions) {
    patterns.insert(absl::StrCat(permission.substr(0, permission.rfind('.')), ".*"));
  }
  return {patterns.begin(), patterns.end()};
}

Names ProjectNames(const Config& config) {
  Names names;
  for (const ProjectConfig& project : config.projects) names.push_back(project.name);
  return names;
}

// A problem for each of `given` that is neither "*" nor known.
void FindUnknown(const std::string& path, std::string_view kind, const Names& given,
                 const Names& known, Names* problems) {
  for (const std::string& name : given) {
    if (name == kAll || std::ranges::find(known, name) != known.end()) continue;
    const std::string nearest = NearestName(name, known);
    problems->push_back(
        absl::StrCat(path, ": there is no ", std::string(kind), " '", name, "'",
                     nearest.empty() ? "" : absl::StrCat("; did you mean '", nearest, "'?")));
  }
}

void CheckCaller(const rpc::CallerGrant& caller, const std::string& path, const Names& projects,
                 const Names& permissions, Names* problems) {
  if (!rpc::IsIdentityPattern(caller.identity)) {
    problems->push_back(absl::StrCat(
        path, ".identity: must be a name in the caller's certificate, as spiffe://shop.example/a, ",
        "or the beginning of one with a star behind a slash at its end, as "
        "spiffe://shop.example/*"));
  }
  if (caller.projects.empty()) problems->push_back(absl::StrCat(path, ".projects: names none"));
  if (caller.permissions.empty()) {
    problems->push_back(absl::StrCat(path, ".permissions: names none"));
  }
  FindUnknown(path + ".projects", "project", caller.projects, projects, problems);
  FindUnknown(path + ".permissions", "permission", caller.permissions, permissions, problems);
}

void CheckTls(const Config& config, Names* problems) {
  const RpcConfig& rpc = config.rpc;
  if (!rpc.tls.ca_file.empty() && !rpc.tls.enabled) {
    problems->push_back("rpc.tls.client_ca_file: is for rpc.tls.enabled: true");
  }
  if (!rpc.tls.crl_file.empty() && !AsksForCertificates(config)) {
    problems->push_back("rpc.tls.client_crl_file: is for rpc.tls.client_ca_file");
  }
  if (rpc.allow_callers_without_certificate && (AsksForCertificates(config) || !rpc.tls.enabled)) {
    problems->push_back("rpc.allow_callers_without_certificate: is for TLS without client_ca_file");
  }
  if (config.IsProduction() && rpc.tls.enabled && rpc.tls.ca_file.empty() &&
      !rpc.allow_callers_without_certificate) {
    problems->push_back(
        "rpc.tls.client_ca_file: is required in production, or nobody knows who calls; "
        "rpc.allow_callers_without_certificate: true says that this is meant");
  }
}

/// Whoever reaches the port would do what they like.
void CheckAnyoneCanCall(const Config& config, Names* problems) {
  if (!config.IsProduction() || !config.HasRole("rpc")) return;
  const absl::StatusOr<Address> listen = ParseAddress(config.rpc.listen, "rpc.listen");
  if (!listen.ok() || listen->is_loopback()) return;
  const rpc::AccessSettings access = RpcAccess(config);
  if (access.certificate_required ||
      std::ranges::find(access.without_certificate, kAll) == access.without_certificate.end()) {
    return;
  }
  problems->push_back(
      "rpc.local_permissions: * beyond loopback lets anyone do anything, which production refuses; "
      "name the permissions, or ask for certificates (rpc.tls.client_ca_file)");
}

}  // namespace

rpc::ServerSettings RpcServerSettings(const Config& config, Address listen) {
  const RpcConfig& rpc = config.rpc;
  rpc::ServerSettings settings = rpc.server;
  settings.listen = std::move(listen);
  if (rpc.tls.enabled) {
    settings.tls = rpc::ServerTls{.certificate_chain_file = rpc.tls.certificate_file,
                                  .private_key_file = rpc.tls.private_key_file,
                                  .client_ca_file = rpc.tls.ca_file,
                                  .client_crl_file = rpc.tls.crl_file,
                                  .on_reload = LogReload("rpc.tls")};
  }
  settings.plaintext_beyond_loopback = rpc.allow_plaintext_beyond_loopback;
  return settings;
}

rpc::AccessSettings RpcAccess(const Config& config) {
  rpc::AccessSettings access;
  access.callers = config.rpc.callers;
  access.certificate_required = AsksForCertificates(config);
  for (const std::string& permission : config.rpc.local_permissions) {
    if (permission != kDevelopmentPermissions) {
      access.without_certificate.push_back(permission);
    } else if (!config.IsProduction()) {
      access.without_certificate.emplace_back(kAll);
    }
  }
  return access;
}

std::vector<std::string> RpcProblems(const Config& config) {
  Names problems;
  CheckTls(config, &problems);
  CheckAnyoneCanCall(config, &problems);
  const Names projects = ProjectNames(config);
  Names permissions = PermissionPatterns();
  for (std::size_t i = 0; i < config.rpc.callers.size(); ++i) {
    CheckCaller(config.rpc.callers[i], absl::StrCat("rpc.callers[", i, "]"), projects, permissions,
                &problems);
  }
  permissions.emplace_back(kDevelopmentPermissions);
  FindUnknown("rpc.local_permissions", "permission", config.rpc.local_permissions, permissions,
              &problems);
  return problems;
}

std::vector<std::string> RpcWarnings(const Config& config) {
  Names warnings;
  if (!config.HasRole("rpc")) return warnings;
  const rpc::AccessSettings access = RpcAccess(config);
  if (access.certificate_required) {
    if (access.callers.empty()) {
      warnings.emplace_back("rpc.callers: names nobody, so every call is refused");
    }
    return warnings;
  }
  if (config.rpc.tls.enabled) {
    warnings.emplace_back(
        "rpc.tls.client_ca_file: is empty, so callers show no certificate and are all alike");
  }
  if (!access.callers.empty()) {
    warnings.emplace_back("rpc.callers: has no effect without rpc.tls.client_ca_file");
  }
  if (config.IsProduction() && !access.without_certificate.empty()) {
    warnings.emplace_back(
        "rpc.local_permissions: anyone who reaches rpc.listen has them, as callers show no "
        "certificate");
  }
  if (access.without_certificate.empty()) {
    warnings.emplace_back(
        "rpc.local_permissions: gives none, so every call is refused: callers without a "
        "certificate have no others");
  }
  return warnings;
}

absl::Status CheckClientCa(const Config& config) {
  if (!AsksForCertificates(config)) return absl::OkStatus();
  const TlsConfig& tls = config.rpc.tls;
  // A client context reads authorities the same way as the listener will.
  TB_RETURN_IF_ERROR(net::TlsContext::ForClient({.ca_file = tls.ca_file}).status());
  if (tls.crl_file.empty()) return absl::OkStatus();
  return net::TlsContext::ForServer(
             {tls.certificate_file, tls.private_key_file, tls.ca_file, tls.crl_file})
      .status();
}

}  // namespace tollbridge::gateway
