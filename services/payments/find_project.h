#ifndef TOLLBRIDGE_SERVICES_PAYMENTS_FIND_PROJECT_H_
#define TOLLBRIDGE_SERVICES_PAYMENTS_FIND_PROJECT_H_

#include <string_view>

#include <absl/status/statusor.h>

#include "services/domain/errors.h"
#include "services/domain/project.h"
#include "services/orders/request_rules.h"

namespace tollbridge::payments {

/// The project that a read names. INVALID_ARGUMENT when none of that name is configured.
inline absl::StatusOr<const domain::Project*> FindProject(const domain::Projects& projects,
                                                          std::string_view name) {
  const domain::Project* project = projects.Find(name);
  orders::Violations violations;
  orders::CheckProject(name, project, violations);
  if (!violations.empty()) return domain::InvalidRequest(violations);
  return project;
}

}  // namespace tollbridge::payments

#endif  // TOLLBRIDGE_SERVICES_PAYMENTS_FIND_PROJECT_H_
