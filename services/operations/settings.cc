#include "services/operations/settings.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/strings/str_cat.h>

namespace tollbridge::operations {

absl::Status CheckSettings(const Settings& settings) {
  const std::pair<std::string_view, ports::Millis> intervals[] = {
      {"send_window", settings.send_window},
      {"attempt_deadline", settings.attempt_deadline},
      {"lease", settings.lease},
      {"lease_margin", settings.lease_margin},
      {"store_timeout", settings.store_timeout},
      {"record_backoff", settings.record_backoff},
      {"record_longest_backoff", settings.record_longest_backoff},
      {"busy_retry_after", settings.busy_retry_after},
      {"pending_retry_after", settings.pending_retry_after},
      {"search_index_lag", settings.search_index_lag},
      {"late_execution_bound", settings.late_execution_bound},
      {"absence_read_interval", settings.absence_read_interval},
      {"look_timeout", settings.look_timeout},
      {"resolver_lease", settings.resolver_lease},
      {"resolver_interval", settings.resolver_interval},
  };
  for (const auto& [name, value] : intervals) {
    if (value.count() <= 0) {
      return absl::InvalidArgumentError(absl::StrCat(std::string(name), " must be positive"));
    }
  }
  if (settings.absence_reads < 2) {
    return absl::InvalidArgumentError(
        "absence_reads must be at least 2: one read may come from a lagging replica");
  }
  if (settings.look_backoff.empty()) {
    return absl::InvalidArgumentError("look_backoff must have at least one interval");
  }
  for (const std::vector<ports::Millis>* list : {&settings.look_backoff, &settings.look_again}) {
    for (const ports::Millis interval : *list) {
      if (interval.count() > 0) continue;
      return absl::InvalidArgumentError("look_backoff and look_again must be positive");
    }
  }
  if (!std::ranges::is_sorted(settings.look_again)) {
    return absl::InvalidArgumentError("look_again must grow");
  }
  if (settings.resolver_lease <= settings.look_timeout * 2) {
    return absl::InvalidArgumentError("resolver_lease must be longer than twice look_timeout");
  }
  const ports::Millis least =
      settings.send_window + settings.attempt_deadline + settings.lease_margin;
  if (settings.lease <= least) {
    return absl::InvalidArgumentError(absl::StrCat(
        "lease must be longer than send_window + attempt_deadline + lease_margin: ", least.count(),
        " ms"));
  }
  return absl::OkStatus();
}

ports::Millis Quarantine(const Settings& settings, bool by_search) {
  ports::Millis quarantine =
      settings.send_window + settings.attempt_deadline + settings.late_execution_bound;
  if (by_search) quarantine += settings.search_index_lag;
  return quarantine;
}

}  // namespace tollbridge::operations
