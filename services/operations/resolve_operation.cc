#include "services/operations/resolve_operation.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <absl/status/statusor.h>
#include <absl/strings/str_cat.h>

#include "base/core/status_macros.h"
#include "base/core/text.h"
#include "base/core/uuid.h"
#include "base/telemetry/log.h"
#include "services/domain/errors.h"
#include "services/domain/timestamps.h"
#include "services/operations/approval.h"
#include "services/operations/evidence.h"
#include "services/operations/get_operation.h"
#include "services/operations/operation_metrics.h"

namespace tollbridge::operations {
namespace {

/// Ids in it are as the payment service writes them.
constexpr std::size_t kLongestSeen = 512;
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

absl::Status InQuarantine(const v1::Operation& operation, ports::Millis left) {
  return domain::MakeError(absl::StatusCode::kFailedPrecondition,
                           "by this gateway's clock the operation is in its quarantine still, and "
                           "may take effect; the store's clock may have been set",
                           {.reason = domain::reason::kOperationNotInReview,
                            .retry = domain::Retry::kAfterChange,
                            .metadata = {{"operation_id", operation.id()},
                                         {"state", v1::OperationState_Name(operation.state())}},
                            .retry_after = left});
}

/// How much of the quarantine of one in UNKNOWN is left by a clock other than the store's, which
/// compares it too.
ports::Millis QuarantineLeft(const v1::Operation& operation, ports::Millis quarantine,
                             WallTime now) {
  if (operation.state() != v1::OPERATION_STATE_UNKNOWN || operation.steps().empty()) return {};
  const v1::Step& last = *operation.steps().rbegin();
  if (!last.has_sent_at()) return {};
  return std::chrono::ceil<ports::Millis>(domain::ToWallTime(last.sent_at()) + quarantine - now);
}

std::int64_t LastTransition(const v1::Operation& operation) {
  const int count = operation.transitions_size();
  return count == 0 ? 0 : operation.transitions(count - 1).number();
}

/// Whether there is an outcome to look for: no key leads to a review record, and what is kept
/// already stays.
bool NeedsLook(const v1::Operation& operation) {
  return !operation.has_review_of() && operation.knowledge() == v1::KNOWLEDGE_UNSPECIFIED &&
         operation.steps_size() > 0;
}

/// How the effect of the operation can be read back; nullptr when there is no way, or nothing to
/// look for. `plan`: nullptr when this process does not know it.
const StepKind* EvidenceOf(const PlanRegistration* plan, const v1::Operation& operation) {
  if (plan == nullptr || !NeedsLook(operation)) return nullptr;
  const std::string& last = operation.steps(operation.steps_size() - 1).name();
  const StepKind* kind = plan->FindEvidence(last, true);
  return kind != nullptr && kind->look ? kind : nullptr;
}

/// What evidence shows now of the operation's last step.
boost::asio::awaitable<Finding> LookAgain(const ResolvePorts& ports, const StepKind& kind,
                                          const domain::Project& project,
                                          const v1::Operation& operation,
                                          const ports::Context& context) {
  const v1::Step& step = operation.steps(operation.steps_size() - 1);
  // Of any attempt: a failover may have lost a later one than the record knows.
  LookRequest look;
  look.project = &project;
  look.operation = Uuid::Parse(operation.id()).value_or(Uuid());
  look.step = ports::TargetOf(step);
  if (step.has_sent_at()) look.sent_at = domain::ToWallTime(step.sent_at());
  look.context = context;
  look.context.deadline =
      std::min(context.deadline, ports.clock.BootNow() + ports.settings.look_timeout);
  co_return co_await kind.look(ports.service, look);
}

v1::Evidence Shown(const StepKind& kind, const Finding& finding) {
  switch (finding.presence) {
    case Presence::kPresent:
      // Of a step that only prepares the next: the operation ended before its effect.
      return kind.completes ? v1::EVIDENCE_PRESENT : v1::EVIDENCE_ABSENT;
    case Presence::kAbsent:
      // A person can tell whether that is ours; no program closes it by its absence.
      if (finding.perhaps_unmarked || finding.by_time_alone) return v1::EVIDENCE_AMBIGUOUS;
      return v1::EVIDENCE_ABSENT;
    case Presence::kNoTarget:
      return v1::EVIDENCE_ABSENT;
    case Presence::kAmbiguous:
      return v1::EVIDENCE_AMBIGUOUS;
    case Presence::kUndecided:
      break;
  }
  return v1::EVIDENCE_UNDECIDED;
}

/// What a second person is asked, who closes it instead.
ports::ApprovalRequest Asked(const ResolvePorts& ports, const v1::ResolveOperationRequest& request,
                             const ports::CloseRequest& close, Person who) {
  const std::string unique =
      absl::StrCat(who.identity, "\n", close.note, "\n", static_cast<int>(request.resolution()),
                   "\n", ports.clock.WallNow().time_since_epoch().count());
  return {.id = ApprovalId(close.id, unique),
          .who = close.who,
          .names = std::move(who.names),
          .reason = close.note,
          .good_for = ports.settings.approval_lifetime};
}

/// `found`: as it was before.
void NoteClosed(const ResolvePorts& ports, const v1::Operation& found,
                const ports::CloseRequest& close, const ports::Context& context) {
  CountOperation(ports.metrics, found.project(), found.rpc(), close.to);
  if (!found.has_review_of() && found.steps_size() > 0 && found.steps(0).has_sent_at()) {
    SettledTimes(ports.metrics)
        .NotePerson(ports.clock.WallNow() - domain::ToWallTime(found.steps(0).sent_at()));
  }
  telemetry::Log(telemetry::Severity::kWarning, "operation_closed_by_person",
                 {telemetry::OperationId(found.id()),
                  {"state", StateName(close.to)},
                  {"reason", found.review_reason()},
                  {"who", close.who},
                  {"recovered", !close.outcome.empty()},
                  telemetry::Trace(context.trace)});
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

Async<v1::ResolveOperationResponse> CloseByPerson(ResolvePorts ports,
                                                  const domain::Project& project,
                                                  ports::CloseRequest close,
                                                  ports::Context context) {
  TB_CO_ASSIGN_OR_RETURN(const v1::Operation found,
                         co_await ports.registry.Read(project.name, close.id, context));
  if (found.state() != v1::OPERATION_STATE_NEEDS_REVIEW &&
      found.state() != v1::OPERATION_STATE_UNKNOWN) {
    co_return NotInReview(found);
  }
  // What is decided here is decided about the record as it was read: nobody has moved it on since.
  if (close.last_transition == 0) close.last_transition = LastTransition(found);
  const PlanRegistration* plan = ports.plans.Find(found.rpc());
  close.quarantine =
      LongestQuarantine(ports.settings, plan != nullptr ? plan->steps.size() : kMostSteps);
  if (const ports::Millis left = QuarantineLeft(found, close.quarantine, ports.clock.WallNow());
      left > ports::Millis::zero()) {
    co_return InQuarantine(found, left);
  }
  const bool known = found.knowledge() != v1::KNOWLEDGE_UNSPECIFIED && !found.has_review_of();
  if (known && close.to != v1::OPERATION_STATE_DONE) co_return Happened(found);
  v1::ResolveOperationResponse response;
  if (const StepKind* kind = EvidenceOf(plan, found)) {
    const Finding finding = co_await LookAgain(ports, *kind, project, found, context);
    response.set_evidence(Shown(*kind, finding));
    response.set_evidence_seen(OneLine(finding.reason, kLongestSeen));
    if (response.evidence() == v1::EVIDENCE_PRESENT && close.to != v1::OPERATION_STATE_DONE) {
      co_return Happened(found);
    }
    if (finding.presence == Presence::kPresent && finding.result != nullptr) {
      RecoverOutcome(ports.conclusions, *plan, project, found, *finding.result, &close);
    }
  }

  TB_CO_ASSIGN_OR_RETURN(*response.mutable_operation(),
                         co_await ports.registry.Close(close, context));
  if (close.validate_only || close.ask.has_value()) co_return response;
  NoteClosed(ports, found, close, context);
  co_return response;
}

Async<v1::ResolveOperationResponse> ResolveOperation(ResolvePorts ports,
                                                     const domain::Project& project,
                                                     const v1::ResolveOperationRequest& request,
                                                     Person who, ports::Context context) {
  ports::CloseRequest close;
  close.project = project.name;
  close.id = *Uuid::Parse(request.operation_id());
  close.to = request.resolution() == v1::RESOLUTION_DONE ? v1::OPERATION_STATE_DONE
                                                         : v1::OPERATION_STATE_NOT_EXECUTED;
  close.who = OneLine(who.identity, kLongestNote);
  close.note = OneLine(request.note(), kLongestNote);
  close.validate_only = request.validate_only();
  close.last_transition = request.last_transition();
  if (!ports.settings.resolve_needs_approval || close.validate_only) {
    co_return co_await CloseByPerson(ports, project, std::move(close), context);
  }

  const Uuid id = close.id;
  close.ask = Asked(ports, request, close, std::move(who));
  close.note = "asks to close it as " + std::string(StateName(close.to)) + ": " + close.note;
  TB_CO_ASSIGN_OR_RETURN(const v1::ResolveOperationResponse asked,
                         co_await CloseByPerson(ports, project, std::move(close), context));
  const v1::Approval& approval = asked.operation().approval();
  telemetry::Log(telemetry::Severity::kWarning, "approval_asked",
                 {telemetry::OperationId(id.ToString()),
                  {"who", approval.asked_by()},
                  telemetry::Trace(context.trace)});
  co_return ApprovalNeeded(id, Uuid::Parse(approval.id()).value_or(Uuid()),
                           domain::ToWallTime(approval.until()));
}

}  // namespace tollbridge::operations
