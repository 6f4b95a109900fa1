#include "services/payments/transaction_plan.h"

#include <optional>

#include "services/domain/errors.h"
#include "services/domain/mark.h"

namespace tollbridge::payments {

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

std::string MarkedDescription(std::string_view description, const Uuid& operation) {
  const std::string mark = domain::DescriptionMark(operation);
  // The mark begins with the space that parts it from the text.
  return description.empty() ? mark.substr(1) : std::string(description) + mark;
}

}  // namespace tollbridge::payments
