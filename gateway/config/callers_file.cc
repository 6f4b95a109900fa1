#include "gateway/config/callers_file.h"

#include <absl/status/statusor.h>

#include <utility>

#include "base/core/file_stamp.h"
#include "base/telemetry/log.h"
#include "gateway/config/rpc_settings.h"
#include "gateway/config/secret_file.h"

namespace tollbridge::gateway {

namespace {

CallersFile::Callers CallersOf(const Config& config) {
  rpc::AccessSettings access = RpcAccess(config);
  return {.named = std::move(access.callers),
          .without_certificate = std::move(access.without_certificate)};
}

}  // namespace

CallersFile::CallersFile(std::string path, Overrides overrides, const Config& config)
    : path_(std::move(path)), overrides_(std::move(overrides)), callers_(CallersOf(config)) {}

std::optional<CallersFile::Callers> CallersFile::Look() {
  FileStamp stamp = StampOf({path_});
  if (!stamp.blocking.empty()) return std::nullopt;
  if (stamp.text != seen_) {
    seen_ = std::move(stamp.text);
    read_ = false;
    return std::nullopt;
  }
  if (read_) return std::nullopt;
  absl::StatusOr<Config> config = LoadConfig(path_, overrides_);
  read_ = config.ok();
  NoteRefusal(config.status());
  if (!config.ok()) return std::nullopt;
  Callers callers = CallersOf(*config);
  if (callers == callers_) return std::nullopt;
  callers_ = std::move(callers);
  telemetry::Log(telemetry::Severity::kInfo, "callers_changed",
                 {{"path", path_},
                  {"entries", callers_.named.size()},
                  {"local_permissions", callers_.without_certificate.size()}});
  return callers_;
}

void CallersFile::NoteRefusal(const absl::Status& status) {
  if (!status.ok()) NoteSecretFileFailure(SecretKind::kCallers);
  if (!status.ok() && status.message() != refused_) {
    telemetry::Log(telemetry::Severity::kWarning, "callers_refused",
                   {{"reason", std::string(status.message())}, {"kept", "what was there before"}});
  }
  refused_ = std::string(status.message());
}

}  // namespace tollbridge::gateway
