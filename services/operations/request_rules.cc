#include "services/operations/request_rules.h"

namespace tollbridge::operations {
namespace {

bool IsBlank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

/// Whether operations in that state can be listed.
bool IsIndexed(v1::OperationState state) {
  return state == v1::OPERATION_STATE_RUNNING || state == v1::OPERATION_STATE_UNKNOWN ||
         state == v1::OPERATION_STATE_NEEDS_REVIEW || state == v1::OPERATION_STATE_AWAITS_APPROVAL;
}

}  // namespace

Violations GetOperationViolations(const v1::GetOperationRequest& request,
                                  const domain::Project* /*project*/) {
  Violations out;
  if (request.has_operation_id() == request.has_idempotency_key()) {
    out.push_back(
        {"operation_id", "exactly one of operation_id and idempotency_key must be given"});
  }
  return out;
}

Violations ListOperationsViolations(const v1::ListOperationsRequest& request,
                                    const domain::Project* /*project*/) {
  Violations out;
  if (request.has_state() && request.has_order_id()) {
    out.push_back({"state", "must not be given with order_id, which lists every state"});
  } else if (request.has_state() && !IsIndexed(request.state())) {
    out.push_back(
        {"state",
         "must be RUNNING, UNKNOWN, NEEDS_REVIEW or AWAITS_APPROVAL: closed operations are "
         "not indexed; list them by order_id, or read one by its id or "
         "idempotency_key with GetOperation"});
  }
  return out;
}

Violations ResolveOperationViolations(const v1::ResolveOperationRequest& request,
                                      const domain::Project* /*project*/) {
  Violations out;
  if (request.resolution() != v1::RESOLUTION_DONE &&
      request.resolution() != v1::RESOLUTION_NOT_EXECUTED) {
    out.push_back({"resolution", "must be DONE or NOT_EXECUTED"});
  }
  if (IsBlank(request.note())) out.push_back({"note", "must say why"});
  return out;
}

}  // namespace tollbridge::operations
