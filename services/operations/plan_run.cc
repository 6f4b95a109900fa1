#include "services/operations/plan_run.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/core/test_hook.h"
#include "services/domain/mark.h"
#include "services/operations/answers.h"
#include "services/operations/whose_effect.h"
#include "tollbridge/operations/v1/operations.pb.h"

namespace tollbridge::operations {

namespace asio = boost::asio;

namespace {

/// The step that is begun after `before`, with what its plan knows of it.
RecordedStep After(const RecordedStep& before, const Step& step) {
  return {.target = step.target,
          .number = before.number + 1,
          .late_effect_is_orphan = step.kind->late_effect_is_orphan,
          .gate_order = before.gate_order,
          .window_start = before.window_start,
          .window_start_civil = before.window_start_civil};
}

}  // namespace

asio::awaitable<Ended> PlanRun::Run() const {
  std::optional<Ended> unsent;
  if (input_.claim.verdict == ports::ClaimVerdict::kLookFirst) {
    unsent = co_await LookBeforeSending();
  }
  if (!unsent.has_value()) unsent = CheckDate();
  if (unsent.has_value()) co_return *std::move(unsent);
  Ended sent = co_await SendSteps();
  co_return co_await LookAfterSending(std::move(sent));
}

RecordedStep PlanRun::AtClaim(const ports::StepTarget& target) const {
  return {.target = target,
          .number = 0,
          .late_effect_is_orphan = input_.plan.steps.front().kind->late_effect_is_orphan,
          .gate_order = input_.identity.gate_order,
          .window_start = input_.window_start,
          .window_start_civil = input_.window_start_civil};
}

asio::awaitable<Finding> PlanRun::LookFor(const StepKind& kind, ports::StepTarget target,
                                          std::uint32_t attempt, BootTime deadline,
                                          std::optional<WallTime> only_since) const {
  telemetry::Span span = telemetry::StartSpan("look " + target.name, input_.caller.trace);
  LookRequest request;
  request.project = input_.plan.project;
  request.operation = input_.identity.id;
  request.attempt = attempt;
  request.step = std::move(target);
  request.sent_at = only_since;
  request.only_since_sent = only_since.has_value();
  request.context = {deadline, span.context(), input_.caller.waited};
  co_return co_await kind.look(ports_.service, request);
}

std::optional<Ended> PlanRun::CheckDate() const {
  if (!input_.plan.check_before_sending) return std::nullopt;
  absl::Status refused = input_.plan.check_before_sending(ports_.clock.WallNow());
  if (refused.ok()) return std::nullopt;
  return Ended{.verdict = {v1::OPERATION_STATE_NOT_EXECUTED, "not sent: refused by the date",
                           std::move(refused)},
               .step = AtClaim(input_.plan.steps.front().target)};
}

asio::awaitable<std::optional<Ended>> PlanRun::LookBeforeSending() const {
  const Settings& settings = input_.settings;
  const ports::ClaimResult& claim = input_.claim;
  const Step* const shown = StepThatEvidenceShows(input_.plan);
  ports::Millis wait{};
  for (auto step = input_.plan.steps.rbegin(); step != input_.plan.steps.rend(); ++step) {
    if (step->kind->on_absence == OnAbsence::kNeedsReview && !step->target.marked) {
      // Nothing at the service would say that it was us.
      wait = std::max(wait, claim.doubtful_left);
      continue;
    }
    if (!step->kind->completes) {
      // Where it went on from here, the step that completes shows; by search, if this one is.
      const ports::Millis quarantine = Quarantine(settings, step->kind->by_search);
      wait = std::max(wait, quarantine - claim.doubtful_for);
      continue;
    }
    if (!step->kind->look) {
      // Nothing to read. The service itself refuses what it did before; where it does not, a second
      // one beside what the caller may hold already waits until nobody doubts the store.
      if (!step->kind->service_guards_repeat) wait = std::max(wait, claim.doubtful_left);
      continue;
    }
    const BootTime deadline = ports_.clock.BootNow() + settings.look_timeout;
    Finding finding = co_await LookFor(*step->kind, step->target, 0, deadline);
    if (finding.presence == Presence::kPresent) {
      co_return Ended{
          .verdict = {v1::OPERATION_STATE_DONE, "found before sending: " + finding.reason, {}},
          .step = AtClaim(step->target),
          .result = std::move(finding.result),
          .knowledge = v1::KNOWLEDGE_RECOVERED};
    }
    if (finding.presence == Presence::kAmbiguous || finding.perhaps_unmarked) {
      co_return Ended{.verdict = {v1::OPERATION_STATE_NEEDS_REVIEW, finding.reason, {}},
                      .step = AtClaim(step->target),
                      .review_reason = ports::review::kAmbiguous};
    }
    if (finding.presence == Presence::kUndecided) {
      wait = std::max(wait, settings.pending_retry_after);
    }
    // What could have been sent before the memory was lost is over when the first quarantine is.
    const ports::Millis quarantine = Quarantine(settings, step->kind->by_search);
    wait = std::max(wait, quarantine - claim.doubtful_for);
  }
  if (wait <= ports::Millis::zero()) co_return std::nullopt;
  // Nothing was sent. But an earlier run may have had its effect: where evidence will tell, nobody
  // says that it had none before it does.
  co_return Ended{
      .verdict = {shown != nullptr ? v1::OPERATION_STATE_UNKNOWN : v1::OPERATION_STATE_NOT_EXECUTED,
                  "the store is doubtful and absence is not established yet",
                  MakeOwnError(OwnError::kStoreDoubtful, input_.identity.id.ToString(), wait)},
      .step = AtClaim(shown != nullptr ? shown->target : input_.plan.steps.front().target),
      .keep_look_first = true};
}

asio::awaitable<std::variant<RecordedStep, Ended>> PlanRun::PrepareStep(
    const Step& step, std::span<const ports::Answer> answers, const RecordedStep& before) const {
  absl::StatusOr<ports::StepTarget> shown = step.target;
  if (step.prepare) shown = step.prepare(answers);
  if (shown.ok()) {
    const Verdict compared =
        CompareAmounts(step.target, {.amount = shown->amount, .currency = shown->currency});
    if (compared.state != v1::OPERATION_STATE_DONE) {
      RecordedStep unchanged = before;
      unchanged.target.order_id = shown->order_id;
      co_return Ended{
          .verdict = compared, .step = std::move(unchanged), .review_reason = compared.reason};
    }
  }
  RecordedStep next = After(before, step);
  if (!shown.ok()) {
    co_return Ended{.verdict = {v1::OPERATION_STATE_NOT_EXECUTED,
                                "an answer that lacks what the next step needs",
                                MakeOwnError(OwnError::kAnswerLost, "")},
                    .step = std::move(next)};
  }
  if (step.kind->completes && step.kind->look && input_.claim.attempt > 1) {
    const BootTime deadline = ports_.clock.BootNow() + input_.settings.look_timeout;
    Finding finding = co_await LookFor(*step.kind, step.target, 0, deadline);
    if (finding.presence == Presence::kPresent) {
      co_return Ended{
          .verdict = {v1::OPERATION_STATE_DONE, "an earlier attempt: " + finding.reason, {}},
          .step = std::move(next),
          .result = std::move(finding.result),
          .knowledge = v1::KNOWLEDGE_RECOVERED};
    }
    if (!ShowsNoEffect(finding.presence)) {
      co_return Ended{
          .verdict = {v1::OPERATION_STATE_NOT_EXECUTED, "earlier attempts cannot be read",
                      MakeOwnError(OwnError::kAnswerLost, "")},
          .step = std::move(next)};
    }
  }
  next.target.order_id = std::move(shown->order_id);
  next.target.transaction_id = std::move(shown->transaction_id);
  co_return next;
}

AsyncStatus PlanRun::BeginStep(const RecordedStep& step,
                               const telemetry::TraceContext& trace) const {
  ports::OperationIdentity identity = input_.identity;
  identity.gate_order = step.gate_order;
  TB_TEST_HOOK("operations.before_begin_step");
  const ports::Context context{ports_.clock.BootNow() + input_.settings.store_timeout, trace};
  const absl::Status begun = co_await ports_.store.BeginStep(
      identity, input_.claim, input_.owner, step.target, input_.settings.lease, context);
  TB_TEST_HOOK("operations.after_begin_step");
  co_return begun;
}

Verdict PlanRun::Judge(const StepKind& kind, const ports::Answer& answer,
                       bool order_is_ours) const {
  const ports::ClaimResult& claim = input_.claim;
  Verdict verdict = JudgeAnswer(answer, {.earlier_unproven = claim.earlier_unproven,
                                         .fresh_order = claim.fresh_order || order_is_ours,
                                         .doubtful = claim.doubtful});
  if (!kind.look) verdict = WithoutEvidence(kind, std::move(verdict));
  if (!kind.completes) verdict = OfPreparation(std::move(verdict));
  // A search shows it later; of what others do, that it is done does not say by whom.
  if (!kind.look || kind.by_search || kind.others_may_do_it) verdict.perhaps_copied = false;
  return verdict;
}

asio::awaitable<Ended> PlanRun::SendSteps() const {
  bool sent = input_.claim.verdict == ports::ClaimVerdict::kClaimed;
  const std::string mark = domain::ToText({.operation = input_.identity.id,
                                           .epoch = input_.claim.epoch,
                                           .attempt = input_.claim.attempt});
  std::vector<ports::Answer> answers;
  Ended ended{.step = AtClaim(input_.plan.steps.front().target)};
  for (const Step& step : input_.plan.steps) {
    telemetry::Span span = telemetry::StartSpan("step " + step.target.name, input_.caller.trace);
    const bool order_is_ours = !answers.empty() && !input_.plan.gate_order.has_value();
    RecordedStep recorded;
    if (answers.empty()) {
      recorded = After(ended.step, step);
    } else {
      std::variant<RecordedStep, Ended> prepared = co_await PrepareStep(step, answers, ended.step);
      if (Ended* unsent = std::get_if<Ended>(&prepared)) co_return std::move(*unsent);
      recorded = std::get<RecordedStep>(std::move(prepared));
    }
    ports::Answer answer;
    absl::Status begun;
    if (!sent) {
      const std::string& order = recorded.target.order_id;
      if (!recorded.gate_order.has_value() && !order.empty()) recorded.gate_order = order;
      recorded.window_start = ports_.clock.BootNow();
      recorded.window_start_civil = ports_.clock.WallNow();
      begun = co_await BeginStep(recorded, span.context());
    }
    sent = false;
    if (begun.ok()) {
      StepContext context;
      context.mark = mark;
      context.guard.write_before = recorded.window_start + input_.settings.send_window;
      context.guard.write_before_civil = recorded.window_start_civil + input_.settings.send_window;
      context.earlier = answers;
      context.context = {ports_.clock.BootNow() + input_.settings.attempt_deadline, span.context(),
                         input_.caller.waited};
      answer = co_await step.send(ports_.service, context);
      TB_TEST_HOOK("operations.after_answer");
    } else {
      answer.fate = ports::Answer::Fate::kNotSent;
      answer.cause = "the step could not be recorded";
    }
    ended = {.verdict = Judge(*step.kind, answer, order_is_ours),
             .step = std::move(recorded),
             .result = answer.result};
    answers.push_back(std::move(answer));
    if (ended.verdict.state != v1::OPERATION_STATE_DONE) span.SetError(ended.verdict.reason);
    if (ended.verdict.state != v1::OPERATION_STATE_DONE || !ended.verdict.error.ok())
      co_return ended;
  }
  co_return ended;
}

asio::awaitable<Ended> PlanRun::LookAfterSending(Ended ended) const {
  const bool unknown = ended.verdict.state == v1::OPERATION_STATE_UNKNOWN;
  const bool copied = ended.verdict.perhaps_copied && !ended.verdict.evidence_first;
  if (!unknown && !copied && !ended.verdict.evidence_first) co_return ended;
  const StepKind& kind = *input_.plan.steps[ended.step.number - 1].kind;
  const BootTime now = ports_.clock.BootNow();
  BootTime deadline = now + input_.settings.look_timeout;
  if (unknown) {
    // Only with what the caller has left beside recording and answering.
    deadline = std::min(deadline, input_.caller.deadline - input_.settings.store_timeout);
    if (deadline <= now) co_return ended;
  }
  std::optional<WallTime> only_since;
  if (copied) only_since = ended.step.window_start_civil;
  Finding finding =
      co_await LookFor(kind, ended.step.target, input_.claim.attempt, deadline, only_since);
  if (copied && finding.result != nullptr) {
    const ports::Context context{ports_.clock.BootNow() + input_.settings.store_timeout,
                                 input_.caller.trace};
    const Presence whose = co_await WhoseEffect(ports_.registry,
                                                {.project = input_.identity.project,
                                                 .operation = input_.identity.id.ToString(),
                                                 .order = input_.plan.gate_order.value_or(""),
                                                 .step = ended.step.target,
                                                 .kind = kind,
                                                 .finding = finding},
                                                context);
    // What may be ours is not, where another did it; that no other did makes it no surer.
    const bool present = finding.presence == Presence::kPresent;
    if (present || whose == Presence::kAbsent) finding.presence = whose;
  }
  if (finding.presence == Presence::kPresent && kind.completes) {
    ended.verdict = {v1::OPERATION_STATE_DONE, "recovered: " + finding.reason, {}};
    ended.result = std::move(finding.result);
    ended.knowledge = v1::KNOWLEDGE_RECOVERED;
  } else if (!unknown && (!ShowsNoEffect(finding.presence) || finding.perhaps_unmarked)) {
    ended.verdict = {.state = v1::OPERATION_STATE_UNKNOWN,
                     .reason = ended.verdict.reason + ", and evidence does not decide",
                     .error = {},
                     .heard = std::move(ended.verdict.heard)};
  }
  co_return ended;
}

}  // namespace tollbridge::operations
