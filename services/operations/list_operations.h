#ifndef TOLLBRIDGE_SERVICES_OPERATIONS_LIST_OPERATIONS_H_
#define TOLLBRIDGE_SERVICES_OPERATIONS_LIST_OPERATIONS_H_

#include "base/core/async.h"
#include "services/domain/project.h"
#include "services/ports/context.h"
#include "services/ports/operation_registry.h"
#include "tollbridge/operations/v1/operations.pb.h"

namespace tollbridge::operations {

/// Operations.ListOperations: the operations of a project that are not closed, or all about one
/// order (docs/design/operations.md#records-for-audit). Page tokens are opaque, and good for the
/// filter that they came from only. The request fulfils ListOperationsViolations. INVALID_ARGUMENT
/// for a page_token that is of another filter or none of ours; UNAVAILABLE when the store cannot be
/// asked.
Async<v1::ListOperationsResponse> ListOperations(ports::OperationRegistry& registry,
                                                 const domain::Project& project,
                                                 const v1::ListOperationsRequest& request,
                                                 ports::Context context);

}  // namespace tollbridge::operations

#endif  // TOLLBRIDGE_SERVICES_OPERATIONS_LIST_OPERATIONS_H_
