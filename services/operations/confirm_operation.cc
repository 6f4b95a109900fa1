#include "services/operations/confirm_operation.h"

#include <string>
#include <utility>

#include <absl/status/statusor.h>
#include <absl/strings/str_cat.h>

#include "base/core/status_macros.h"
#include "base/core/text.h"
#include "base/core/uuid.h"
#include "base/telemetry/log.h"

namespace tollbridge::operations {
namespace {

/// Whether this is asked, and nobody has answered yet.
bool IsAsked(const v1::Operation& operation, const Uuid& approval) {
  return operation.has_approval() && !operation.approval().has_confirmed_by() &&
         Uuid::Parse(operation.approval().id()) == approval;
}

/// What the transition says: who answered is its owner, who asked is in the one before.
std::string Evidence(const v1::ConfirmOperationRequest& request, std::string_view what) {
  std::string evidence = absl::StrCat("confirmed", std::string(what));
  if (!request.note().empty()) {
    absl::StrAppend(&evidence, ": ", OneLine(request.note(), kLongestNote));
  }
  return evidence;
}

}  // namespace

Async<v1::ConfirmOperationResponse> ConfirmOperation(ResolvePorts ports,
                                                     const domain::Project& project,
                                                     const v1::ConfirmOperationRequest& request,
                                                     Person who, ports::Context context) {
  const Uuid id = *Uuid::Parse(request.operation_id());
  const Uuid approval = *Uuid::Parse(request.approval_id());
  const std::string name = OneLine(who.identity, kLongestNote);
  TB_CO_ASSIGN_OR_RETURN(const v1::Operation found,
                         co_await ports.registry.Read(project.name, id, context));
  const bool asked = IsAsked(found, approval);
  v1::ConfirmOperationResponse response;
  if (asked && found.approval().has_resolution()) {
    ports::CloseRequest close;
    close.project = project.name;
    close.id = id;
    close.to = found.approval().resolution() == v1::RESOLUTION_DONE
                   ? v1::OPERATION_STATE_DONE
                   : v1::OPERATION_STATE_NOT_EXECUTED;
    close.who = name;
    close.note = Evidence(request, absl::StrCat(" what ", found.approval().asked_by(), " asked"));
    close.validate_only = request.validate_only();
    close.confirm = ports::Confirmation{.approval = approval, .names = std::move(who.names)};
    TB_CO_ASSIGN_OR_RETURN(v1::ResolveOperationResponse closed,
                           co_await CloseByPerson(ports, project, std::move(close), context));
    *response.mutable_operation() = std::move(*closed.mutable_operation());
    response.set_evidence(closed.evidence());
    response.set_evidence_seen(closed.evidence_seen());
    co_return response;
  }
  // The store says of all else what it is.
  const ports::ConfirmRequest confirm{
      .project = project.name,
      .id = id,
      .confirmation = {.approval = approval, .names = std::move(who.names)},
      .validate_only = request.validate_only(),
      .who = name,
      .note = Evidence(request, "")};
  TB_CO_ASSIGN_OR_RETURN(*response.mutable_operation(),
                         co_await ports.registry.Confirm(confirm, context));
  if (asked && !request.validate_only()) {
    telemetry::Log(telemetry::Severity::kWarning, "operation_confirmed",
                   {telemetry::OperationId(id.ToString()),
                    {"asked_by", found.approval().asked_by()},
                    {"who", name},
                    telemetry::Trace(context.trace)});
  }
  co_return response;
}

}  // namespace tollbridge::operations
