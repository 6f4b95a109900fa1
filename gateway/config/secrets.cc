#include "gateway/config/secrets.h"

#include <absl/strings/str_cat.h>

#include <cstddef>
#include <string_view>
#include <utility>

#include "base/core/status_macros.h"
#include "gateway/config/stores.h"

namespace tollbridge::gateway {
namespace {

absl::Status About(const std::string& setting, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(setting, ": ", status.message()));
}

absl::StatusOr<std::shared_ptr<SecretFile>> OpenFile(const std::string& setting,
                                                     const std::string& path) {
  absl::StatusOr<std::shared_ptr<SecretFile>> file = SecretFile::Open(path);
  if (!file.ok()) return About(setting, file.status());
  return file;
}

/// Empty where no file is named.
absl::StatusOr<std::string> ReadPassword(const std::string& setting, const std::string& path) {
  if (path.empty()) return std::string();
  TB_ASSIGN_OR_RETURN(const auto file, OpenFile(setting, path));
  return file->Get()->front();
}

/// None where no file is named. What is wrong is told by the number of its line.
absl::StatusOr<http::Headers> LoadTraceHeaders(const Config& config) {
  http::Headers headers;
  const std::string& path = config.traces.headers_file;
  if (path.empty()) return headers;
  TB_ASSIGN_OR_RETURN(const auto file, OpenFile("traces.headers_file", path));
  const SecretFile::Lines lines = file->Get();
  for (std::size_t i = 0; i < lines->size(); ++i) {
    const std::string& line = (*lines)[i];
    const std::size_t colon = line.find(':');
    const std::size_t value = line.find_first_not_of(" \t", colon + 1);
    if (colon == std::string::npos || value == std::string::npos ||
        !http::CanBeSent({.name = line.substr(0, colon), .value = line.substr(value)})) {
      return absl::InvalidArgumentError(absl::StrCat(
          "traces.headers_file[", i, "]: is no header `name: value` that can be sent"));
    }
    headers.Add(std::string_view(line).substr(0, colon), std::string_view(line).substr(value));
  }
  return headers;
}

}  // namespace

absl::StatusOr<std::vector<std::string>> LoadKafkaProperties(const Config& config) {
  const std::string& path = config.kafka.secret_properties_file;
  if (path.empty()) return std::vector<std::string>();
  TB_ASSIGN_OR_RETURN(const auto file, OpenFile("kafka.secret_properties_file", path));
  return *file->Get();
}

absl::StatusOr<Secrets> LoadSecrets(const Config& config, const Needs& needs) {
  Secrets secrets;
  if (needs.operation_keys) {
    TB_ASSIGN_OR_RETURN(secrets.operation_keys,
                        KeyFiles::Open({.fingerprints = config.operations.fingerprint_keys_file,
                                        .outcomes = config.operations.outcome_keys_file}));
  }
  for (const ProjectConfig& project : config.projects) {
    const std::string of_project = absl::StrCat(" of project ", project.name);
    if (needs.payment_service) {
      TB_ASSIGN_OR_RETURN(secrets.api_keys[project.name],
                          OpenFile("api_key_file" + of_project, project.api_key_file));
    }
    if (needs.webhook_tokens && !project.webhook_tokens_file.empty()) {
      TB_ASSIGN_OR_RETURN(
          secrets.webhook_tokens[project.name],
          OpenFile("webhook_tokens_file" + of_project, project.webhook_tokens_file));
    }
  }
  if (needs.redis) {
    for (const Store& store : StoresOf(config)) {
      StoreSecrets& of_store = secrets.stores[store.name];
      TB_ASSIGN_OR_RETURN(of_store.password, ReadPassword(store.setting + ".password_file",
                                                          store.settings->password_file));
      TB_ASSIGN_OR_RETURN(of_store.sentinel_password,
                          ReadPassword(store.setting + ".sentinel_password_file",
                                       store.settings->sentinel_password_file));
    }
  }
  if (needs.kafka) {
    TB_ASSIGN_OR_RETURN(secrets.kafka_properties, LoadKafkaProperties(config));
  }
  if (needs.traces && !config.traces.otlp_endpoint.empty()) {
    TB_ASSIGN_OR_RETURN(secrets.trace_headers, LoadTraceHeaders(config));
  }
  return secrets;
}

}  // namespace tollbridge::gateway
