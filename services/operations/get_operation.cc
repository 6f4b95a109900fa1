#include "services/operations/get_operation.h"

#include <utility>

#include <absl/status/statusor.h>

#include "base/core/status_macros.h"
#include "base/core/uuid.h"
#include "services/domain/errors.h"
#include "services/operations/identity.h"

namespace tollbridge::operations {
namespace {

Uuid NamedOperation(const domain::Project& project, const v1::GetOperationRequest& request) {
  if (request.has_idempotency_key()) return OperationId(project.id, request.idempotency_key());
  return *Uuid::Parse(request.operation_id());
}

}  // namespace

Async<v1::GetOperationResponse> GetOperation(ports::OperationRegistry& registry,
                                             const domain::Project& project,
                                             const v1::GetOperationRequest& request,
                                             ports::Context context) {
  const Uuid id = NamedOperation(project, request);
  TB_CO_ASSIGN_OR_RETURN(v1::Operation operation,
                         co_await registry.Read(project.name, id, context));
  v1::GetOperationResponse response;
  *response.mutable_operation() = std::move(operation);
  co_return response;
}

}  // namespace tollbridge::operations
