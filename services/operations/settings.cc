#include "services/operations/settings.h"

#include <string_view>
#include <utility>

#include <absl/strings/str_cat.h>

namespace tollbridge::operations {

absl::Status CheckSettings(const Settings& settings, ports::Millis lease_margin) {
  const std::pair<std::string_view, ports::Millis> intervals[] = {
      {"send_window", settings.send_window},
      {"attempt_deadline", settings.attempt_deadline},
      {"lease", settings.lease},
      {"store_timeout", settings.store_timeout},
      {"record_backoff", settings.record_backoff},
      {"record_longest_backoff", settings.record_longest_backoff},
      {"busy_retry_after", settings.busy_retry_after},
      {"pending_retry_after", settings.pending_retry_after},
      {"sweep_interval", settings.sweep_interval},
  };
  for (const auto& [name, value] : intervals) {
    if (value.count() <= 0) {
      return absl::InvalidArgumentError(absl::StrCat(std::string(name), " must be positive"));
    }
  }
  const ports::Millis least = settings.send_window + settings.attempt_deadline + lease_margin;
  if (settings.lease <= least) {
    return absl::InvalidArgumentError(absl::StrCat(
        "lease must be longer than send_window + attempt_deadline + margin: ", least.count(),
        " ms"));
  }
  return absl::OkStatus();
}

}  // namespace tollbridge::operations
