#include "services/operations/methods.h"

#include <memory>
#include <utility>

#include "services/operations/confirm_operation.h"
#include "services/operations/get_operation.h"
#include "services/operations/list_operations.h"
#include "services/operations/request_rules.h"
#include "services/operations/resolve_operation.h"

namespace tollbridge::operations {
namespace {

ResolvePorts PortsOf(const MethodPorts& ports, const Settings& settings) {
  return {.registry = ports.registry,
          .service = ports.service,
          .clock = ports.clock,
          .metrics = ports.metrics,
          .plans = ports.plans,
          .conclusions = ports.conclusions,
          .settings = settings};
}

Person CallerOf(const rpc::Call& call) {
  return {.identity = call.caller().identity, .names = call.caller().names};
}

}  // namespace

std::vector<Method> OperationMethods(Settings settings) {
  const auto shared = std::make_shared<const Settings>(std::move(settings));
  const auto resolve = [shared](const MethodPorts& ports, const domain::Project& project,
                                const v1::ResolveOperationRequest& request, const rpc::Call& call) {
    return ResolveOperation(PortsOf(ports, *shared), project, request, CallerOf(call),
                            call.context());
  };
  const auto confirm = [shared](const MethodPorts& ports, const domain::Project& project,
                                const v1::ConfirmOperationRequest& request, const rpc::Call& call) {
    return ConfirmOperation(PortsOf(ports, *shared), project, request, CallerOf(call),
                            call.context());
  };
  return {Read(&GetOperation, &GetOperationViolations),
          Read(&ListOperations, &ListOperationsViolations),
          Read(resolve, &ResolveOperationViolations), Read(confirm)};
}

}  // namespace tollbridge::operations
