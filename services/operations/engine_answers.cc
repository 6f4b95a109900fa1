// What stands under a key, as its caller is told (docs/design/operations.md#rule-7).

#include <string>
#include <string_view>
#include <utility>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "base/telemetry/log.h"
#include "base/telemetry/metric_definitions.h"
#include "services/domain/deterministic.h"
#include "services/domain/rpc_status.h"
#include "services/operations/answers.h"
#include "services/operations/approval.h"
#include "services/operations/engine.h"
#include "services/operations/engine_work.h"
#include "services/operations/money.h"
#include "services/operations/operation_metrics.h"
#include "services/operations/outcome.h"
#include "tollbridge/storage/v1/storage.pb.h"

namespace tollbridge::operations {

using ports::OperationState;
using telemetry::Severity;

Reply Engine::AnswerFromRecord(const Work& work, const ports::ClaimRequest& claim,
                               const ports::ClaimResult& claimed) {
  Reply reply;
  reply.operation_id = work.identity.id;
  const std::string id = work.identity.id.ToString();
  switch (claimed.verdict) {
    case ports::ClaimVerdict::kDone:
      // A failover may lose what no replica has.
      if (!claimed.replicated && work.registration->OnlyRecordShows()) {
        return PendingReply(work, v1::OPERATION_STATE_UNKNOWN, claimed.order_id, claimed.since);
      }
      return Replay(work, claimed.outcome);
    case ports::ClaimVerdict::kNotKept:
      ports_.metrics.Get(telemetry::kOperationsReplayed, {work.plan.rpc}).Increment();
      reply.replay = true;
      reply.status = ClosedLongAgo(id, claimed.state, claimed.order_id);
      return reply;
    case ports::ClaimVerdict::kPending:
      return PendingReply(work, claimed.state, claimed.order_id, claimed.since);
    case ports::ClaimVerdict::kKeyReused:
      reply.status = MakeOwnError(OwnError::kKeyReused, id);
      return reply;
    case ports::ClaimVerdict::kKeyUnknown:
      reply.status = SecretUnknown(work);
      return reply;
    case ports::ClaimVerdict::kOrderBusy:
      reply.status = MakeOwnError(OwnError::kOrderBusy, claimed.holder, settings_.busy_retry_after);
      return reply;
    case ports::ClaimVerdict::kOutboxFull:
      reply.status = MakeOwnError(OwnError::kOutboxFull, id, settings_.pending_retry_after);
      return reply;
    case ports::ClaimVerdict::kMoneyLimit:
      CountMoneyLimited(ports_.metrics, *work.plan.money, claimed.limit);
      reply.status =
          MoneyLimitPassed(work.identity.id, *claim.money, claimed, ports_.clock.WallNow());
      return reply;
    case ports::ClaimVerdict::kApprovalNeeded:
      reply.status = AskForApproval(work, claimed);
      return reply;
    case ports::ClaimVerdict::kWhoseCurrency:
    case ports::ClaimVerdict::kInProgress:
    case ports::ClaimVerdict::kClaimed:
    case ports::ClaimVerdict::kLookFirst:
      break;
  }
  reply.status = MakeOwnError(OwnError::kInProgress, id, claimed.retry_after);
  return reply;
}

Reply Engine::Replay(const Work& work, const std::string& sealed) {
  ports_.metrics.Get(telemetry::kOperationsReplayed, {work.plan.rpc}).Increment();
  Reply reply;
  reply.operation_id = work.identity.id;
  reply.replay = true;
  if (sealed.empty()) {
    reply.status = MakeOwnError(OwnError::kResultNotKept, work.identity.id.ToString());
    return reply;
  }
  absl::StatusOr<storage::v1::StoredOutcome> outcome =
      OpenOutcome(sealed, work.identity.id, keys_()->outcomes);
  // Of an outcome that cannot be opened there is none to tell again.
  reply.replay = outcome.ok();
  if (absl::IsNotFound(outcome.status())) {
    reply.status = SecretUnknown(work);
  } else if (!outcome.ok()) {
    telemetry::Log(Severity::kError, "outcome_unreadable",
                   {telemetry::Trace(work.context.trace),
                    telemetry::OperationId(work.identity.id.ToString()),
                    {"cause", std::string(outcome.status().message())}});
    reply.status = MakeOwnError(OwnError::kUnreadable, work.identity.id.ToString());
  } else if (outcome->result_not_kept()) {
    reply.status = MakeOwnError(OwnError::kResultNotKept, work.identity.id.ToString());
  } else if (outcome->status().code() != 0) {
    reply.status = domain::FromRpcStatus(outcome->status());
  } else {
    reply.response = std::move(*outcome->mutable_response());
  }
  return reply;
}

absl::Status Engine::SecretUnknown(const Work& work) const {
  telemetry::Log(
      Severity::kError, "secret_key_unknown",
      {telemetry::Trace(work.context.trace), telemetry::OperationId(work.identity.id.ToString())});
  return MakeOwnError(OwnError::kSecretUnknown, work.identity.id.ToString(),
                      settings_.pending_retry_after);
}

Reply Engine::PendingReply(const Work& work, OperationState state, std::string_view order_id,
                           WallTime since) const {
  Reply reply;
  reply.pending = true;
  reply.operation_id = work.identity.id;
  reply.order_id = std::string(order_id);
  reply.response =
      domain::SerializeDeterministically(*work.registration->pending(operations::Pending(
          work.identity.id, state, order_id, since, settings_.pending_retry_after)));
  return reply;
}

absl::Status Engine::AskForApproval(const Work& work, const ports::ClaimResult& claimed) const {
  if (claimed.asked) {
    CountOperation(ports_.metrics, work.plan.project->name, work.plan.rpc,
                   v1::OPERATION_STATE_AWAITS_APPROVAL);
    telemetry::Log(Severity::kInfo, "approval_asked",
                   {telemetry::Trace(work.context.trace),
                    telemetry::OperationId(work.identity.id.ToString()),
                    {"who", work.plan.caller}});
  }
  return ApprovalNeeded(work.identity.id, claimed.approval,
                        ports_.clock.WallNow() + claimed.retry_after);
}

}  // namespace tollbridge::operations
