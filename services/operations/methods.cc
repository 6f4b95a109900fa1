#include "services/operations/methods.h"

#include <utility>

#include "services/operations/get_operation.h"
#include "services/operations/list_operations.h"
#include "services/operations/request_rules.h"
#include "services/operations/resolve_operation.h"

namespace tollbridge::operations {

std::vector<Method> OperationMethods(Settings settings) {
  const auto resolve = [settings = std::move(settings)](
                           const MethodPorts& ports, const domain::Project& project,
                           const v1::ResolveOperationRequest& request, const rpc::Call& call) {
    const ResolvePorts resolve_ports{.registry = ports.registry,
                                     .service = ports.service,
                                     .clock = ports.clock,
                                     .metrics = ports.metrics,
                                     .plans = ports.plans,
                                     .conclusions = ports.conclusions,
                                     .settings = settings};
    return ResolveOperation(resolve_ports, project, request, call.caller().identity,
                            call.context());
  };
  return {Read(&GetOperation, &GetOperationViolations),
          Read(&ListOperations, &ListOperationsViolations),
          Read(resolve, &ResolveOperationViolations)};
}

}  // namespace tollbridge::operations
