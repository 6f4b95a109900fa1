#include "services/operations/resolver.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/core/must_go_on.h"
#include "base/core/side_by_side.h"
#include "base/core/test_hook.h"
#include "base/telemetry/log.h"
#include "base/telemetry/metric_definitions.h"
#include "base/telemetry/span.h"
#include "services/operations/conclusion.h"
#include "services/operations/operation_metrics.h"
#include "services/operations/resolution.h"
#include "services/operations/scan.h"
#include "services/operations/store_clock.h"
#include "services/operations/whose_effect.h"

namespace tollbridge::operations {

namespace asio = boost::asio;
using telemetry::Severity;

namespace {

/// Operations taken by one call of the store: bounds the time of its script.
constexpr std::size_t kBatch = 100;
/// Operations looked at side by side.
constexpr std::size_t kLookers = 8;
/// Around the times of a shared scan: the service's clock is not the store's.
constexpr ports::Millis kClockDifference{60'000};
/// Steps that are searched for one by one in a pass, for each project; more share a scan.
constexpr std::size_t kSearchesAPass = 8;
/// From the first to the last sending that one scan covers.
constexpr ports::Millis kLongestScan{300'000};
/// After a scan that failed or was too much for its time.
constexpr ports::Millis kScanPause{60'000};
constexpr ports::Millis kSurveyInterval{5'000};

std::string_view PresenceName(Presence presence) {
  switch (presence) {
    case Presence::kPresent:
      return "present";
    case Presence::kAbsent:
      return "absent";
    case Presence::kNoTarget:
      return "no_target";
    case Presence::kUndecided:
      return "undecided";
    case Presence::kAmbiguous:
      return "ambiguous";
  }
  return "undecided";
}

using Candidates = std::vector<Candidate>;

}  // namespace

/// The passes over one project's operations: none waits for another project.
class Resolver::Loop {
 public:
  Loop(Ports ports, Settings settings, const PlanTable& plans, const domain::Project& project,
       KeySource keys)
      : ports_(ports),
        settings_(std::move(settings)),
        plans_(plans),
        project_(project),
        conclusions_(std::move(keys), ports_.rng),
        settled_(ports_.metrics),
        token_(settings_.process_name + "/" + ports_.rng.NewUuid().ToString()) {
    CreateSeriesOf(project_.name, ports_.metrics);
  }

  static asio::awaitable<void> Run(std::shared_ptr<Loop> self) {
    co_await asio::this_coro::throw_if_cancelled(false);
    while (!self->stopped_) {
      const std::size_t taken = co_await Pass(self);
      if (taken == kBatch || self->stopped_) continue;
      self->sleeping_ = true;
      co_await self->ports_.clock.SleepUntilTick(self->settings_.resolver_interval);
      self->sleeping_ = false;
    }
  }

  static asio::awaitable<std::size_t> Pass(std::shared_ptr<Loop> self) {
    const ports::Context context = self->StoreContext({});
    if (self->pull_due_) {
      const absl::Status pulled = co_await self->ports_.due.PullDue(self->project_.name, context);
      if (pulled.ok()) self->pull_due_ = false;
    }
    absl::StatusOr<ports::DueOperations> due = co_await self->ports_.due.TakeDue(
        self->project_.name, kBatch, self->token_, self->settings_.resolver_lease, context);
    if (!due.ok()) {
      telemetry::Log(
          Severity::kWarning, "operations_not_resolved",
          {{"project", self->project_.name}, {"cause", std::string(due.status().message())}});
      self->ForgetSurvey();
      co_return 0;
    }
    self->WatchClock(due->now);
    const std::size_t taken = due->to_look_at.size();
    self->NoteExpired(due->expired);
    self->NoteUnreadable(due->unreadable);
    if (taken > 0) {
      TB_TEST_HOOK("resolver.after_take");
      const telemetry::Span span = telemetry::StartSpan("resolve operations", {});
      co_await LookAtAll(self, *std::move(due), span.context());
    }
    co_await self->Survey(context);
    self->ports_.metrics.Get(telemetry::kResolverPasses, {self->project_.name}).Increment();
    co_return taken;
  }

  void Stop() {
    stopped_ = true;
    if (sleeping_) wake_.emit(asio::cancellation_type::terminal);
  }

  /// For the next pass, which is at most an interval away.
  void PullDue() { pull_due_ = true; }

  asio::cancellation_slot slot() { return wake_.slot(); }

 private:
  /// One pass' operations, and what was seen of them together.
  struct Batch {
    std::vector<ports::DueOperation> operations;
    /// What a shared scan showed; nullptr: not looked at in this pass. Absent: searched for alone.
    std::map<const ports::DueOperation*, std::shared_ptr<const Candidates>> scans;
    telemetry::TraceContext trace;
  };

  static asio::awaitable<void> LookAtAll(std::shared_ptr<Loop> self, ports::DueOperations due,
                                         telemetry::TraceContext trace) {
    Batch batch{.operations = std::move(due.to_look_at), .trace = trace};
    co_await self->Scan(batch);
    co_await SideBySide(batch.operations.size(), kLookers, [&](std::size_t index) {
      return self->SettleInTurn(batch, batch.operations[index]);
    });
  }

  Turn SettleInTurn(const Batch& batch, const ports::DueOperation& operation) {
    co_await Settle(batch, operation);
    co_return true;
  }

  const StepKind* KindOf(const ports::DueOperation& operation) const {
    const PlanRegistration* plan = plans_.Find(operation.identity.rpc);
    if (plan == nullptr || operation.steps.empty()) return nullptr;
    return plan->FindEvidence(operation.steps.back().target.name, operation.may_lack_steps);
  }

  /// As if the step that completes had been sent as late as it can have been, where the record may
  /// lack it: absence counts from then, and it is found by search.
  ports::DueOperation WithLostSteps(const PlanRegistration& plan,
                                    const ports::DueOperation& operation) const {
    ports::DueOperation assumed = operation;
    ports::StepRecord& last = assumed.steps.back();
    if (plan.FindStep(last.target.name) == KindOf(operation)) return assumed;
    const auto lost = static_cast<std::int64_t>(plan.steps.size());
    last.sent_at += (settings_.send_window + settings_.attempt_deadline) * lost;
    last.sent_at += settings_.search_index_lag;
    return assumed;
  }

  /// Many steps that are found by search share one scan
  /// (docs/design/operations.md#the-resolver): of the orders made while the oldest of them, and
  /// those soon after it, were sent. The others wait for the next pass, but for a few, which are
  /// searched for one by one: so there is progress also where the scan is too much for its time.
  /// One that was forgotten may be of long before.
  asio::awaitable<void> Scan(Batch& batch) {
    std::vector<const ports::DueOperation*> operations;
    for (const ports::DueOperation& operation : batch.operations) {
      const StepKind* kind = KindOf(operation);
      const bool may_share = kind != nullptr && kind->by_search && !operation.nothing_sent;
      if (may_share) operations.push_back(&operation);
    }
    std::ranges::sort(operations, {}, [](const ports::DueOperation* operation) {
      return operation->steps.back().sent_at;
    });
    if (operations.size() > kSearchesAPass && MayScan()) co_await ShareScan(batch, operations);
    std::size_t alone = kSearchesAPass;
    for (const ports::DueOperation* operation : operations) {
      if (batch.scans.contains(operation)) continue;
      if (alone > 0) {
        --alone;
      } else if (operation->seen_orders.empty()) {
        batch.scans[operation] = nullptr;
      }
    }
  }

  /// `operations`: those to look for, the first to be sent first.
  asio::awaitable<void> ShareScan(Batch& batch,
                                  const std::vector<const ports::DueOperation*>& operations) {
    const WallTime first = operations.front()->steps.back().sent_at;
    const WallTime last = first + kLongestScan;
    const ports::Context context{ports_.clock.BootNow() + settings_.resolver_lease / 2,
                                 batch.trace};
    absl::StatusOr<Candidates> candidates =
        co_await ScanCreated(ports_.service, project_, first - kClockDifference,
                             last + kClockDifference + Quarantine(settings_, true), context);
    if (!candidates.ok()) {
      no_scan_until_ = ports_.clock.BootNow() + kScanPause;
      telemetry::Log(
          Severity::kWarning, "operations_not_scanned",
          {{"project", project_.name}, {"cause", std::string(candidates.status().message())}});
      co_return;
    }
    const auto shared = std::make_shared<const Candidates>(*std::move(candidates));
    for (const ports::DueOperation* operation : operations) {
      if (operation->steps.back().sent_at <= last) batch.scans[operation] = shared;
    }
  }

  /// Not soon after a scan that did not come to its end.
  bool MayScan() const { return no_scan_until_ <= ports_.clock.BootNow(); }

  /// nullopt: not looked at in this pass.
  asio::awaitable<std::optional<Finding>> LookFor(const Batch& batch,
                                                  const ports::DueOperation& operation,
                                                  const StepKind& kind) {
    if (!kind.look) co_return Finding{};
    LookRequest request{.project = &project_,
                        .operation = operation.identity.id,
                        .step = operation.steps.back().target,
                        .seen_orders = operation.seen_orders};
    if (const auto scan = batch.scans.find(&operation); scan != batch.scans.end()) {
      if (scan->second == nullptr) co_return std::nullopt;
      request.candidates = scan->second;
    }
    telemetry::Span span =
        telemetry::StartSpan("look " + operation.steps.back().target.name, batch.trace);
    if (!operation.nothing_sent) {
      request.attempt = operation.attempt;
      request.sent_at = operation.steps.back().sent_at;
    }
    request.context = {ports_.clock.BootNow() + settings_.look_timeout, span.context()};
    co_return co_await kind.look(ports_.service, request);
  }

  asio::awaitable<void> Settle(const Batch& batch, const ports::DueOperation& operation) {
    const PlanRegistration* plan = plans_.Find(operation.identity.rpc);
    const StepKind* kind = KindOf(operation);
    if (kind == nullptr) {
      telemetry::Log(Severity::kError, "operation_not_resolvable",
                     {telemetry::OperationId(operation.identity.id.ToString()),
                      {"rpc", operation.identity.rpc},
                      {"project", project_.name}});
      co_await Apply(batch, operation, kind, ResolveUnread(operation, settings_));
      co_return;
    }
    std::optional<Finding> finding = co_await LookFor(batch, operation, *kind);
    TB_TEST_HOOK("resolver.after_look");
    // The order was free since the operation was closed.
    const bool closed = operation.state == v1::OPERATION_STATE_NOT_EXECUTED;
    if (closed && finding.has_value() && finding->presence == Presence::kPresent) {
      finding->presence = co_await WhoseEffect(ports_.registry, FoundBy(operation, *kind, *finding),
                                               StoreContext(batch.trace));
    }
    if (!finding.has_value()) {
      co_await Reschedule(operation, {.after = settings_.look_backoff.back(),
                                      .misses = operation.misses,
                                      .target_missing = operation.target_missing});
      co_return;
    }
    Count(PresenceName(finding->presence));
    const ports::DueOperation assumed = WithLostSteps(*plan, operation);
    if (const ports::Millis left = UntilAbsenceCounts(operation, assumed, *kind, *finding);
        left > ports::Millis::zero()) {
      co_await Reschedule(operation, {.after = std::min(left, settings_.look_backoff.back()),
                                      .misses = operation.misses,
                                      .target_missing = operation.target_missing});
      co_return;
    }
    const Resolution resolution = Resolve(assumed, *kind, *finding, settings_);
    if (resolution.what != Resolution::What::kExecuted) {
      co_await Apply(batch, operation, kind, resolution);
      co_return;
    }
    ports::FinishRequest finish = FinishOf(operation, kind, resolution);
    conclusions_.Executed(*plan, project_, *finding->result, v1::KNOWLEDGE_RECOVERED, finish);
    if (finish.to == v1::OPERATION_STATE_UNKNOWN) {
      // What is there lacks what the caller must get: that is no evidence.
      co_await Apply(batch, operation, kind,
                     Resolve(assumed, *kind, {.reason = finish.reason}, settings_));
      co_return;
    }
    co_await Finish(operation, std::move(finish), batch.trace);
  }

  void WatchClock(WallTime shown) {
    if (!store_clock_.Show(shown, ports_.clock.BootNow())) return;
    ports_.metrics.Get(telemetry::kStoreClockSteps, {project_.name}).Increment();
    telemetry::Log(Severity::kError, "store_clock_stepped", {{"project", project_.name}});
  }

  /// An operation is as old as the store's clock says; that clock may have been set. Absence waits
  /// until it has gone as ours for a quarantine: what was sent before is older by then.
  ports::Millis UntilAbsenceCounts(const ports::DueOperation& operation,
                                   const ports::DueOperation& assumed, const StepKind& kind,
                                   const Finding& finding) const {
    const bool absent = kind.look && ShowsNoEffect(finding.presence);
    if (!absent || operation.state != v1::OPERATION_STATE_UNKNOWN) return ports::Millis::zero();
    const ports::Millis later = assumed.steps.back().sent_at - operation.steps.back().sent_at;
    return Quarantine(settings_, kind.by_search) + later -
           store_clock_.SteadyFor(ports_.clock.BootNow());
  }

  /// Anything but kExecuted.
  asio::awaitable<void> Apply(const Batch& batch, const ports::DueOperation& operation,
                              const StepKind* kind, const Resolution& resolution) {
    switch (resolution.what) {
      case Resolution::What::kLookAgain:
        co_await Reschedule(operation, {.after = resolution.next_look,
                                        .misses = resolution.misses,
                                        .target_missing = resolution.target_missing});
        co_return;
      case Resolution::What::kStopLooking:
        co_await StopLooking(operation);
        co_return;
      default:
        co_await Finish(operation, FinishOf(operation, kind, resolution), batch.trace);
    }
  }

  /// `kind`: nullptr when it is not known.
  ports::FinishRequest FinishOf(const ports::DueOperation& operation, const StepKind* kind,
                                const Resolution& resolution) const {
    ports::FinishRequest finish{.identity = operation.identity,
                                .attempt = operation.attempt,
                                .epoch = operation.epoch,
                                .owner = token_,
                                .by_resolver = true,
                                .seen_orders = operation.seen_orders};
    if (!operation.steps.empty()) {
      finish.step = operation.steps.back().target;
      finish.sent_ago = operation.now - operation.steps.back().sent_at;
    }
    finish.to = resolution.what == Resolution::What::kNeedsReview
                    ? v1::OPERATION_STATE_NEEDS_REVIEW
                    : v1::OPERATION_STATE_NOT_EXECUTED;
    finish.by_absence = resolution.by_absence;
    finish.unproven = true;
    finish.review_reason = resolution.review_reason;
    finish.reason = resolution.reason;
    finish.next_look = resolution.next_look;
    finish.late_effect_is_orphan = kind != nullptr && kind->late_effect_is_orphan;
    return finish;
  }

  asio::awaitable<void> Finish(const ports::DueOperation& operation, ports::FinishRequest finish,
                               telemetry::TraceContext trace) {
    TB_TEST_HOOK("resolver.before_finish");
    const absl::StatusOr<ports::FinishVerdict> finished =
        co_await ports_.store.Finish(finish, StoreContext(trace));
    TB_TEST_HOOK("resolver.after_finish");
    if (!finished.ok()) co_return;  // due again when the resolver's lease ends
    if (*finished == ports::FinishVerdict::kLateEffect) {
      Count("late_effect");
      ports_.metrics.Get(telemetry::kLateEffects, {operation.identity.rpc}).Increment();
      // It has been noted; there is nothing more to look for.
      co_await StopLooking(operation);
    } else if (*finished == ports::FinishVerdict::kRecorded) {
      Count(StateName(finish.to));
      CountOperation(ports_.metrics, project_.name, operation.identity.rpc, finish.to);
      settled_.Note(finish);
    } else {
      Count("lost");
    }
    telemetry::Log(finish.to == v1::OPERATION_STATE_NEEDS_REVIEW ||
                           *finished == ports::FinishVerdict::kLateEffect
                       ? Severity::kWarning
                       : Severity::kInfo,
                   "operation_resolved",
                   {telemetry::OperationId(operation.identity.id.ToString()),
                    {"rpc", operation.identity.rpc},
                    {"state", StateName(finish.to)},
                    {"evidence", finish.reason},
                    {"record", FinishVerdictName(*finished)}});
  }

  asio::awaitable<void> StopLooking(const ports::DueOperation& operation) {
    co_await Reschedule(operation, {.after = ports::Millis(-1), .misses = operation.misses + 1});
  }

  asio::awaitable<void> Reschedule(const ports::DueOperation& operation, ports::NextLook next) {
    const absl::StatusOr<bool> moved =
        co_await ports_.due.Reschedule(operation, token_, next, StoreContext({}));
    if (moved.ok() && !*moved) Count("lost");
  }

  asio::awaitable<void> Survey(ports::Context context) {
    const BootTime now = ports_.clock.BootNow();
    if (surveyed_.has_value() && now < *surveyed_ + kSurveyInterval) co_return;
    context.deadline = now + settings_.store_timeout;
    absl::StatusOr<ports::UnresolvedSurvey> survey =
        co_await ports_.due.Survey(project_.name, context);
    if (!survey.ok()) {
      ForgetSurvey();
      co_return;
    }
    surveyed_ = now;
    ShowSurvey(ports_.metrics, project_.name, *survey);
  }

  /// It is asked again with the next pass that reaches the store.
  void ForgetSurvey() {
    surveyed_.reset();
    ClearSurvey(ports_.metrics, project_.name);
  }

  void NoteExpired(const std::vector<ports::ExpiredOperation>& expired) {
    for (const ports::ExpiredOperation& operation : expired) {
      CountOperation(ports_.metrics, project_.name, operation.rpc, operation.became);
      telemetry::Log(Severity::kWarning, "operation_lease_expired",
                     {telemetry::OperationId(operation.id.ToString()),
                      {"rpc", operation.rpc},
                      {"state", StateName(operation.became)}});
    }
  }

  void NoteUnreadable(const std::vector<Uuid>& unreadable) {
    for (const Uuid& operation : unreadable) {
      Count("unreadable");
      telemetry::Log(Severity::kError, "operation_not_readable",
                     {telemetry::OperationId(operation.ToString()), {"project", project_.name}});
    }
  }

  void Count(std::string_view result) {
    ports_.metrics.Get(telemetry::kResolverResults, {result}).Increment();
  }

  ports::Context StoreContext(const telemetry::TraceContext& trace) const {
    return {ports_.clock.BootNow() + settings_.store_timeout, trace};
  }

  Ports ports_;
  Settings settings_;
  const PlanTable& plans_;
  const domain::Project& project_;
  Conclusions conclusions_;
  SettledTimes settled_;
  std::string token_;
  std::optional<BootTime> surveyed_;
  StoreClock store_clock_;
  BootTime no_scan_until_ = BootTime::min();
  asio::cancellation_signal wake_;
  bool pull_due_ = false;
  bool sleeping_ = false;
  bool stopped_ = false;
};

Resolver::Resolver(asio::any_io_executor executor, const Ports& ports, const Settings& settings,
                   const PlanTable& plans, const domain::Projects& projects, const KeySource& keys)
    : executor_(std::move(executor)) {
  for (const domain::Project& project : projects.all()) {
    loops_.push_back(std::make_shared<Loop>(ports, settings, plans, project, keys));
  }
}

Resolver::~Resolver() { Stop(); }

void Resolver::Start() {
  for (const std::shared_ptr<Loop>& loop : loops_) {
    asio::co_spawn(executor_, Loop::Run(loop),
                   asio::bind_cancellation_slot(loop->slot(), MustGoOn{}));
  }
}

void Resolver::Stop() {
  for (const std::shared_ptr<Loop>& loop : loops_) loop->Stop();
}

void Resolver::PullDue() {
  for (const std::shared_ptr<Loop>& loop : loops_) loop->PullDue();
}

asio::awaitable<std::size_t> Resolver::Pass() {
  std::size_t taken = 0;
  for (const std::shared_ptr<Loop>& loop : loops_) taken += co_await Loop::Pass(loop);
  co_return taken;
}

}  // namespace tollbridge::operations
