#include "gateway/config/secret_check.h"

#include <sys/stat.h>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gateway/config/kafka_settings.h"
#include "gateway/config/stores.h"

namespace tollbridge::gateway {
namespace {

/// A file of secrets. Those of one purpose may be one file.
struct File {
  std::string purpose;
  std::string setting;
  std::string path;
};

void AddTls(const std::string& section, const TlsConfig& tls, std::vector<File>* files) {
  if (tls.enabled) {
    files->push_back({"key of TLS", section + ".tls.private_key_file", tls.private_key_file});
  }
}

void AddStores(const Config& config, std::vector<File>* files) {
  for (const Store& store : StoresOf(config)) {
    const redis::Settings& settings = *store.settings;
    files->push_back(
        {"password of Redis", store.setting + ".password_file", settings.password_file});
    files->push_back({"password of Redis", store.setting + ".sentinel_password_file",
                      settings.sentinel_password_file});
    if (settings.tls_enabled) {
      files->push_back(
          {"key of TLS", store.setting + ".tls.private_key_file", settings.tls.private_key_file});
    }
  }
}

/// The file of secrets, and those that librdkafka reads by itself.
void AddKafka(const Config& config, const Secrets& secrets, std::vector<File>* files) {
  files->push_back(
      {"properties of Kafka", "kafka.secret_properties_file", config.kafka.secret_properties_file});
  for (const auto& [name, value] : KafkaProperties(config, secrets)) {
    if (name == "ssl.key.location" || name == "ssl.keystore.location") {
      files->push_back({"key of TLS", "kafka.properties " + name, value});
    }
  }
}

/// Of the roles; without the settings that name none.
std::vector<File> FilesOf(const Config& config, const Needs& needs, const Secrets& secrets) {
  std::vector<File> files;
  if (config.HasRole("rpc")) AddTls("rpc", config.rpc.tls, &files);
  if (config.HasRole("webhooks")) AddTls("webhooks", config.webhooks.tls, &files);
  if (needs.operation_keys) {
    files.push_back({"keys of fingerprints", "operations.fingerprint_keys_file",
                     config.operations.fingerprint_keys_file});
    files.push_back(
        {"keys of outcomes", "operations.outcome_keys_file", config.operations.outcome_keys_file});
  }
  for (const ProjectConfig& project : config.projects) {
    const std::string of_project = absl::StrCat(" of project ", project.name);
    if (needs.payment_service) {
      files.push_back({"API keys" + of_project, "api_key_file" + of_project, project.api_key_file});
    }
    if (needs.webhook_tokens) {
      files.push_back(
          {"tokens" + of_project, "webhook_tokens_file" + of_project, project.webhook_tokens_file});
    }
  }
  if (needs.redis) AddStores(config, &files);
  if (needs.kafka) AddKafka(config, secrets, &files);
  if (needs.traces && !config.traces.otlp_endpoint.empty()) {
    files.push_back({"headers of traces", "traces.headers_file", config.traces.headers_file});
  }
  std::erase_if(files, [](const File& file) { return file.path.empty(); });
  return files;
}

void CheckFiles(const std::vector<File>& files, std::vector<std::string>* problems) {
  std::map<std::pair<dev_t, ino_t>, const File*> known;
  for (const File& file : files) {
    struct stat found{};
    // What cannot be read is told by whoever reads it.
    if (stat(file.path.c_str(), &found) != 0) continue;
    if ((found.st_mode & S_IRWXO) != 0) {
      problems->push_back(absl::StrCat(file.setting, ": ", file.path,
                                       " is open to every user of the machine; chmod o= it"));
    }
    const auto [it, is_new] = known.try_emplace({found.st_dev, found.st_ino}, &file);
    if (!is_new && it->second->purpose != file.purpose) {
      problems->push_back(absl::StrCat(file.setting, ": is the file of ", it->second->setting,
                                       " too; each wants secrets of its own"));
    }
  }
}

void CheckApiKeys(const Secrets& secrets, std::vector<std::string>* problems) {
  std::map<std::string, std::string, std::less<>> known;
  for (const auto& [project, file] : secrets.api_keys) {
    const SecretFile::Lines lines = file->Get();
    for (const std::string& line : *lines) {
      const auto [it, is_new] = known.try_emplace(line, project);
      if (is_new || it->second == project) continue;
      problems->push_back(absl::StrCat("api_key_file of project ", project,
                                       ": has an API key of project ", it->second, " too"));
      break;
    }
  }
}

}  // namespace

absl::Status CheckSecretFiles(const Config& config, const Needs& needs, const Secrets& secrets) {
  if (!config.IsProduction()) return absl::OkStatus();
  std::vector<std::string> problems;
  CheckFiles(FilesOf(config, needs, secrets), &problems);
  CheckApiKeys(secrets, &problems);
  if (problems.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrJoin(problems, "\n"));
}

}  // namespace tollbridge::gateway
