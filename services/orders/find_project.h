#ifndef TOLLBRIDGE_SERVICES_ORDERS_FIND_PROJECT_H_
#define TOLLBRIDGE_SERVICES_ORDERS_FIND_PROJECT_H_

#include <string_view>

#include <absl/status/statusor.h>

#include "services/domain/errors.h"
#include "services/domain/project.h"
#include "services/orders/request_rules.h"

namespace tollbridge::orders {

/// What a read breaks beyond the rules that its fields declare: it names a project that is there.
template <typename Request>
Violations ProjectViolations(const Request& request, const domain::Project* project) {
  Violations out;
  CheckProject(request.project(), project, out);
  return out;
}

/// The project that a read names. INVALID_ARGUMENT when none of that name is configured.
inline absl::StatusOr<const domain::Project*> FindProject(const domain::Projects& projects,
                                                          std::string_view name) {
  const domain::Project* project = projects.Find(name);
  Violations violations;
  CheckProject(name, project, violations);
  if (!violations.empty()) return domain::InvalidRequest(violations);
  return project;
}

}  // namespace tollbridge::orders

#endif  // TOLLBRIDGE_SERVICES_ORDERS_FIND_PROJECT_H_
