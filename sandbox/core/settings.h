#ifndef TOLLBRIDGE_SANDBOX_CORE_SETTINGS_H_
#define TOLLBRIDGE_SANDBOX_CORE_SETTINGS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sandbox/core/clock.h"
#include "sandbox/core/projects.h"
#include "sandbox/core/variants.h"

namespace tollbridge::sandbox {

/// When webhooks are given up and repeated (docs/interface.md#webhooks).
struct WebhookPolicy {
  Millis first_timeout{4'000};
  Millis retry_timeout{10'000};
  Millis pause{120'000};
  int max_attempts = 10;
  /// Attempts that GET /_sandbox/deliveries shows: the last ones.
  std::size_t attempts_shown = 10'000;
};

/// What the interface leaves to the service, and may be set.
struct Settings {
  std::vector<Project> projects = DefaultProjects();
  WebhookPolicy webhooks;
  /// expiration_period of orders that name none.
  Millis order_validity = std::chrono::hours(24);
  /// How long an own-checkout order stays processing after its transaction has completed.
  Millis own_checkout_hold = std::chrono::minutes(60);
  /// From an accepted start without the customer (initiate, payout) to its end.
  Millis processing_time = std::chrono::seconds(1);
  /// How old the search index is.
  Millis index_lag{0};
  /// Requests of a project in a second of the sandbox's clock, then 429; 0: no limit.
  std::int64_t requests_per_second = 0;
  /// Orders and payment links held; creating more is refused, so that memory is bounded.
  std::size_t max_orders = 1'000'000;
  Variants variants;
};

/// Fixed by docs/interface.md#limits.
inline constexpr Millis kSetupTokenValidity = std::chrono::seconds(300);
inline constexpr Millis kPaymentLinkValidity = std::chrono::hours(24 * 30);
inline constexpr std::int64_t kMaxSimplePaging = 10'000;
/// When the service captures a pre-authorization with capture_mode `delayed` by itself.
inline constexpr Millis kDelayedCaptureAfter = std::chrono::hours(24 * 7);
/// Attempts at one order.
inline constexpr std::size_t kMaxAttempts = 50;
/// docs/interface.md#14-page-sizes: default and maximum page size of search.
inline constexpr std::int64_t kDefaultPageSize = 100;
inline constexpr std::int64_t kMaxPageSize = 1'000;

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_CORE_SETTINGS_H_
