#include "services/operations/resolve_operation.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include <absl/status/statusor.h>

#include "base/core/status_macros.h"
#include "base/core/text.h"
#include "base/core/uuid.h"
#include "base/telemetry/log.h"
#include "services/domain/errors.h"
#include "services/domain/timestamps.h"
#include "services/operations/evidence.h"
#include "services/operations/get_operation.h"
#include "services/operations/operation_metrics.h"

namespace tollbridge::operations {
namespace {

/// Of a plan that this process does not know.
constexpr std::size_t kMostSteps = 4;

absl::Status NotInReview(const v1::Operation& operation) {
  return domain::MakeError(absl::StatusCode::kFailedPrecondition,
                           "the operation has ended, or a call is at work on it",
                           {.reason = domain::reason::kOperationNotInReview,
                            .retry = domain::Retry::kAfterChange,
                            .metadata = {{"operation_id", operation.id()},
                                         {"state", v1::OperationState_Name(operation.state())}}});
}

absl::Status Happened(const v1::Operation& operation) {
  return domain::MakeError(
      absl::StatusCode::kFailedPrecondition,
      "the evidence shows that it happened: as NOT_EXECUTED its key could do it twice",
      {.reason = domain::reason::kOperationHappened,
       .retry = domain::Retry::kAfterChange,
       .metadata = {{"operation_id", operation.id()}}});
}

/// Whether there is an outcome to look for: no key leads to a review record, and what is kept
/// already stays.
bool NeedsLook(const v1::Operation& operation) {
  return !operation.has_review_of() && operation.knowledge() == v1::KNOWLEDGE_UNSPECIFIED &&
         operation.steps_size() > 0;
}

/// What evidence shows now of the operation's last step; kUndecided when there is no way to look.
/// `plan`: nullptr when this process does not know it.
boost::asio::awaitable<Finding> LookAgain(const ResolvePorts& ports, const PlanRegistration* plan,
                                          const domain::Project& project,
                                          const v1::Operation& operation,
                                          const ports::Context& context) {
  const v1::Step& step = operation.steps(operation.steps_size() - 1);
  const StepKind* kind = plan != nullptr ? plan->FindEvidence(step.name(), true) : nullptr;
  if (kind == nullptr || !kind->look) co_return Finding{};
  LookRequest look;
  look.project = &project;
  look.operation = Uuid::Parse(operation.id()).value_or(Uuid());
  look.attempt = operation.attempt();
  look.step = ports::TargetOf(step);
  if (step.has_sent_at()) look.sent_at = domain::ToWallTime(step.sent_at());
  look.context = context;
  look.context.deadline =
      std::min(context.deadline, ports.clock.BootNow() + ports.settings.look_timeout);
  co_return co_await kind->look(ports.service, look);
}

/// Fills what the key will answer.
void RecoverOutcome(const Conclusions& conclusions, const PlanRegistration& plan,
                    const domain::Project& project, const v1::Operation& operation,
                    const google::protobuf::Message& result, ports::CloseRequest* close) {
  ports::FinishRequest finish;
  finish.identity.id = close->id;
  finish.identity.rpc = operation.rpc();
  finish.identity.project = project.name;
  finish.step = ports::TargetOf(operation.steps(operation.steps_size() - 1));
  conclusions.Executed(plan, project, result, v1::KNOWLEDGE_RECOVERED, finish);
  // An amount that differs is what the person has just decided about.
  if (finish.to == v1::OPERATION_STATE_UNKNOWN) return;
  close->knowledge = v1::KNOWLEDGE_RECOVERED;
  close->outcome = std::move(finish.outcome);
  close->order = std::move(finish.order);
}

}  // namespace

Async<v1::ResolveOperationResponse> ResolveOperation(ResolvePorts ports,
                                                     const domain::Project& project,
                                                     const v1::ResolveOperationRequest& request,
                                                     std::string who, ports::Context context) {
  ports::CloseRequest close;
  close.project = project.name;
  close.id = *Uuid::Parse(request.operation_id());
  close.to = request.resolution() == v1::RESOLUTION_DONE ? v1::OPERATION_STATE_DONE
                                                         : v1::OPERATION_STATE_NOT_EXECUTED;
  close.who = OneLine(who, kLongestNote);
  close.note = OneLine(request.note(), kLongestNote);

  TB_CO_ASSIGN_OR_RETURN(const v1::Operation found,
                         co_await ports.registry.Read(project.name, close.id, context));
  if (found.state() != v1::OPERATION_STATE_NEEDS_REVIEW &&
      found.state() != v1::OPERATION_STATE_UNKNOWN) {
    co_return NotInReview(found);
  }
  const PlanRegistration* plan = ports.plans.Find(found.rpc());
  close.quarantine =
      LongestQuarantine(ports.settings, plan != nullptr ? plan->steps.size() : kMostSteps);
  const bool known = found.knowledge() != v1::KNOWLEDGE_UNSPECIFIED && !found.has_review_of();
  if (known && close.to != v1::OPERATION_STATE_DONE) co_return Happened(found);
  if (NeedsLook(found)) {
    const Finding finding = co_await LookAgain(ports, plan, project, found, context);
    if (finding.presence == Presence::kPresent && finding.result != nullptr) {
      if (close.to != v1::OPERATION_STATE_DONE) co_return Happened(found);
      RecoverOutcome(ports.conclusions, *plan, project, found, *finding.result, &close);
    }
  }

  TB_CO_ASSIGN_OR_RETURN(v1::Operation closed, co_await ports.registry.Close(close, context));
  CountOperation(ports.metrics, closed.rpc(), close.to);
  telemetry::Log(telemetry::Severity::kWarning, "operation_closed_by_person",
                 {telemetry::OperationId(closed.id()),
                  {"state", StateName(close.to)},
                  {"reason", found.review_reason()},
                  {"who", close.who},
                  {"recovered", !close.outcome.empty()},
                  telemetry::Trace(context.trace)});
  v1::ResolveOperationResponse response;
  *response.mutable_operation() = std::move(closed);
  co_return response;
}

}  // namespace tollbridge::operations
