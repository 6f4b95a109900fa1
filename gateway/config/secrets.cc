#include "gateway/config/secrets.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

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

/// The first line of the file, as it is now; empty where no file is named.
absl::StatusOr<LiveText> OpenPassword(const std::string& setting, const std::string& path) {
  if (path.empty()) return LiveText();
  TB_ASSIGN_OR_RETURN(const auto file, OpenFile(setting, path));
  return LiveText([file] { return file->Get()->front(); });
}

/// Null where no file is named.
absl::StatusOr<std::shared_ptr<TraceHeaders>> OpenTraceHeaders(const Config& config) {
  const std::string& path = config.traces.headers_file;
  if (path.empty()) return nullptr;
  absl::StatusOr<std::shared_ptr<TraceHeaders>> headers = TraceHeaders::Open(path);
  if (!headers.ok()) {
    const std::string problem(headers.status().message());
    // What is wrong with a line begins with its number.
    return absl::Status(
        headers.status().code(),
        "traces.headers_file" + std::string(problem.starts_with("[") ? "" : ": ") + problem);
  }
  return headers;
}

/// What is wrong with files, each with a line of its own: who mends them wants to see all at once.
class Problems {
 public:
  template <typename T>
  void Take(absl::StatusOr<T> read, T* into) {
    if (read.ok()) {
      *into = *std::move(read);
      return;
    }
    if (code_ == absl::StatusCode::kOk) code_ = read.status().code();
    lines_.emplace_back(read.status().message());
  }
  /// With the code of the first.
  absl::Status Status() const { return absl::Status(code_, absl::StrJoin(lines_, "\n")); }

 private:
  absl::StatusCode code_ = absl::StatusCode::kOk;
  std::vector<std::string> lines_;
};

}  // namespace

void Secrets::Look() const {
  if (operation_keys) operation_keys->Get();
  for (const auto& [project, file] : api_keys) file->Get();
  for (const auto& [project, file] : webhook_tokens) file->Get();
  if (trace_headers) trace_headers->Get();
  for (const auto& [store, of_store] : stores) {
    of_store.password.Get();
    of_store.sentinel_password.Get();
  }
}

absl::StatusOr<std::vector<std::string>> LoadKafkaProperties(const Config& config) {
  const std::string& path = config.kafka.secret_properties_file;
  if (path.empty()) return std::vector<std::string>();
  TB_ASSIGN_OR_RETURN(const auto file, OpenFile("kafka.secret_properties_file", path));
  return *file->Get();
}

absl::StatusOr<Secrets> LoadSecrets(const Config& config, const Needs& needs) {
  Secrets secrets;
  Problems problems;
  if (needs.operation_keys) {
    problems.Take(KeyFiles::Open({.fingerprints = config.operations.fingerprint_keys_file,
                                  .outcomes = config.operations.outcome_keys_file}),
                  &secrets.operation_keys);
  }
  for (const ProjectConfig& project : config.projects) {
    const std::string of_project = absl::StrCat(" of project ", project.name);
    if (needs.payment_service) {
      problems.Take(OpenFile("api_key_file" + of_project, project.api_key_file),
                    &secrets.api_keys[project.name]);
    }
    if (needs.webhook_tokens && !project.webhook_tokens_file.empty()) {
      problems.Take(OpenFile("webhook_tokens_file" + of_project, project.webhook_tokens_file),
                    &secrets.webhook_tokens[project.name]);
    }
  }
  if (needs.redis) {
    for (const Store& store : StoresOf(config)) {
      StoreSecrets& of_store = secrets.stores[store.name];
      problems.Take(OpenPassword(store.setting + ".password_file", store.settings->password_file),
                    &of_store.password);
      problems.Take(OpenPassword(store.setting + ".sentinel_password_file",
                                 store.settings->sentinel_password_file),
                    &of_store.sentinel_password);
    }
  }
  if (needs.kafka) problems.Take(LoadKafkaProperties(config), &secrets.kafka_properties);
  if (needs.traces && !config.traces.otlp_endpoint.empty()) {
    problems.Take(OpenTraceHeaders(config), &secrets.trace_headers);
  }
  TB_RETURN_IF_ERROR(problems.Status());
  return secrets;
}

}  // namespace tollbridge::gateway
