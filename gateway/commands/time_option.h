#ifndef TOLLBRIDGE_GATEWAY_COMMANDS_TIME_OPTION_H_
#define TOLLBRIDGE_GATEWAY_COMMANDS_TIME_OPTION_H_

#include <absl/status/statusor.h>

#include <optional>
#include <string_view>

#include "services/ports/clock.h"

namespace tollbridge::gateway {

/// What an option of a command says about a time: RFC 3339 with its zone, or how long before `now`,
/// as `90m` and `3d`. INVALID_ARGUMENT, naming the option, when it says neither, when the time is
/// not in the years 1 to 9999, and when --from or --since is after `now`.
absl::StatusOr<WallTime> TimeOption(std::string_view option, std::string_view text, WallTime now);
/// The same; nullopt for an option that is not given.
absl::StatusOr<std::optional<WallTime>> OptionalTime(std::string_view option, std::string_view text,
                                                     WallTime now);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_COMMANDS_TIME_OPTION_H_
