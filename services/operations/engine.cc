#include "services/operations/engine.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/core/test_hook.h"
#include "base/telemetry/log.h"
#include "base/telemetry/metric_definitions.h"
#include "base/telemetry/span.h"
#include "services/domain/deterministic.h"
#include "services/domain/mark.h"
#include "services/domain/rpc_status.h"
#include "services/operations/answers.h"
#include "services/operations/fingerprint.h"
#include "services/operations/identity.h"
#include "services/operations/operation_metrics.h"
#include "services/operations/outcome.h"
#include "services/operations/verdict.h"
#include "tollbridge/storage/v1/storage.pb.h"

namespace tollbridge::operations {

namespace asio = boost::asio;
using ports::OperationState;
using telemetry::Severity;

namespace {
/// Claims with an unknown result that are undone at a time; more end with their lease.
constexpr std::size_t kMostReleases = 1000;
}  // namespace

struct Engine::Work {
  Plan plan;
  const PlanRegistration* registration = nullptr;
  ports::OperationIdentity identity;
  std::string owner;
  ports::Context context;  ///< the caller's
  std::shared_ptr<void> counted;
};

/// One run of a claimed key, from the claim to what is recorded and told.
struct Engine::Attempt {
  ports::ClaimResult claim;
  BootTime window_start;
  std::vector<ports::Answer> answers;
  Verdict verdict;
  /// What evidence showed in place of the last answer.
  std::shared_ptr<const google::protobuf::Message> recovered;
  ports::FinishRequest finish;
  Reply reply;
};

Engine::Engine(asio::any_io_executor executor, Ports ports, Settings settings,
               const PlanTable& plans, std::shared_ptr<const OperationKeys> keys)
    : executor_(std::move(executor)),
      ports_(ports),
      settings_(std::move(settings)),
      plans_(plans),
      keys_(std::move(keys)),
      conclusions_(keys_, ports_.rng),
      pending_(std::make_shared<std::size_t>(0)) {}

std::shared_ptr<void> Engine::Count() {
  ++*pending_;
  return {pending_.get(), [pending = pending_](void*) { --*pending; }};
}

ports::Millis Engine::Since(BootTime time) const {
  return std::chrono::ceil<ports::Millis>(ports_.clock.BootNow() - time);
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
  work.registration = plans_.Find(plan.rpc);
  if (work.registration == nullptr) {
    reply.status = absl::FailedPreconditionError(plan.rpc + " has no plan");
    co_return reply;
  }
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
  Attempt attempt;
  // Read before SENT is asked for: however long the store takes, the window does not move.
  attempt.window_start = ports_.clock.BootNow();
  ports::Context claim_context = StoreContext(work.context.trace);
  claim_context.deadline = std::min(claim_context.deadline, work.context.deadline);
  TB_TEST_HOOK("operations.before_claim");
  absl::StatusOr<ports::ClaimResult> claimed = co_await ports_.store.Claim(claim, claim_context);
  if (!claimed.ok()) {
    telemetry::Log(Severity::kWarning, "operation_not_claimed",
                   {telemetry::Trace(work.context.trace),
                    telemetry::OperationId(work.identity.id.ToString()),
                    {"cause", std::string(claimed.status().message())}});
    // It may have been recorded all the same; nothing was sent under it.
    if (*pending_ <= kMostReleases) {
      asio::co_spawn(executor_,
                     KeepReleasing(work.identity, work.owner, work.context.trace, Count()),
                     asio::detached);
    }
    Reply refused;
    refused.operation_id = work.identity.id;
    refused.status = MakeOwnError(OwnError::kStore, work.identity.id.ToString());
    co_return refused;
  }
  const bool look_first = claimed->verdict == ports::ClaimVerdict::kLookFirst;
  if (claimed->verdict != ports::ClaimVerdict::kClaimed && !look_first) {
    co_return AnswerFromRecord(work, *claimed);
  }
  CountOperation(ports_.metrics, work.plan.rpc, OperationState::kRunning);
  TB_TEST_HOOK("operations.after_claim");

  attempt.claim = *std::move(claimed);
  attempt.finish.identity = work.identity;
  attempt.finish.attempt = attempt.claim.attempt;
  attempt.finish.epoch = attempt.claim.epoch;
  attempt.finish.owner = work.owner;
  attempt.finish.step = work.plan.steps.front().evidence;
  attempt.finish.late_effect_is_orphan = work.plan.steps.front().kind->late_effect_is_orphan;
  attempt.finish.next_look = settings_.look_backoff.front();
  attempt.reply.operation_id = work.identity.id;
  attempt.reply.order_id = work.identity.gate_order.value_or("");
  bool send = true;
  if (look_first) send = co_await AbsentForGood(work, attempt);
  if (send) send = MaySendToday(work, attempt);
  if (send) {
    co_await SendSteps(work, attempt);
    co_await Reconsider(work, attempt);
    Conclude(work, attempt);
  }
  TB_TEST_HOOK("operations.before_finish");
  Reply reply = co_await Record(work, std::move(attempt));
  TB_TEST_HOOK("operations.after_finish");
  co_return reply;
}

asio::awaitable<Finding> Engine::LookFor(const Work& work, const StepKind& kind,
                                         ports::StepEvidence evidence, std::uint32_t attempt,
                                         BootTime deadline) {
  telemetry::Span span = telemetry::StartSpan("look " + evidence.name, work.context.trace);
  LookRequest request;
  request.project = work.plan.project;
  request.operation = work.identity.id;
  request.attempt = attempt;
  request.step = std::move(evidence);
  request.context = {deadline, span.context()};
  Finding finding = co_await kind.look(ports_.service, request);
  co_return finding;
}

bool Engine::MaySendToday(const Work& work, Attempt& attempt) {
  if (!work.plan.check_before_sending) return true;
  absl::Status refused = work.plan.check_before_sending(ports_.clock.WallNow());
  if (refused.ok()) return true;
  attempt.verdict = {OperationState::kNotExecuted, "not sent: refused by the date",
                     std::move(refused)};
  Conclude(work, attempt);
  return false;
}

asio::awaitable<bool> Engine::AbsentForGood(const Work& work, Attempt& attempt) {
  ports::Millis wait{};
  for (auto step = work.plan.steps.rbegin(); step != work.plan.steps.rend(); ++step) {
    if (step->kind->on_absence == OnAbsence::kNeedsReview && !step->evidence.marked) {
      // Nothing at the service would say that it was us.
      wait = std::max(wait, attempt.claim.doubtful_left);
      continue;
    }
    if (!step->kind->completes) {
      // Where it went on from here, the step that completes shows; by search, if this one is.
      const ports::Millis quarantine = Quarantine(settings_, step->kind->by_search);
      wait = std::max(wait, quarantine - attempt.claim.doubtful_for);
      continue;
    }
    if (!step->kind->look) {
      // Nothing to read. The service itself refuses what it did before; where it does not, a second
      // one beside what the caller may hold already waits until nobody doubts the store.
      if (!step->kind->service_guards_repeat) wait = std::max(wait, attempt.claim.doubtful_left);
      continue;
    }
    const BootTime deadline = ports_.clock.BootNow() + settings_.look_timeout;
    Finding finding = co_await LookFor(work, *step->kind, step->evidence, 0, deadline);
    if (finding.presence == Presence::kPresent) {
      attempt.finish.step = step->evidence;
      attempt.verdict = {OperationState::kDone, "found before sending: " + finding.evidence, {}};
      attempt.recovered = std::move(finding.result);
      Conclude(work, attempt);
      co_return false;
    }
    if (finding.presence == Presence::kAmbiguous) {
      attempt.finish.step = step->evidence;
      attempt.finish.review_reason = ports::review::kAmbiguous;
      attempt.verdict = {OperationState::kNeedsReview, finding.evidence, {}};
      Conclude(work, attempt);
      co_return false;
    }
    if (finding.presence == Presence::kUndecided) {
      wait = std::max(wait, settings_.pending_retry_after);
    }
    // What could have been sent before the memory was lost is over when the first quarantine is.
    const ports::Millis quarantine = Quarantine(settings_, step->kind->by_search);
    wait = std::max(wait, quarantine - attempt.claim.doubtful_for);
  }
  if (wait <= ports::Millis::zero()) co_return true;
  attempt.finish.to = OperationState::kNotExecuted;
  attempt.finish.keep_look_first = true;
  attempt.finish.evidence = "the store is doubtful and absence is not established yet";
  attempt.reply.status = MakeOwnError(OwnError::kStoreDoubtful, work.identity.id.ToString(), wait);
  co_return false;
}

void Engine::Enter(const Step& step, Attempt& attempt) {
  attempt.finish.step = step.evidence;
  ++attempt.finish.step_number;
  attempt.finish.late_effect_is_orphan = step.kind->late_effect_is_orphan;
}

asio::awaitable<bool> Engine::PrepareStep(const Work& work, const Step& step, Attempt& attempt) {
  ports::FinishRequest& finish = attempt.finish;
  absl::StatusOr<ports::StepEvidence> shown = step.evidence;
  if (step.prepare) shown = step.prepare(attempt.answers);
  if (shown.ok()) {
    const Verdict compared =
        CompareAmounts(step.evidence, {.amount = shown->amount, .currency = shown->currency});
    if (compared.state != OperationState::kDone) {
      finish.step.order_id = shown->order_id;
      finish.review_reason = compared.evidence;
      attempt.verdict = compared;
      co_return false;
    }
  }
  Enter(step, attempt);
  if (!shown.ok()) {
    attempt.verdict = {OperationState::kNotExecuted,
                       "an answer that lacks what the next step needs",
                       MakeOwnError(OwnError::kAnswerLost, "")};
    co_return false;
  }
  if (step.kind->completes && step.kind->look && attempt.claim.attempt > 1) {
    const BootTime deadline = ports_.clock.BootNow() + settings_.look_timeout;
    Finding finding = co_await LookFor(work, *step.kind, step.evidence, 0, deadline);
    if (finding.presence == Presence::kPresent) {
      attempt.verdict = {OperationState::kDone, "an earlier attempt: " + finding.evidence, {}};
      attempt.recovered = std::move(finding.result);
      co_return false;
    }
    if (finding.presence != Presence::kAbsent) {
      attempt.verdict = {OperationState::kNotExecuted, "earlier attempts cannot be read",
                         MakeOwnError(OwnError::kAnswerLost, "")};
      co_return false;
    }
  }
  finish.step.order_id = std::move(shown->order_id);
  finish.step.transaction_id = std::move(shown->transaction_id);
  co_return true;
}

AsyncStatus Engine::BeginStep(const Work& work, Attempt& attempt,
                              const telemetry::TraceContext& trace) {
  ports::OperationIdentity& identity = attempt.finish.identity;
  const std::string& order = attempt.finish.step.order_id;
  if (!identity.gate_order.has_value() && !order.empty()) {
    identity.gate_order = order;
    attempt.reply.order_id = order;
  }
  attempt.window_start = ports_.clock.BootNow();
  TB_TEST_HOOK("operations.before_begin_step");
  const absl::Status begun =
      co_await ports_.store.BeginStep(identity, attempt.claim, work.owner, attempt.finish.step,
                                      settings_.lease, StoreContext(trace));
  TB_TEST_HOOK("operations.after_begin_step");
  co_return begun;
}

asio::awaitable<void> Engine::SendSteps(const Work& work, Attempt& attempt) {
  bool sent = attempt.claim.verdict == ports::ClaimVerdict::kClaimed;
  const std::string mark = domain::ToText({.operation = work.identity.id,
                                           .epoch = attempt.claim.epoch,
                                           .attempt = attempt.claim.attempt});
  for (const Step& step : work.plan.steps) {
    telemetry::Span span = telemetry::StartSpan("step " + step.evidence.name, work.context.trace);
    const bool order_is_ours = !attempt.answers.empty() && !work.plan.gate_order.has_value();
    if (attempt.answers.empty()) {
      Enter(step, attempt);
    } else {
      const bool prepared = co_await PrepareStep(work, step, attempt);
      if (!prepared) co_return;
    }
    ports::Answer answer;
    absl::Status begun;
    if (!sent) begun = co_await BeginStep(work, attempt, span.context());
    sent = false;
    if (begun.ok()) {
      StepContext context;
      context.mark = mark;
      context.guard.write_before = attempt.window_start + settings_.send_window;
      context.earlier = attempt.answers;
      context.context = {ports_.clock.BootNow() + settings_.attempt_deadline, span.context()};
      answer = co_await step.send(ports_.service, context);
      TB_TEST_HOOK("operations.after_answer");
    } else {
      answer.fate = ports::Answer::Fate::kNotSent;
      answer.cause = "the step could not be recorded";
    }
    attempt.verdict =
        JudgeAnswer(answer, {.attempt = attempt.claim.attempt,
                             .fresh_order = attempt.claim.fresh_order || order_is_ours,
                             .doubtful = attempt.claim.doubtful});
    if (!step.kind->look) attempt.verdict = WithoutEvidence(*step.kind, std::move(attempt.verdict));
    if (!step.kind->completes) attempt.verdict = OfPreparation(std::move(attempt.verdict));
    attempt.answers.push_back(std::move(answer));
    if (attempt.verdict.state != OperationState::kDone) span.SetError(attempt.verdict.evidence);
    if (attempt.verdict.state != OperationState::kDone || !attempt.verdict.error.ok()) co_return;
  }
}

asio::awaitable<void> Engine::Reconsider(const Work& work, Attempt& attempt) {
  const bool unknown = attempt.verdict.state == OperationState::kUnknown;
  if (!unknown && !attempt.verdict.evidence_first) co_return;
  const Step& step = work.plan.steps[attempt.answers.size() - 1];
  const BootTime now = ports_.clock.BootNow();
  BootTime deadline = now + settings_.look_timeout;
  if (unknown) {
    // Only with what the caller has left beside recording and answering.
    deadline = std::min(deadline, work.context.deadline - settings_.store_timeout);
    if (deadline <= now) co_return;
  }
  Finding finding =
      co_await LookFor(work, *step.kind, attempt.finish.step, attempt.claim.attempt, deadline);
  if (finding.presence == Presence::kPresent && step.kind->completes) {
    attempt.verdict = {OperationState::kDone, "recovered: " + finding.evidence, {}};
    attempt.recovered = std::move(finding.result);
  } else if (!unknown && finding.presence != Presence::kAbsent) {
    attempt.verdict = {
        OperationState::kUnknown, attempt.verdict.evidence + ", and evidence does not decide", {}};
  }
}

void Engine::Conclude(const Work& work, Attempt& attempt) {
  Verdict& verdict = attempt.verdict;
  ports::FinishRequest& finish = attempt.finish;
  finish.to = verdict.state;
  finish.evidence = verdict.evidence;
  if (verdict.state == OperationState::kDone && verdict.error.ok()) {
    const auto knowledge =
        attempt.recovered != nullptr ? ports::Knowledge::kRecovered : ports::Knowledge::kAnswered;
    const google::protobuf::Message& last =
        attempt.recovered != nullptr ? *attempt.recovered : *attempt.answers.back().result;
    attempt.reply.response =
        conclusions_.Executed(*work.registration, *work.plan.project, last, knowledge, finish);
    if (finish.order.has_value()) attempt.reply.order_id = finish.step.order_id;
    const StepKind* kind = work.registration->FindStep(finish.step.name);
    if (finish.to == OperationState::kUnknown && kind != nullptr && !kind->look) {
      verdict = WithoutEvidence(*kind, {OperationState::kUnknown, finish.evidence, {}});
      finish.to = verdict.state;
      finish.evidence = verdict.evidence;
    }
  }
  switch (finish.to) {
    case OperationState::kDone:
      if (verdict.error.ok()) break;
      attempt.reply.status = WithOperationId(verdict.error, work.identity.id);
      conclusions_.Refused(attempt.reply.status, finish);
      break;
    case OperationState::kNotExecuted:
      attempt.reply.status = WithOperationId(verdict.error, work.identity.id);
      break;
    default:
      attempt.reply = PendingReply(work, finish.to, attempt.reply.order_id, ports_.clock.WallNow());
      break;
  }
}

asio::awaitable<Reply> Engine::Record(const Work& work, Attempt attempt) {
  attempt.finish.sent_ago = Since(attempt.window_start);
  const absl::StatusOr<ports::FinishVerdict> finished =
      co_await ports_.store.Finish(attempt.finish, StoreContext(work.context.trace));
  if (!finished.ok()) {
    telemetry::Log(Severity::kWarning, "operation_result_not_recorded",
                   {telemetry::Trace(work.context.trace),
                    telemetry::OperationId(work.identity.id.ToString()),
                    {"cause", std::string(finished.status().message())}});
    asio::co_spawn(
        executor_,
        KeepRecording(std::move(attempt.finish), attempt.window_start, work.context.trace, Count()),
        asio::detached);
    co_return attempt.reply;
  }
  Recorded(attempt.finish, *finished, work.context.trace);
  const bool nothing_done = attempt.finish.to == OperationState::kNotExecuted;
  if (*finished == ports::FinishVerdict::kRecorded || nothing_done) co_return attempt.reply;
  // The attempt was given up meanwhile, or another has found its outcome. What the key stands for
  // now is the record's to say: the same key asks it.
  co_return PendingReply(work, OperationState::kUnknown, "", ports_.clock.WallNow());
}

asio::awaitable<void> Engine::KeepRecording(ports::FinishRequest finish, BootTime sent_at,
                                            telemetry::TraceContext trace,
                                            std::shared_ptr<void> counted) {
  static_cast<void>(counted);
  ports::Millis backoff = settings_.record_backoff;
  for (;;) {
    co_await ports_.clock.Sleep(backoff);
    finish.sent_ago = Since(sent_at);
    const absl::StatusOr<ports::FinishVerdict> finished =
        co_await ports_.store.Finish(finish, StoreContext(trace));
    if (finished.ok()) {
      Recorded(finish, *finished, trace);
      co_return;
    }
    backoff = std::min(backoff * 2, settings_.record_longest_backoff);
  }
}

asio::awaitable<void> Engine::KeepReleasing(ports::OperationIdentity identity, std::string owner,
                                            telemetry::TraceContext trace,
                                            std::shared_ptr<void> counted) {
  static_cast<void>(counted);
  // After the lease the claim ends by itself.
  const BootTime lease_end = ports_.clock.BootNow() + settings_.lease;
  ports::Millis backoff = settings_.record_backoff;
  while (ports_.clock.BootNow() < lease_end) {
    co_await ports_.clock.Sleep(backoff);
    const absl::Status released =
        co_await ports_.store.Release(identity, owner, StoreContext(trace));
    if (released.ok()) co_return;
    backoff = std::min(backoff * 2, settings_.record_longest_backoff);
  }
}

void Engine::Recorded(const ports::FinishRequest& finish, ports::FinishVerdict verdict,
                      const telemetry::TraceContext& trace) {
  if (verdict == ports::FinishVerdict::kRecorded) {
    CountOperation(ports_.metrics, finish.identity.rpc, finish.to);
  }
  if (verdict == ports::FinishVerdict::kLateEffect) {
    ports_.metrics.Get(telemetry::kLateEffects, {finish.identity.rpc}).Increment();
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
  const std::string id = work.identity.id.ToString();
  switch (claimed.verdict) {
    case ports::ClaimVerdict::kDone:
      return Replay(work, claimed.outcome);
    case ports::ClaimVerdict::kPending:
      return PendingReply(work, claimed.state, claimed.order_id, claimed.since);
    case ports::ClaimVerdict::kKeyReused:
      reply.status = MakeOwnError(OwnError::kKeyReused, id);
      return reply;
    case ports::ClaimVerdict::kOrderBusy:
      reply.status = MakeOwnError(OwnError::kOrderBusy, claimed.holder, settings_.busy_retry_after);
      return reply;
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
      OpenOutcome(sealed, work.identity.id, keys_->outcomes);
  if (!outcome.ok()) {
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

Reply Engine::PendingReply(const Work& work, OperationState state, std::string_view order_id,
                           ports::WallTime since) {
  Reply reply;
  reply.operation_id = work.identity.id;
  reply.order_id = std::string(order_id);
  reply.response =
      domain::SerializeDeterministically(*work.registration->pending(operations::Pending(
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
