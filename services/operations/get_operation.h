#ifndef TOLLBRIDGE_SERVICES_OPERATIONS_GET_OPERATION_H_
#define TOLLBRIDGE_SERVICES_OPERATIONS_GET_OPERATION_H_

#include "services/base/async.h"
#include "services/domain/project.h"
#include "services/ports/context.h"
#include "services/ports/operation_store.h"
#include "tollbridge/operations/v1/operations.pb.h"

namespace tollbridge::operations {

/// Operations.GetOperation: reads an operation by its id, or by project and idempotency_key.
/// INVALID_ARGUMENT when the request names it in both ways or in none, or names an unknown project;
/// NOT_FOUND OPERATION_NOT_FOUND; UNAVAILABLE when the store cannot be asked. All arguments outlive
/// the coroutine.
Async<v1::GetOperationResponse> GetOperation(ports::OperationStore& store,
                                             const domain::Projects& projects,
                                             const v1::GetOperationRequest& request,
                                             ports::Context context);

}  // namespace tollbridge::operations

#endif  // TOLLBRIDGE_SERVICES_OPERATIONS_GET_OPERATION_H_
