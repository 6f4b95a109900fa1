#ifndef TOLLBRIDGE_GATEWAY_CONFIG_NEEDS_H_
#define TOLLBRIDGE_GATEWAY_CONFIG_NEEDS_H_

#include <array>
#include <string>
#include <string_view>

#include "gateway/config/config.h"

namespace tollbridge::gateway {

/// What a process holds and reaches. What it does not need it is not given: no file of a secret is
/// opened, and no connection made.
struct Needs {
  /// And the API keys of the projects.
  bool payment_service = false;
  /// Those that sign fingerprints and encrypt outcomes.
  bool operation_keys = false;
  bool webhook_tokens = false;
  bool redis = false;
  bool kafka = false;
  /// Headers for the collector of traces.
  bool traces = false;

  bool operator==(const Needs&) const = default;
};

struct RoleNeeds {
  std::string_view role;
  Needs needs;
};

/// All roles there are.
inline constexpr std::array<RoleNeeds, 4> kRoleNeeds{{
    // The tokens stand in the webhook_url of orders.
    {"rpc",
     {.payment_service = true,
      .operation_keys = true,
      .webhook_tokens = true,
      .redis = true,
      .traces = true}},
    {"webhooks", {.webhook_tokens = true, .kafka = true, .traces = true}},
    {"events", {.payment_service = true, .redis = true, .kafka = true, .traces = true}},
    {"reconcile", {.payment_service = true, .redis = true, .kafka = true, .traces = true}},
}};

/// The table as JSON: by role, by the name of what may be needed, whether it is. What deploys the
/// roles is made from it.
std::string PrintNeeds();

/// What the configured roles need together.
Needs NeedsOf(const Config& config);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_CONFIG_NEEDS_H_
