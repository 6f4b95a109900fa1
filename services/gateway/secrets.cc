#include "services/gateway/secrets.h"

#include <absl/strings/str_cat.h>

#include <utility>

#include "services/base/status_macros.h"

namespace tollbridge::gateway {
namespace {

absl::Status About(const std::string& setting, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(setting, ": ", status.message()));
}

absl::StatusOr<operations::KeyRing> LoadKeys(const std::string& setting, const std::string& path) {
  const absl::StatusOr<std::string> content = ReadFile(path);
  if (!content.ok()) return About(setting, content.status());
  absl::StatusOr<operations::KeyRing> ring = operations::ParseKeyRing(*content);
  if (!ring.ok()) return About(absl::StrCat(setting, ": ", path), ring.status());
  return ring;
}

}  // namespace

absl::StatusOr<Secrets> LoadSecrets(const Config& config) {
  Secrets secrets;
  operations::OperationKeys keys;
  TB_ASSIGN_OR_RETURN(keys.fingerprints, LoadKeys("operations.fingerprint_keys_file",
                                                  config.operations.fingerprint_keys_file));
  TB_ASSIGN_OR_RETURN(
      keys.outcomes, LoadKeys("operations.outcome_keys_file", config.operations.outcome_keys_file));
  secrets.operation_keys = std::make_shared<const operations::OperationKeys>(std::move(keys));

  for (const ProjectConfig& project : config.projects) {
    auto api_keys = SecretFile::Open(project.api_key_file);
    if (!api_keys.ok()) {
      return About(absl::StrCat("api_key_file of project ", project.name), api_keys.status());
    }
    secrets.api_keys[project.name] = *std::move(api_keys);
    if (project.webhook_tokens_file.empty()) continue;
    auto tokens = SecretFile::Open(project.webhook_tokens_file);
    if (!tokens.ok()) {
      return About(absl::StrCat("webhook_tokens_file of project ", project.name), tokens.status());
    }
    secrets.webhook_tokens[project.name] = *std::move(tokens);
  }

  if (!config.redis.password_file.empty()) {
    auto password = SecretFile::Open(config.redis.password_file);
    if (!password.ok()) return About("redis.password_file", password.status());
    secrets.redis_password = (*password)->Get()->front();
  }
  if (!config.redis.sentinel_password_file.empty()) {
    auto password = SecretFile::Open(config.redis.sentinel_password_file);
    if (!password.ok()) return About("redis.sentinel_password_file", password.status());
    secrets.sentinel_password = (*password)->Get()->front();
  }
  if (!config.kafka.secret_properties_file.empty()) {
    auto properties = SecretFile::Open(config.kafka.secret_properties_file);
    if (!properties.ok()) return About("kafka.secret_properties_file", properties.status());
    secrets.kafka_properties = *(*properties)->Get();
  }
  return secrets;
}

}  // namespace tollbridge::gateway
