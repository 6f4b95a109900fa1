#include "services/operations/engine.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string_view>
#include <utility>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/core/backoff.h"
#include "base/core/encoding.h"
#include "base/core/test_hook.h"
#include "base/telemetry/log.h"
#include "base/telemetry/metric_definitions.h"
#include "services/domain/mark.h"
#include "services/operations/answers.h"
#include "services/operations/approval.h"
#include "services/operations/engine_work.h"
#include "services/operations/fingerprint.h"
#include "services/operations/identity.h"
#include "services/operations/money.h"
#include "services/operations/operation_metrics.h"
#include "services/operations/plan_run.h"
#include "services/operations/verdict.h"
#include "tollbridge/common/v1/order.pb.h"

namespace tollbridge::operations {

namespace asio = boost::asio;
using telemetry::Severity;

namespace {
/// Claims with an unknown result that are undone at a time; more end with their lease.
constexpr std::size_t kMostReleases = 1000;
/// Results that the store has not taken: beyond either nothing is claimed, since each claim may add
/// one.
constexpr std::size_t kMostUnrecorded = 1000;
constexpr std::size_t kMostUnrecordedBytes = std::size_t{64} << 20;
}  // namespace

Engine::Engine(asio::any_io_executor executor, Ports ports, Settings settings,
               const PlanTable& plans, KeySource keys)
    : executor_(std::move(executor)),
      ports_(ports),
      settings_(std::move(settings)),
      plans_(plans),
      keys_(std::move(keys)),
      conclusions_(keys_, ports_.rng),
      settled_(ports_.metrics),
      pending_(std::make_shared<std::size_t>(0)),
      unrecorded_(std::make_shared<Unrecorded>()) {}

std::shared_ptr<void> Engine::Count() {
  ++*pending_;
  return {pending_.get(), [pending = pending_](void*) { --*pending; }};
}

std::shared_ptr<void> Engine::CountUnrecorded(std::size_t bytes) {
  ++unrecorded_->results;
  unrecorded_->bytes += bytes;
  return {unrecorded_.get(), [unrecorded = unrecorded_, pending = Count(), bytes](void*) {
            --unrecorded->results;
            unrecorded->bytes -= bytes;
          }};
}

bool Engine::TooManyUnrecorded() const {
  return unrecorded_->results >= kMostUnrecorded || unrecorded_->bytes >= kMostUnrecordedBytes;
}

ports::Millis Engine::Since(BootTime time) const {
  return std::chrono::ceil<ports::Millis>(ports_.clock.BootNow() - time);
}

ports::Context Engine::StoreContext(const telemetry::TraceContext& trace) const {
  return {ports_.clock.BootNow() + settings_.store_timeout, trace};
}

asio::awaitable<Reply> Engine::Run(Plan plan, ports::Context context) {
  absl::StatusOr<std::vector<ports::Fingerprint>> fingerprints =
      Fingerprints(plan.rpc, *plan.request, keys_()->fingerprints);
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
  work.identity.caller = plan.caller;
  work.identity.capture_mode = plan.capture_mode;
  work.identity.traceparent = context.trace.ToTraceparent();
  work.identity.gate_order = plan.gate_order;
  work.owner = settings_.process_name + "/" + Base64UrlEncode(ports_.rng.NewUuid().ToBytes());
  work.context = context;
  work.counted = Count();
  work.plan = std::move(plan);
  // The empty slot keeps the caller's cancellation away from the operation.
  reply = co_await asio::co_spawn(
      executor_, Execute(std::move(work)),
      asio::bind_cancellation_slot(asio::cancellation_slot(), asio::use_awaitable));
  co_return reply;
}

Engine::SendWindow Engine::OpenWindow(const Work& work, ports::ClaimRequest& claim) const {
  // Read before SENT is asked for: however long the store takes, the window does not move.
  SendWindow window{ports_.clock.BootNow(), ports_.clock.WallNow(),
                    StoreContext(work.context.trace)};
  window.claim.deadline = std::min(window.claim.deadline, work.context.deadline);
  claim.good_for = std::chrono::duration_cast<ports::Millis>(
      std::max(window.claim.deadline - window.start, BootTime::duration::zero()));
  return window;
}

asio::awaitable<Reply> Engine::Execute(Work work) {
  ports::ClaimRequest claim;
  if (TooManyUnrecorded()) {
    Reply refused;
    refused.operation_id = work.identity.id;
    refused.status = MakeOwnError(OwnError::kStore, work.identity.id.ToString());
    co_return refused;
  }
  claim.identity = work.identity;
  claim.owner = work.owner;
  claim.lease = settings_.lease;
  claim.first_step = work.plan.steps.front().target;
  if (const Step* shown = StepThatEvidenceShows(work.plan)) claim.looked_for = shown->target;
  claim.money = MoneyClaimOf(work.plan);
  claim.approval = ApprovalOf(work.plan, work.identity.id, work.owner, settings_);
  SendWindow window = OpenWindow(work, claim);
  TB_TEST_HOOK("operations.before_claim");
  absl::StatusOr<ports::ClaimResult> claimed = co_await ports_.store.Claim(claim, window.claim);
  if (claimed.ok() && claimed->verdict == ports::ClaimVerdict::kWhoseCurrency) {
    Reply refused;
    refused.operation_id = work.identity.id;
    refused.status = co_await LearnFromOrder(ports_.service, work.plan, work.context, claim.money);
    if (!refused.status.ok()) co_return refused;
    window = OpenWindow(work, claim);
    claimed = co_await ports_.store.Claim(claim, window.claim);
  }
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
  if (claimed->verdict != ports::ClaimVerdict::kClaimed &&
      claimed->verdict != ports::ClaimVerdict::kLookFirst) {
    co_return AnswerFromRecord(work, claim, *claimed);
  }
  CountOperation(ports_.metrics, work.plan.project->name, work.plan.rpc,
                 v1::OPERATION_STATE_RUNNING);
  TB_TEST_HOOK("operations.after_claim");

  const PlanRun run({.service = ports_.service,
                     .store = ports_.store,
                     .registry = ports_.registry,
                     .clock = ports_.clock},
                    {.settings = settings_,
                     .plan = work.plan,
                     .identity = work.identity,
                     .owner = work.owner,
                     .caller = work.context,
                     .claim = *claimed,
                     .window_start = window.start,
                     .window_start_civil = window.start_civil});
  Ended ended = co_await run.Run();
  // It will not be found by what it does not carry.
  if (LostMark(work, ended)) ended.step.target.marked = false;
  Conclusion conclusion = Conclude(work, *claimed, ended);
  TB_TEST_HOOK("operations.before_finish");
  Reply reply = co_await Record(work, std::move(conclusion), ended.step.window_start);
  TB_TEST_HOOK("operations.after_finish");
  co_return reply;
}

ports::FinishRequest Engine::FinishOf(const Work& work, const ports::ClaimResult& claim,
                                      const Ended& ended) const {
  ports::FinishRequest finish;
  finish.identity = work.identity;
  finish.identity.gate_order = ended.step.gate_order;
  finish.attempt = claim.attempt;
  finish.epoch = claim.epoch;
  finish.owner = work.owner;
  finish.step = ended.step.target;
  finish.step_number = ended.step.number;
  finish.to = ended.verdict.state;
  finish.unproven = ended.verdict.unproven;
  finish.keep_look_first = ended.keep_look_first;
  finish.review_reason = ended.review_reason;
  finish.reason = ended.verdict.reason;
  finish.heard = ended.verdict.heard;
  finish.late_effect_is_orphan = ended.step.late_effect_is_orphan;
  finish.next_look = settings_.look_backoff.front();
  return finish;
}

Engine::Conclusion Engine::Conclude(const Work& work, const ports::ClaimResult& claim,
                                    const Ended& ended) const {
  std::shared_ptr<const OperationKeys> keys = keys_();
  ports::FinishRequest finish = FinishOf(work, claim, ended);
  absl::Status error = ended.verdict.error;
  Reply reply;
  reply.operation_id = work.identity.id;
  reply.order_id = finish.identity.gate_order.value_or("");
  if (finish.to == v1::OPERATION_STATE_DONE && error.ok()) {
    reply.response = conclusions_.Executed(*work.registration, *work.plan.project, *ended.result,
                                           ended.knowledge, finish);
    if (finish.order.has_value()) reply.order_id = finish.step.order_id;
    const StepKind* kind = work.registration->FindStep(finish.step.name);
    if (finish.to == v1::OPERATION_STATE_UNKNOWN && kind != nullptr && !kind->look) {
      const Verdict lost = WithoutEvidence(*kind, {v1::OPERATION_STATE_UNKNOWN, finish.reason, {}});
      finish.to = lost.state;
      finish.unproven = lost.unproven;
      finish.reason = lost.reason;
      error = lost.error;
    }
  }
  switch (finish.to) {
    case v1::OPERATION_STATE_DONE:
      if (error.ok()) break;
      reply.status = WithOperationId(error, work.identity.id);
      conclusions_.Refused(reply.status, finish);
      break;
    case v1::OPERATION_STATE_NOT_EXECUTED:
      reply.status = WithOperationId(error, work.identity.id);
      break;
    default:
      if (error.ok()) {
        reply = PendingReply(work, finish.to, reply.order_id, ports_.clock.WallNow());
      } else {
        reply.status = WithOperationId(error, work.identity.id);
      }
      break;
  }
  return {.finish = std::move(finish), .reply = std::move(reply), .keys = std::move(keys)};
}

asio::awaitable<Reply> Engine::Record(const Work& work, Conclusion conclusion,
                                      BootTime window_start) {
  conclusion.finish.sent_ago = Since(window_start);
  const absl::StatusOr<ports::FinishVerdict> finished =
      co_await ports_.store.Finish(conclusion.finish, StoreContext(work.context.trace));
  if (!finished.ok()) {
    telemetry::Log(Severity::kWarning, "operation_result_not_recorded",
                   {telemetry::Trace(work.context.trace),
                    telemetry::OperationId(work.identity.id.ToString()),
                    {"cause", std::string(finished.status().message())}});
    NoteRefused(finished.status(), conclusion.finish, work.context.trace);
    Reply told = std::move(conclusion.reply);
    if (conclusion.finish.replicated) {
      told = PendingReply(work, v1::OPERATION_STATE_UNKNOWN, told.order_id, ports_.clock.WallNow());
    }
    ports_.metrics.Get(telemetry::kResultsUnrecorded).Add(1);
    std::shared_ptr<void> counted = CountUnrecorded(conclusion.finish.outcome.size());
    asio::co_spawn(executor_,
                   KeepRecording(std::move(conclusion.finish), std::move(conclusion.keys),
                                 window_start, work.context.trace, std::move(counted)),
                   asio::detached);
    co_return told;
  }
  Recorded(conclusion.finish, *finished, work.context.trace);
  const bool nothing_done = conclusion.finish.to == v1::OPERATION_STATE_NOT_EXECUTED;
  if (*finished == ports::FinishVerdict::kRecorded || nothing_done) co_return conclusion.reply;
  // The attempt was given up meanwhile, or another has found its outcome. What the key stands for
  // now is the record's to say: the same key asks it.
  co_return PendingReply(work, v1::OPERATION_STATE_UNKNOWN, "", ports_.clock.WallNow());
}

asio::awaitable<void> Engine::KeepRecording(ports::FinishRequest finish,
                                            std::shared_ptr<const OperationKeys> keys,
                                            BootTime sent_at, telemetry::TraceContext trace,
                                            std::shared_ptr<void> counted) {
  static_cast<void>(counted);
  Backoff backoff(settings_.record_backoff, settings_.record_longest_backoff);
  for (;;) {
    co_await ports_.clock.Sleep(backoff.Next());
    // The store may be away for longer than a rotation takes.
    conclusions_.Renew(finish, keys);
    finish.sent_ago = Since(sent_at);
    const absl::StatusOr<ports::FinishVerdict> finished =
        co_await ports_.store.Finish(finish, StoreContext(trace));
    if (finished.ok()) {
      ports_.metrics.Get(telemetry::kResultsUnrecorded).Add(-1);
      Recorded(finish, *finished, trace);
      co_return;
    }
    NoteRefused(finished.status(), finish, trace);
  }
}

asio::awaitable<void> Engine::KeepReleasing(ports::OperationIdentity identity, std::string owner,
                                            telemetry::TraceContext trace,
                                            std::shared_ptr<void> counted) {
  static_cast<void>(counted);
  // After the lease the claim ends by itself.
  const BootTime lease_end = ports_.clock.BootNow() + settings_.lease;
  Backoff backoff(settings_.record_backoff, settings_.record_longest_backoff);
  while (ports_.clock.BootNow() < lease_end) {
    co_await ports_.clock.Sleep(backoff.Next());
    const absl::Status released =
        co_await ports_.store.Release(identity, owner, StoreContext(trace));
    if (released.ok()) co_return;
  }
}

void Engine::NoteRefused(const absl::Status& status, const ports::FinishRequest& finish,
                         const telemetry::TraceContext& trace) {
  if (absl::IsUnavailable(status)) return;
  ports_.metrics.Get(telemetry::kResultsRefused).Increment();
  if (!refused_.Count(ports_.clock.BootNow())) return;
  telemetry::Log(Severity::kError, "operation_result_refused",
                 {telemetry::Trace(trace),
                  telemetry::OperationId(finish.identity.id.ToString()),
                  {"waiting", std::to_string(unrecorded_->results)},
                  {"cause", std::string(status.message())}});
}

bool Engine::LostMark(const Work& work, const Ended& ended) {
  if (!ended.step.target.marked || ended.knowledge != v1::KNOWLEDGE_ANSWERED) return false;
  const auto* order =
      google::protobuf::DynamicCastToGenerated<common::v1::Order>(ended.result.get());
  if (order == nullptr || domain::CarriesMark(order->description(), work.identity.id)) return false;
  ports_.metrics.Get(telemetry::kDescriptionMarksLost, {work.identity.project}).Increment();
  if (!lost_marks_.Count(ports_.clock.BootNow())) return true;
  telemetry::Log(
      Severity::kWarning, "description_mark_lost",
      {telemetry::Trace(work.context.trace), telemetry::OperationId(work.identity.id.ToString())});
  return true;
}

void Engine::Recorded(const ports::FinishRequest& finish, ports::FinishVerdict verdict,
                      const telemetry::TraceContext& trace) {
  if (verdict == ports::FinishVerdict::kRecorded) {
    CountOperation(ports_.metrics, finish.identity.project, finish.identity.rpc, finish.to);
    settled_.Note(finish);
  }
  if (verdict == ports::FinishVerdict::kLateEffect) {
    ports_.metrics.Get(telemetry::kLateEffects, {finish.identity.rpc}).Increment();
  }
  const bool plain = verdict == ports::FinishVerdict::kRecorded &&
                     (finish.to == v1::OPERATION_STATE_DONE ||
                      finish.to == v1::OPERATION_STATE_NOT_EXECUTED || finish.keep_look_first);
  if (plain) return;
  telemetry::Log(Severity::kWarning, "operation_not_settled",
                 {telemetry::Trace(trace),
                  telemetry::OperationId(finish.identity.id.ToString()),
                  {"state", StateName(finish.to)},
                  {"evidence", finish.reason},
                  telemetry::IfKnown("cause", finish.heard),
                  {"record", FinishVerdictName(verdict)}});
}

asio::awaitable<bool> Engine::Drain(BootTime deadline) {
  constexpr ports::Millis kPoll{20};
  while (*pending_ > 0 && ports_.clock.BootNow() < deadline) {
    co_await ports_.clock.Sleep(kPoll);
  }
  co_return *pending_ == 0;
}

}  // namespace tollbridge::operations
