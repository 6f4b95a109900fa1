#include "services/operations/engine.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "services/base/test_hook.h"
#include "services/domain/deterministic.h"
#include "services/domain/rpc_status.h"
#include "services/domain/sensitivity.h"
#include "services/operations/answers.h"
#include "services/operations/fingerprint.h"
#include "services/operations/identity.h"
#include "services/operations/operation_metrics.h"
#include "services/operations/outcome.h"
#include "services/telemetry/log.h"
#include "services/telemetry/metric_definitions.h"
#include "services/telemetry/span.h"
#include "tollbridge/storage/v1/storage.pb.h"

namespace tollbridge::operations {

namespace asio = boost::asio;
using ports::OperationState;
using telemetry::Severity;

struct Engine::Work {
  Plan plan;
  ports::OperationIdentity identity;
  std::string owner;
  ports::Context context;  ///< the caller's
  std::shared_ptr<void> counted;
};

Engine::Engine(asio::any_io_executor executor, Ports ports, Settings settings,
               std::shared_ptr<const OperationKeys> keys)
    : executor_(std::move(executor)),
      ports_(ports),
      settings_(std::move(settings)),
      keys_(std::move(keys)),
      pending_(std::make_shared<std::size_t>(0)) {}

std::shared_ptr<void> Engine::Count() {
  ++*pending_;
  return {pending_.get(), [pending = pending_](void*) { --*pending; }};
}

ports::Context Engine::StoreContext(const telemetry::TraceContext& trace) const {
  return {ports_.clock.BootNow() + settings_.store_timeout, trace};
}

asio::awaitable<Reply> Engine::Run(Plan plan, ports::Context context) {
  absl::StatusOr<std::vector<ports::Fingerprint>> fingerprints =
      Fingerprints(plan.rpc, *plan.request, keys_->fingerprints);
  Reply reply;
  if (!fingerprints.ok()) {
    reply.status = fingerprints.status();
    co_return reply;
  }
  Work work;
  work.identity.id = OperationId(plan.project->id, plan.idempotency_key);
  work.identity.rpc = plan.rpc;
  work.identity.project = plan.project->name;
  work.identity.fingerprints = *std::move(fingerprints);
  work.identity.capture_mode = plan.capture_mode;
  work.identity.traceparent = context.trace.ToTraceparent();
  work.identity.gate_order = plan.gate_order;
  work.owner = settings_.process_name + "/" + ports_.rng.NewUuid().ToString();
  work.context = context;
  work.counted = Count();
  work.plan = std::move(plan);
  // The empty slot keeps the caller's cancellation away from the operation.
  reply = co_await asio::co_spawn(
      executor_, Execute(std::move(work)),
      asio::bind_cancellation_slot(asio::cancellation_slot(), asio::use_awaitable));
  co_return reply;
}

asio::awaitable<Reply> Engine::Execute(Work work) {
  ports::ClaimRequest claim;
  claim.identity = work.identity;
  claim.owner = work.owner;
  claim.lease = settings_.lease;
  claim.first_step = work.plan.steps.front().evidence;
  // Read before SENT is asked for: however long the store takes, the window does not move.
  const BootTime window_start = ports_.clock.BootNow();
  ports::Context claim_context = StoreContext(work.context.trace);
  claim_context.deadline = std::min(claim_context.deadline, work.context.deadline);
  const absl::StatusOr<ports::ClaimResult> claimed =
      co_await ports_.store.Claim(claim, claim_context);
  if (!claimed.ok()) {
    telemetry::Log(Severity::kWarning, "operation_not_claimed",
                   {telemetry::Trace(work.context.trace),
                    telemetry::OperationId(work.identity.id.ToString()),
                    {"cause", std::string(claimed.status().message())}});
    Reply refused;
    refused.operation_id = work.identity.id;
    refused.status = StoreError(claimed.status(), work.identity.id);
    co_return refused;
  }
  if (claimed->verdict != ports::ClaimVerdict::kClaimed) co_return AnswerFromRecord(work, *claimed);
  CountOperation(ports_.metrics, work.plan.rpc, OperationState::kRunning);
  TB_TEST_HOOK("operations.after_claim");

  std::vector<ports::Answer> answers;
  Verdict verdict = co_await SendSteps(work, *claimed, window_start, answers);
  ports::FinishRequest finish;
  finish.identity = work.identity;
  finish.attempt = claimed->attempt;
  finish.owner = work.owner;
  finish.step = work.plan.steps[answers.size() - 1].evidence;
  finish.late_effect_is_orphan = !work.plan.gate_order.has_value();
  Reply reply = Conclude(work, std::move(verdict), answers, finish);
  TB_TEST_HOOK("operations.before_finish");
  reply = co_await Record(work, std::move(finish), std::move(reply));
  TB_TEST_HOOK("operations.after_finish");
  co_return reply;
}

asio::awaitable<Verdict> Engine::SendSteps(const Work& work, const ports::ClaimResult& claimed,
                                           BootTime window_start,
                                           std::vector<ports::Answer>& answers) {
  Verdict verdict;
  for (const Step& step : work.plan.steps) {
    const bool first = answers.empty();
    telemetry::Span span = telemetry::StartSpan("step " + step.evidence.name, work.context.trace);
    StepContext context;
    context.mark = Mark(work.identity.id, claimed.epoch, claimed.attempt);
    context.guard.write_before =
        (first ? window_start : ports_.clock.BootNow()) + settings_.send_window;
    context.earlier = answers;
    ports::Answer answer;
    absl::Status begun;
    if (!first) {
      begun = co_await ports_.store.BeginStep(work.identity, claimed.attempt, work.owner,
                                              step.evidence, StoreContext(span.context()));
    }
    if (begun.ok()) {
      context.context = {ports_.clock.BootNow() + settings_.attempt_deadline, span.context()};
      answer = co_await step.send(ports_.service, context);
    } else {
      answer.fate = ports::Answer::Fate::kNotSent;
      answer.cause = "the step could not be recorded";
    }
    // The order of an operation without a gate was created by its own first step, just now.
    const bool fresh_order = !first && !work.plan.gate_order.has_value();
    verdict = JudgeAnswer(answer, claimed.attempt, fresh_order);
    answers.push_back(std::move(answer));
    if (verdict.state != OperationState::kDone) span.SetError(verdict.evidence);
    if (verdict.state != OperationState::kDone || !verdict.error.ok()) break;
  }
  co_return verdict;
}

Reply Engine::Conclude(const Work& work, Verdict verdict, std::span<const ports::Answer> answers,
                       ports::FinishRequest& finish) {
  Reply reply;
  reply.operation_id = work.identity.id;
  reply.order_id = work.identity.gate_order.value_or("");
  storage::v1::StoredOutcome outcome;
  outcome.set_knowledge(v1::KNOWLEDGE_ANSWERED);
  if (verdict.state == OperationState::kDone && verdict.error.ok()) {
    absl::StatusOr<PlanResult> result = work.plan.result(answers);
    if (!result.ok()) {
      verdict = {OperationState::kUnknown, "an answer that lacks what it must hold", {}};
    } else {
      verdict = CompareAmounts(finish.step, *result);
      finish.order = std::move(result->order);
      if (finish.order.has_value()) {
        finish.order->capture_mode = work.identity.capture_mode;
        finish.order->traceparent = work.identity.traceparent;
        reply.order_id = finish.order->key.root.ToString();
        finish.step.order_id = reply.order_id;
      }
      reply.response = domain::SerializeDeterministically(*result->response);
      // What may be kept nowhere may not be kept here (rule 17).
      if (domain::HoldsSensitive(*result->response, options::v1::SENSITIVITY_CARD_DATA)) {
        outcome.set_result_not_kept(true);
      } else {
        outcome.set_response(reply.response);
      }
    }
  }
  finish.to = verdict.state;
  finish.evidence = verdict.evidence;
  switch (verdict.state) {
    case OperationState::kDone:
      if (!verdict.error.ok()) {
        reply.status = WithOperationId(verdict.error, work.identity.id);
        *outcome.mutable_status() = domain::ToRpcStatus(reply.status);
      }
      Seal(std::move(outcome), finish);
      break;
    case OperationState::kNotExecuted:
      reply.status = WithOperationId(verdict.error, work.identity.id);
      break;
    default:
      reply = PendingReply(work, verdict.state, reply.order_id, ports_.clock.WallNow());
      break;
  }
  return reply;
}

void Engine::Seal(storage::v1::StoredOutcome outcome, ports::FinishRequest& finish) {
  absl::StatusOr<std::string> sealed =
      SealOutcome(outcome, finish.identity.id, keys_->outcomes, ports_.rng);
  if (absl::IsResourceExhausted(sealed.status())) {
    outcome.clear_response();
    outcome.set_result_not_kept(true);
    sealed = SealOutcome(outcome, finish.identity.id, keys_->outcomes, ports_.rng);
  }
  if (sealed.ok()) {
    finish.outcome = *std::move(sealed);
    return;
  }
  telemetry::Log(Severity::kError, "outcome_not_sealed",
                 {telemetry::OperationId(finish.identity.id.ToString()),
                  {"cause", std::string(sealed.status().message())}});
}

asio::awaitable<Reply> Engine::Record(const Work& work, ports::FinishRequest finish, Reply reply) {
  const absl::StatusOr<ports::FinishVerdict> finished =
      co_await ports_.store.Finish(finish, StoreContext(work.context.trace));
  if (!finished.ok()) {
    telemetry::Log(Severity::kWarning, "operation_result_not_recorded",
                   {telemetry::Trace(work.context.trace),
                    telemetry::OperationId(finish.identity.id.ToString()),
                    {"cause", std::string(finished.status().message())}});
    asio::co_spawn(executor_, KeepRecording(std::move(finish), work.context.trace, Count()),
                   asio::detached);
    co_return reply;
  }
  Recorded(finish, *finished, work.context.trace);
  // This success came after its attempt was given up: an order that nobody follows, or a matter for
  // a person. What the key stands for now is another attempt's to say.
  if (*finished == ports::FinishVerdict::kLateEffect) {
    co_return PendingReply(work, OperationState::kUnknown, "", ports_.clock.WallNow());
  }
  co_return reply;
}

asio::awaitable<void> Engine::KeepRecording(ports::FinishRequest finish,
                                            telemetry::TraceContext trace,
                                            std::shared_ptr<void> counted) {
  static_cast<void>(counted);
  ports::Millis backoff = settings_.record_backoff;
  for (;;) {
    co_await ports_.clock.Sleep(backoff);
    const absl::StatusOr<ports::FinishVerdict> finished =
        co_await ports_.store.Finish(finish, StoreContext(trace));
    if (finished.ok()) {
      Recorded(finish, *finished, trace);
      co_return;
    }
    backoff = std::min(backoff * 2, settings_.record_longest_backoff);
  }
}

void Engine::Recorded(const ports::FinishRequest& finish, ports::FinishVerdict verdict,
                      const telemetry::TraceContext& trace) {
  if (verdict == ports::FinishVerdict::kRecorded) {
    CountOperation(ports_.metrics, finish.identity.rpc, finish.to);
  }
  const bool plain =
      verdict == ports::FinishVerdict::kRecorded &&
      (finish.to == OperationState::kDone || finish.to == OperationState::kNotExecuted);
  if (plain) return;
  telemetry::Log(Severity::kWarning, "operation_not_settled",
                 {telemetry::Trace(trace),
                  telemetry::OperationId(finish.identity.id.ToString()),
                  {"state", StateName(finish.to)},
                  {"evidence", finish.evidence},
                  {"record", FinishVerdictName(verdict)}});
}

Reply Engine::AnswerFromRecord(const Work& work, const ports::ClaimResult& claimed) {
  Reply reply;
  reply.operation_id = work.identity.id;
  switch (claimed.verdict) {
    case ports::ClaimVerdict::kDone:
      return Replay(work, claimed.outcome);
    case ports::ClaimVerdict::kPending:
      return PendingReply(work, claimed.state, claimed.order_id, claimed.since);
    case ports::ClaimVerdict::kKeyReused:
      reply.status = KeyReusedError(work.identity.id);
      return reply;
    case ports::ClaimVerdict::kOrderBusy:
      reply.status = OrderBusyError(claimed.holder, settings_.busy_retry_after);
      return reply;
    case ports::ClaimVerdict::kInProgress:
    case ports::ClaimVerdict::kClaimed:
      break;
  }
  reply.status = InProgressError(work.identity.id, claimed.retry_after);
  return reply;
}

Reply Engine::Replay(const Work& work, const std::string& sealed) {
  ports_.metrics.Get(telemetry::kOperationsReplayed, {work.plan.rpc}).Increment();
  Reply reply;
  reply.operation_id = work.identity.id;
  reply.replay = true;
  if (sealed.empty()) {
    reply.status = ResultNotKeptError(work.identity.id);
    return reply;
  }
  absl::StatusOr<storage::v1::StoredOutcome> outcome =
      OpenOutcome(sealed, work.identity.id, keys_->outcomes);
  if (!outcome.ok()) {
    telemetry::Log(Severity::kError, "outcome_unreadable",
                   {telemetry::Trace(work.context.trace),
                    telemetry::OperationId(work.identity.id.ToString()),
                    {"cause", std::string(outcome.status().message())}});
    reply.status = OutcomeUnreadableError(work.identity.id);
  } else if (outcome->result_not_kept()) {
    reply.status = ResultNotKeptError(work.identity.id);
  } else if (outcome->status().code() != 0) {
    reply.status = domain::FromRpcStatus(outcome->status());
  } else {
    reply.response = std::move(*outcome->mutable_response());
  }
  return reply;
}

Reply Engine::PendingReply(const Work& work, OperationState state, std::string_view order_id,
                           ports::WallTime since) {
  Reply reply;
  reply.operation_id = work.identity.id;
  reply.order_id = std::string(order_id);
  reply.response = domain::SerializeDeterministically(*work.plan.pending(operations::Pending(
      work.identity.id, state, order_id, since, settings_.pending_retry_after)));
  return reply;
}

asio::awaitable<bool> Engine::Drain(BootTime deadline) {
  constexpr ports::Millis kPoll{20};
  while (*pending_ > 0 && ports_.clock.BootNow() < deadline) {
    co_await ports_.clock.Sleep(kPoll);
  }
  co_return *pending_ == 0;
}

}  // namespace tollbridge::operations
