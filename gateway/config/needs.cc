#include "gateway/config/needs.h"

#include <algorithm>
#include <boost/json/object.hpp>

#include "base/config/pretty_json.h"
#include "base/telemetry/metric_definitions.h"

namespace tollbridge::gateway {

static_assert(std::ranges::equal(kRoleNeeds, telemetry::kRoles, {}, &RoleNeeds::role));

std::string PrintNeeds() {
  boost::json::object roles;
  for (const auto& [role, needs] : kRoleNeeds) {
    roles[role] = boost::json::object{{"payment_service", needs.payment_service},
                                      {"operation_keys", needs.operation_keys},
                                      {"webhook_tokens", needs.webhook_tokens},
                                      {"redis", needs.redis},
                                      {"kafka", needs.kafka},
                                      {"traces", needs.traces}};
  }
  return config::PrettyJson(roles);
}

Needs NeedsOf(const Config& config) {
  Needs all;
  for (const RoleNeeds& known : kRoleNeeds) {
    if (!config.HasRole(known.role)) continue;
    all.payment_service |= known.needs.payment_service;
    all.operation_keys |= known.needs.operation_keys;
    all.webhook_tokens |= known.needs.webhook_tokens;
    all.redis |= known.needs.redis;
    all.kafka |= known.needs.kafka;
    all.traces |= known.needs.traces;
  }
  // Orders without a webhook_url have no token in it.
  if (!config.HasRole("webhooks") && config.webhooks.public_url.empty()) all.webhook_tokens = false;
  return all;
}

}  // namespace tollbridge::gateway
