#include "services/operations/get_operation.h"

#include <optional>
#include <utility>

#include <absl/status/statusor.h>

#include "services/base/status_macros.h"
#include "services/base/uuid.h"
#include "services/domain/errors.h"
#include "services/operations/identity.h"

namespace tollbridge::operations {
namespace {

absl::StatusOr<Uuid> NamedOperation(const domain::Projects& projects,
                                    const v1::GetOperationRequest& request) {
  if (request.has_operation_id() == request.has_idempotency_key()) {
    return domain::InvalidRequest(
        {{"operation_id", "exactly one of operation_id and idempotency_key must be given"}});
  }
  if (request.has_operation_id()) {
    const std::optional<Uuid> id = Uuid::Parse(request.operation_id());
    if (!id.has_value()) return domain::InvalidRequest({{"operation_id", "must be a UUID"}});
    return *id;
  }
  const domain::Project* project = projects.Find(request.project());
  if (project == nullptr) {
    return domain::InvalidRequest({{"project", "must name a configured project"}});
  }
  return OperationId(project->id, request.idempotency_key());
}

}  // namespace

Async<v1::GetOperationResponse> GetOperation(ports::OperationStore& store,
                                             const domain::Projects& projects,
                                             const v1::GetOperationRequest& request,
                                             ports::Context context) {
  TB_CO_ASSIGN_OR_RETURN(const Uuid id, NamedOperation(projects, request));
  absl::StatusOr<v1::Operation> operation = co_await store.Read(id, context);
  TB_CO_RETURN_IF_ERROR(operation.status());
  v1::GetOperationResponse response;
  *response.mutable_operation() = *std::move(operation);
  co_return response;
}

}  // namespace tollbridge::operations
