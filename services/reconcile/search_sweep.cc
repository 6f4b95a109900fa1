#include "services/reconcile/search_sweep.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/core/backoff.h"
#include "base/core/status_macros.h"
#include "base/core/test_hook.h"
#include "base/telemetry/log.h"
#include "base/telemetry/metric_definitions.h"
#include "base/telemetry/span.h"
#include "services/domain/errors.h"
#include "services/domain/timestamps.h"
#include "services/reconcile/write_hint.h"

namespace tollbridge::reconcile {

using boost::asio::awaitable;
using ports::Millis;

namespace {

constexpr Millis kPortTimeout = std::chrono::seconds(5);
constexpr Millis kSearchTimeout = std::chrono::seconds(15);
/// Of one page: where Redis and Kafka are slow the pace is the bound, and not they.
constexpr std::size_t kHintsAtOnce = 64;
constexpr Millis kFirstBackoff = std::chrono::seconds(2);
constexpr Millis kLongestBackoff = std::chrono::minutes(5);

/// As the metric has it.
std::string NameOf(SweepVerdict verdict) {
  switch (verdict) {
    case SweepVerdict::kHint:
      return "hinted";
    case SweepVerdict::kKnown:
      return "known";
    case SweepVerdict::kWaiting:
      return "waiting";
    case SweepVerdict::kSettled:
      return "settled";
  }
  return {};
}

}  // namespace

/// A project while it is ours.
struct SearchSweep::Work {
  const domain::Project& project;
  storage::v1::SweepProgress progress;
  /// How many were swept since it is ours.
  std::uint64_t pages = 0;
  /// The last one was answered and dealt with.
  bool dealt_with = false;
  /// When the lease was begun.
  BootTime kept;
};

SearchSweep::SearchSweep(const Ports& ports, const SweepSettings& settings)
    : ports_(ports),
      settings_(settings),
      token_(ports.rng.NewUuid().ToString()),
      pages_(ports.clock, settings.pages_per_second),
      hints_(ports.clock, settings.hints_per_second) {}

std::shared_ptr<SearchSweep> SearchSweep::Create(const Ports& ports,
                                                 const SweepSettings& settings) {
  return std::shared_ptr<SearchSweep>(new SearchSweep(ports, settings));
}

ports::Context SearchSweep::MakeContext(Millis timeout) const {
  return {.deadline = ports_.clock.BootNow() + timeout, .trace = {}};
}

Backoff SearchSweep::MakeBackoff() const {
  return {std::min(kFirstBackoff, settings_.interval),
          std::min(kLongestBackoff, settings_.interval)};
}

awaitable<void> SearchSweep::Run(const domain::Project& project) {
  const std::shared_ptr<SearchSweep> self = shared_from_this();
  Backoff backoff = MakeBackoff();
  while (!stopping_) {
    const absl::StatusOr<Millis> next = co_await Look(project);
    if (stopping_) co_return;
    if (next.ok()) backoff.Reset();
    co_await ports_.clock.Sleep(next.ok() ? *next : backoff.Next());
  }
}

Async<Millis> SearchSweep::Look(const domain::Project& project) {
  const ports::Context for_taking = MakeContext(kPortTimeout);
  Work work{.project = project,
            .progress = {},
            .pages = 0,
            .dealt_with = false,
            .kept = ports_.clock.BootNow()};
  absl::StatusOr<std::optional<storage::v1::SweepProgress>> taken =
      co_await ports_.state.Take(project.name, token_, settings_.lease, for_taking);
  if (!taken.ok()) {
    ports_.metrics.Get(telemetry::kSweepEnded, {project.name}).Clear();
    ReportFailure(project, taken.status());
    co_return taken.status();
  }
  if (!*taken) {  // Another process is at it, or died at it.
    co_await MeasureOthers(project);
    co_return settings_.lease;
  }
  work.progress = **std::move(taken);
  BringBackPasses(ports_.clock.WallNow(), &work.progress);
  Measure(project, work.progress);

  const absl::Status swept = co_await Sweep(work);
  const Millis soon = std::min(kFirstBackoff, settings_.interval);
  if (absl::IsAborted(swept)) co_return soon;
  const ports::Context for_giving_up = MakeContext(kPortTimeout);
  const absl::StatusOr<bool> given_up =
      co_await ports_.state.Save(project.name, token_, Millis(0), work.progress, for_giving_up);
  TB_CO_RETURN_IF_ERROR(swept);
  if (!given_up.ok()) ReportFailure(project, given_up.status());
  TB_CO_RETURN_IF_ERROR(given_up.status());
  if (!*given_up) co_return soon;
  Measure(project, work.progress);
  // A pass that took longer than the interval is followed by the next one at once, but not so fast
  // that a clock which stands still makes a busy loop.
  co_return std::max(UntilNextPass(work.progress, ports_.clock.WallNow(), settings_), Millis(1));
}

void SearchSweep::Measure(const domain::Project& project,
                          const storage::v1::SweepProgress& progress) const {
  const telemetry::Gauge gauge = ports_.metrics.Get(telemetry::kSweepEnded, {project.name});
  if (!progress.has_last_ended()) {
    gauge.Clear();
    return;
  }
  const std::chrono::duration<double> ended =
      domain::ToWallTime(progress.last_ended()).time_since_epoch();
  gauge.Set(ended.count());
}

awaitable<void> SearchSweep::MeasureOthers(const domain::Project& project) {
  const ports::Context context = MakeContext(kPortTimeout);
  const absl::StatusOr<storage::v1::SweepProgress> progress =
      co_await ports_.state.Load(project.name, context);
  if (progress.ok()) {
    Measure(project, *progress);
  } else {
    ports_.metrics.Get(telemetry::kSweepEnded, {project.name}).Clear();
  }
}

AsyncStatus SearchSweep::Sweep(Work& work) {
  /// What fails holds up nothing else, and is tried again less and less often.
  struct Failing {
    Backoff backoff;
    BootTime again;
    /// Something else is asked for there.
    bool goes_on = false;
  };
  std::map<SweepPlace, Failing> failing;
  absl::Status failure;
  while (!stopping_) {
    const WallTime now = ports_.clock.WallNow();
    BringBackPasses(now, &work.progress);
    if (BeginDue(now, settings_, &work.progress)) {
      const absl::Status kept = co_await Keep(work);
      if (!kept.ok() && !absl::IsAborted(kept)) ReportFailure(work.project, kept);
      TB_CO_RETURN_IF_ERROR(kept);
    }
    std::set<SweepPlace> left_out;
    std::optional<BootTime> soonest;
    for (const auto& [place, fails] : failing) {
      if (fails.again <= ports_.clock.BootNow()) continue;
      left_out.insert(place);
      if (fails.goes_on) soonest = std::min(fails.again, soonest.value_or(fails.again));
    }
    const std::optional<SweepPlace> place = PlaceOfPage(work.pages++, work.progress, left_out);
    if (!place) {
      if (!soonest) break;
      TB_CO_RETURN_IF_ERROR(co_await WaitUntil(work, *soonest));
      continue;
    }
    work.dealt_with = false;
    const absl::Status swept = co_await SweepPage(work, *place);
    if (absl::IsAborted(swept)) co_return swept;
    if (swept.ok()) {
      failing.erase(*place);
      continue;
    }
    failure = swept;
    Failing& fails = failing.try_emplace(*place, MakeBackoff(), BootTime()).first->second;
    fails.goes_on = false;
    if (work.dealt_with) {  // It could not be saved.
      ReportFailure(work.project, swept);
    } else {
      ReportFailure(work.project, swept, PageOf(*PassAt(*place, &work.progress)).query());
      fails.goes_on = NoteFailure(ports_.clock.WallNow(), *place, &work.progress);
    }
    if (fails.goes_on) fails.backoff.Reset();
    fails.again = ports_.clock.BootNow() + fails.backoff.Next();
  }
  co_return failing.empty() ? absl::OkStatus() : failure;
}

AsyncStatus SearchSweep::WaitUntil(Work& work, BootTime time) {
  for (BootTime now = ports_.clock.BootNow(); now < time; now = ports_.clock.BootNow()) {
    co_await ports_.clock.Sleep(
        std::min(std::chrono::ceil<Millis>(time - now), settings_.lease / 3));
    TB_CO_RETURN_IF_ERROR(co_await KeepInTime(work));
  }
  co_return co_await KeepInTime(work);
}

AsyncStatus SearchSweep::SweepPage(Work& work, SweepPlace place) {
  TB_CO_RETURN_IF_ERROR(co_await TakeTurn(work, pages_));
  storage::v1::SweepPass& pass = *PassAt(place, &work.progress);
  const common::v1::OrderSearch search = PageOf(pass);
  const telemetry::Span span =
      telemetry::StartSpan("sweep page", {}, telemetry::SpanKind::kRoutine);
  // Two thirds of the lease are left at least.
  ports::Context context = MakeContext(std::min(kSearchTimeout, settings_.lease * 2 / 3));
  context.trace = span.context();
  TB_CO_ASSIGN_OR_RETURN(
      const common::v1::OrderSearchResult page,
      co_await ports_.payment_service.SearchOrders(work.project, search, context));
  TB_CO_RETURN_IF_ERROR(co_await HintAll(work, pass, page));
  TB_CO_RETURN_IF_ERROR(co_await HintUnreadable(work, pass, page));
  const int orders = page.orders_size() + page.unreadable_size();
  pass.set_orders(pass.orders() + static_cast<std::uint64_t>(orders));
  const storage::v1::SweepPass swept = pass;
  TB_CO_ASSIGN_OR_RETURN(const bool ended,
                         MoveOn(page, ports_.clock.WallNow(), place, &work.progress));
  work.dealt_with = true;
  TB_CO_RETURN_IF_ERROR(co_await Keep(work));
  if (ended) {
    ReportEnd(work.project, swept);
    Measure(work.project, work.progress);
  }
  co_return absl::OkStatus();
}

AsyncStatus SearchSweep::HintAll(Work& work, storage::v1::SweepPass& pass,
                                 const common::v1::OrderSearchResult& page) {
  std::vector<SeenOrder> seen;
  std::vector<Uuid> ids;
  for (const common::v1::Order& order : page.orders()) {
    std::optional<SeenOrder> one = Seen(order);
    if (!one) {
      ports_.metrics.Get(telemetry::kSweepOrders, {"unreadable"}).Increment();
      continue;
    }
    ids.push_back(one->id);
    seen.push_back(*std::move(one));
  }
  if (ids.empty()) co_return absl::OkStatus();
  const ports::Context for_looking = MakeContext(kPortTimeout);
  TB_CO_ASSIGN_OR_RETURN(const std::vector<ports::KnownOrder> known,
                         co_await ports_.known_orders.LookAt(work.project.name, ids, for_looking));
  std::vector<Found> found;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const SweepVerdict verdict = Judge(seen[i], known[i], pass, ports_.clock.WallNow(), settings_);
    if (verdict == SweepVerdict::kHint) {
      found.push_back({.order = seen[i].id, .known = known[i]});
    } else {
      ports_.metrics.Get(telemetry::kSweepOrders, {NameOf(verdict)}).Increment();
    }
  }
  co_return co_await HintThese(work, pass, found);
}

AsyncStatus SearchSweep::HintUnreadable(Work& work, storage::v1::SweepPass& pass,
                                        const common::v1::OrderSearchResult& page) {
  std::vector<Uuid> ids;
  for (const common::v1::UnreadableOrder& order : page.unreadable()) {
    ports_.metrics.Get(telemetry::kSweepOrders, {"unreadable"}).Increment();
    const std::optional<Uuid> id = Uuid::Parse(order.id());
    if (id) ids.push_back(*id);
  }
  if (ids.empty()) co_return absl::OkStatus();
  const ports::Context for_looking = MakeContext(kPortTimeout);
  TB_CO_ASSIGN_OR_RETURN(const std::vector<ports::KnownOrder> known,
                         co_await ports_.known_orders.LookAt(work.project.name, ids, for_looking));
  std::vector<Found> found;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    // One that was read before has its time in the due queue until it has ended.
    if (!known[i].recorded && !IsWaitedFor(known[i], ports_.clock.WallNow(), settings_))
      found.push_back({.order = ids[i], .known = known[i]});
  }
  co_return co_await HintThese(work, pass, found);
}

AsyncStatus SearchSweep::HintThese(Work& work, storage::v1::SweepPass& pass,
                                   const std::vector<Found>& found) {
  absl::Status failure;
  const auto hint = [&](std::size_t i) { return HintOr(work, pass, found[i], failure); };
  co_await SideBySide(found.size(), kHintsAtOnce, hint);
  co_return failure;
}

Turn SearchSweep::HintOr(Work& work, storage::v1::SweepPass& pass, const Found& found,
                         absl::Status& failure) {
  const absl::Status hinted = co_await Hint(work, pass, found);
  failure.Update(hinted);
  if (hinted.ok()) pass.set_hints(pass.hints() + 1);
  TB_TEST_HOOK("reconcile.after_sweep_hint");
  co_return failure.ok();
}

AsyncStatus SearchSweep::Hint(Work& work, const storage::v1::SweepPass& pass, const Found& found) {
  TB_CO_RETURN_IF_ERROR(co_await TakeTurn(work, hints_));
  const ports::FamilyKey family{.project = work.project.name, .root = found.known.root};
  std::optional<WallTime> as_of;
  if (!found.known.recorded && found.known.root == found.order) {
    // Whoever reads it, and when: how long the pass takes must not make what it finds older. The
    // hint says so as well: the note may go with a store that loses its last writes.
    as_of = NoticedBy(pass);
    const ports::Noticed noticed{.at = *as_of, .seen = true};
    const ports::Context for_noting = MakeContext(kPortTimeout);
    TB_CO_RETURN_IF_ERROR(co_await ports_.due_queue.Note(family, noticed, for_noting));
  }
  // Before the hint: a reader that does not know the project yet passes over it, and the poller
  // brings the order to one that does.
  const ports::Context for_entering = MakeContext(kPortTimeout);
  TB_CO_RETURN_IF_ERROR(co_await ports_.due_queue.Enter(
      family, ports_.clock.WallNow() + settings_.take_again_after, for_entering));
  TB_CO_RETURN_IF_ERROR(co_await WriteHint(ports_.hint_log, ports_.clock, family, found.order,
                                           events::v1::HINT_SOURCE_SWEEP, as_of));
  ports_.metrics.Get(telemetry::kHints, {"sweep"}).Increment();
  ports_.metrics.Get(telemetry::kSweepOrders, {"hinted"}).Increment();
  co_return absl::OkStatus();
}

AsyncStatus SearchSweep::KeepInTime(Work& work) {
  if (ports_.clock.BootNow() - work.kept < settings_.lease / 3) co_return absl::OkStatus();
  co_return co_await Keep(work);
}

AsyncStatus SearchSweep::Keep(Work& work) {
  const BootTime now = ports_.clock.BootNow();
  const ports::Context context = MakeContext(kPortTimeout);
  TB_CO_ASSIGN_OR_RETURN(const bool saved,
                         co_await ports_.state.Save(work.project.name, token_, settings_.lease,
                                                    work.progress, context));
  if (!saved)
    co_return absl::AbortedError("another process has the project, or the store went back");
  work.kept = now;
  co_return absl::OkStatus();
}

void SearchSweep::ReportFailure(const domain::Project& project, const absl::Status& failure,
                                const std::string& query) const {
  if (stopping_) return;
  ports_.metrics.Get(telemetry::kSweepFailures).Increment();
  telemetry::Log(telemetry::Severity::kWarning, "sweep_failed",
                 {{"project", project.name},
                  {"query", query},
                  {"reason", domain::ReasonOf(failure)},
                  {"cause", std::string(failure.message())}});
}

void SearchSweep::ReportEnd(const domain::Project& project,
                            const storage::v1::SweepPass& pass) const {
  const Millis took = ports_.clock.WallNow() - domain::ToWallTime(pass.began());
  telemetry::Log(telemetry::Severity::kInfo, "sweep_ended",
                 {{"project", project.name},
                  {"from", domain::ToRfc3339(domain::ToWallTime(pass.from()))},
                  {"to", domain::ToRfc3339(domain::ToWallTime(pass.to()))},
                  {"first", pass.first()},
                  {"orders", pass.orders()},
                  {"hints", pass.hints()},
                  {"took_ms", took.count()}});
}

}  // namespace tollbridge::reconcile
