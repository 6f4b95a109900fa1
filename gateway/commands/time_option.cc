#include "gateway/commands/time_option.h"

#include <absl/strings/str_cat.h>

#include <optional>
#include <string>

#include "base/config/duration_text.h"
#include "base/core/rfc3339.h"
#include "base/core/status_macros.h"

namespace tollbridge::gateway {

absl::StatusOr<WallTime> TimeOption(std::string_view option, std::string_view text, WallTime now) {
  if (const std::optional<WallTime> time = ParseRfc3339(text)) return *time;
  std::chrono::milliseconds ago{};
  if (config::ParseDuration(text, &ago)) return now - ago;
  return absl::InvalidArgumentError(
      absl::StrCat(std::string(option),
                   ": must be a time of RFC 3339 with its zone, as 2026-01-31T12:00:00Z, or how "
                   "long ago, as 90m; not ",
                   std::string(text)));
}

absl::StatusOr<std::optional<WallTime>> OptionalTime(std::string_view option, std::string_view text,
                                                     WallTime now) {
  if (text.empty()) return std::nullopt;
  TB_ASSIGN_OR_RETURN(const WallTime time, TimeOption(option, text, now));
  return time;
}

}  // namespace tollbridge::gateway
