#ifndef TOLLBRIDGE_SANDBOX_CONFIG_FILE_H_
#define TOLLBRIDGE_SANDBOX_CONFIG_FILE_H_

#include <absl/status/statusor.h>

#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "sandbox/core/settings.h"

namespace tollbridge::sandbox {

/// What --config FILE holds.
struct Config {
  Settings settings;
  /// The fault plan as it is written; the fault injector reads it.
  std::optional<boost::json::object> faults;
};

/// Reads a configuration: one JSON object, all members optional,
///   {"projects": [{"name", "id", "api_keys": [...], "merchant_id"?, "test"?, "read_only"?, "aft"?,
///                  "payouts"?, "webhook_url"?, "payment_methods"?, "currencies"?,
///                  "method_currencies"?: {method: [...]}, "trade_name"?}, ...],
///    "webhooks": {"first_timeout_ms", "retry_timeout_ms", "pause_ms", "max_attempts"},
///    "order_validity", "own_checkout_hold", "processing_time", "index_lag": ISO 8601 durations,
///    "requests_per_second": n, "max_orders": n, "variants": [names of AllVariants],
///    "faults": {...}}
/// `projects` takes the place of the default ones. INVALID_ARGUMENT, as `name: path rule` such as
/// `sandbox.json: projects[1].id must be a uuid`, and `name:line:column: ...` for what is no JSON.
/// No error repeats an API key.
absl::StatusOr<Config> ReadConfig(std::string_view text, std::string_view name);

/// Reads the file, named by its path. Also NOT_FOUND when it cannot be read; at most 1 MiB.
absl::StatusOr<Config> ReadConfigFile(const std::string& path);

/// A file that holds one JSON object, such as a fault plan. Errors as those of ReadConfigFile.
absl::StatusOr<boost::json::object> ReadJsonFile(const std::string& path);

/// Bounds that the command line shares with the file.
/// docs/interface.md#limits.
inline constexpr Millis kLongestOwnCheckoutHold = std::chrono::minutes(60);
inline constexpr Millis kLongestIndexLag = std::chrono::hours(24);

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_CONFIG_FILE_H_
