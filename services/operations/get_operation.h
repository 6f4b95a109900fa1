#ifndef TOLLBRIDGE_SERVICES_OPERATIONS_GET_OPERATION_H_
#define TOLLBRIDGE_SERVICES_OPERATIONS_GET_OPERATION_H_

#include "base/core/async.h"
#include "services/domain/project.h"
#include "services/ports/context.h"
#include "services/ports/operation_registry.h"
#include "tollbridge/operations/v1/operations.pb.h"

namespace tollbridge::operations {

/// Operations.GetOperation: reads an operation by its id, or by project and idempotency_key. The
/// request fulfils GetOperationViolations. NOT_FOUND OPERATION_NOT_FOUND, also for an operation of
/// another project than the request names; UNAVAILABLE when the store cannot be asked, or with
/// reason MEMORY_LOST when it may have forgotten.
Async<v1::GetOperationResponse> GetOperation(ports::OperationRegistry& registry,
                                             const domain::Project& project,
                                             const v1::GetOperationRequest& request,
                                             ports::Context context);

/// The record, if it is of this project; else the errors above. What callers are let see is decided
/// by the project they name, so another project's operation is as good as none.
Async<v1::Operation> ReadOperation(ports::OperationRegistry& registry,
                                   const domain::Project& project, const Uuid& id,
                                   const ports::Context& context);

}  // namespace tollbridge::operations

#endif  // TOLLBRIDGE_SERVICES_OPERATIONS_GET_OPERATION_H_
