#include "gateway/config/callers_file.h"

#include <absl/status/statusor.h>

#include <utility>

#include "base/core/file_stamp.h"
#include "base/telemetry/log.h"

namespace tollbridge::gateway {

CallersFile::CallersFile(std::string path, Overrides overrides, Callers callers)
    : path_(std::move(path)), overrides_(std::move(overrides)), callers_(std::move(callers)) {}

std::optional<CallersFile::Callers> CallersFile::Look() {
  FileStamp stamp = StampOf({path_});
  if (!stamp.blocking.empty()) return std::nullopt;
  if (stamp.text != seen_) {
    seen_ = std::move(stamp.text);
    read_ = false;
    return std::nullopt;
  }
  if (std::exchange(read_, true)) return std::nullopt;
  absl::StatusOr<Config> config = LoadConfig(path_, overrides_);
  if (!config.ok()) {
    telemetry::Log(
        telemetry::Severity::kWarning, "callers_refused",
        {{"reason", std::string(config.status().message())}, {"kept", "what was there before"}});
    return std::nullopt;
  }
  if (config->rpc.callers == callers_) return std::nullopt;
  callers_ = std::move(config->rpc.callers);
  telemetry::Log(telemetry::Severity::kInfo, "callers_changed",
                 {{"path", path_}, {"entries", callers_.size()}});
  return callers_;
}

}  // namespace tollbridge::gateway
