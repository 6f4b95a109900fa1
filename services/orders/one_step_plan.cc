#include "services/orders/one_step_plan.h"

#include <optional>

#include "base/core/uuid.h"
#include "services/domain/errors.h"

namespace tollbridge::orders {

absl::Status ExtensionDisabled(std::string_view extension) {
  domain::ErrorDetail detail;
  detail.reason = domain::reason::kExtensionDisabled;
  detail.retry = domain::Retry::kNever;
  return domain::MakeError(absl::StatusCode::kUnimplemented,
                           "the extension " + std::string(extension) + " is not enabled", detail);
}

std::string CanonicalId(std::string_view id) {
  const std::optional<Uuid> parsed = Uuid::Parse(id);
  return parsed.has_value() ? parsed->ToString() : std::string(id);
}

}  // namespace tollbridge::orders
