#include "gateway/config/kafka_settings.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/status_macros.h"
#include "gateway/config/plaintext_check.h"

namespace tollbridge::gateway {
namespace {

bool IsSecret(std::string_view name) {
  for (const std::string_view word : {"password", "secret", "jaas", ".pem", "token"}) {
    if (name.find(word) != std::string_view::npos) return true;
  }
  return false;
}

absl::Status AddProperties(const std::vector<std::string>& lines, const std::string& setting,
                           bool secrets_allowed, kafka::ClientSettings* settings) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::size_t equals = lines[i].find('=');
    if (equals == std::string::npos || equals == 0) {
      return absl::InvalidArgumentError(absl::StrCat(setting, "[", i, "]: must be name=value"));
    }
    const std::string name = lines[i].substr(0, equals);
    if (IsSecret(name) && !secrets_allowed) {
      return absl::InvalidArgumentError(
          absl::StrCat(setting, "[", i, "]: ", name,
                       " is secret; it belongs into kafka.secret_properties_file"));
    }
    if (secrets_allowed && !kafka::IsProperty(name)) {
      // It may be no name at all, but a secret that has an equals sign.
      return absl::InvalidArgumentError(
          absl::StrCat(setting, "[", i, "]: librdkafka has no such property"));
    }
    settings->librdkafka[name] = lines[i].substr(equals + 1);
  }
  return absl::OkStatus();
}

}  // namespace

std::vector<std::pair<std::string, std::string>> KafkaProperties(const Config& config,
                                                                 const Secrets& secrets) {
  std::vector<std::pair<std::string, std::string>> properties;
  for (const auto* lines : {&config.kafka.properties, &secrets.kafka_properties}) {
    for (const std::string& line : *lines) {
      const std::size_t equals = line.find('=');
      if (equals == std::string::npos) continue;
      properties.emplace_back(line.substr(0, equals), line.substr(equals + 1));
    }
  }
  return properties;
}

absl::StatusOr<kafka::ClientSettings> KafkaSettings(const Config& config, const Secrets& secrets) {
  if (config.IsProduction() && config.kafka.replication < kLeastReplicas) {
    return absl::InvalidArgumentError(
        absl::StrCat("kafka.replication: must be at least ", kLeastReplicas,
                     " in production, or events are lost with a broker"));
  }
  kafka::ClientSettings settings;
  settings.bootstrap_servers = absl::StrJoin(config.kafka.brokers, ",");
  TB_RETURN_IF_ERROR(AddProperties(config.kafka.properties, "kafka.properties", false, &settings));
  TB_RETURN_IF_ERROR(
      AddProperties(secrets.kafka_properties, "kafka.secret_properties_file", true, &settings));
  TB_RETURN_IF_ERROR(kafka::CheckSettings(settings));
  if (std::string problem = KafkaPlaintextProblem(config, settings); !problem.empty()) {
    return absl::InvalidArgumentError(problem);
  }
  return settings;
}

}  // namespace tollbridge::gateway
