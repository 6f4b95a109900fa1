#ifndef TOLLBRIDGE_SERVICES_OPERATIONS_REQUEST_RULES_H_
#define TOLLBRIDGE_SERVICES_OPERATIONS_REQUEST_RULES_H_

#include <optional>
#include <string_view>
#include <vector>

#include "services/domain/errors.h"
#include "services/domain/project.h"
#include "services/ports/operation_types.h"
#include "tollbridge/operations/v1/operations.pb.h"

namespace tollbridge::operations {

// What requests of the service Operations break beyond the rules that their fields declare.
// `project` is nullptr when the request names none that is configured.

using Violations = std::vector<domain::FieldViolation>;

/// Exactly one of the id and the key names the operation.
Violations GetOperationViolations(const v1::GetOperationRequest& request,
                                  const domain::Project* project);
/// A state that is indexed, and not together with an order.
Violations ListOperationsViolations(const v1::ListOperationsRequest& request,
                                    const domain::Project* project);
/// What the person decided, and why.
Violations ResolveOperationViolations(const v1::ResolveOperationRequest& request,
                                      const domain::Project* project);

}  // namespace tollbridge::operations

#endif  // TOLLBRIDGE_SERVICES_OPERATIONS_REQUEST_RULES_H_
