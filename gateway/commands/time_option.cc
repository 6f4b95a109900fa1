#include "gateway/commands/time_option.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>

#include "base/config/duration_text.h"
#include "base/core/rfc3339.h"
#include "base/core/status_macros.h"

namespace tollbridge::gateway {

namespace {

/// What a Timestamp of protobuf can hold, and four digits of a year.
constexpr WallTime kFirst{std::chrono::sys_days{std::chrono::year(1) / 1 / 1}};
constexpr WallTime kEnd{std::chrono::sys_days{std::chrono::year(10'000) / 1 / 1}};

/// Where something begins that was: later than now there is nothing yet.
bool IsBeginning(std::string_view option) { return option == "--from" || option == "--since"; }

absl::Status Refused(std::string_view option, std::string_view why, std::string_view text) {
  return absl::InvalidArgumentError(
      absl::StrCat(std::string(option), ": must ", std::string(why), "; not ", std::string(text)));
}

}  // namespace

absl::StatusOr<WallTime> TimeOption(std::string_view option, std::string_view text, WallTime now) {
  std::optional<WallTime> time = ParseRfc3339(text);
  if (std::chrono::milliseconds ago{}; !time && config::ParseDuration(text, &ago)) {
    // Of a longer one the difference could be out of range, too.
    time = now - std::min(ago, now - kFirst + std::chrono::milliseconds(1));
  }
  if (!time) {
    return Refused(option,
                   "be a time of RFC 3339 with its zone, as 2026-01-31T12:00:00Z, or how long ago, "
                   "as 90m",
                   text);
  }
  if (*time < kFirst || *time >= kEnd) {
    return Refused(option, "be in the years 1 to 9999, by UTC", text);
  }
  if (IsBeginning(option) && *time > now) return Refused(option, "not be in the future", text);
  return *time;
}

absl::StatusOr<std::optional<WallTime>> OptionalTime(std::string_view option, std::string_view text,
                                                     WallTime now) {
  if (text.empty()) return std::nullopt;
  TB_ASSIGN_OR_RETURN(const WallTime time, TimeOption(option, text, now));
  return time;
}

}  // namespace tollbridge::gateway
