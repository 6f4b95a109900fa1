#include "services/reconcile/due_poller.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/core/backoff.h"
#include "base/core/side_by_side.h"
#include "base/core/status_macros.h"
#include "base/telemetry/log.h"
#include "base/telemetry/metric_definitions.h"
#include "services/reconcile/write_hint.h"

namespace tollbridge::reconcile {

using boost::asio::awaitable;
using ports::Millis;

namespace {

constexpr Millis kPortTimeout = std::chrono::seconds(5);
constexpr Millis kLongestBackoff = std::chrono::seconds(15);
/// Among so many of those that are due next the oldest is looked for.
constexpr std::size_t kMeasured = 100;

std::vector<Millis> MovesOf(const PollerSettings& settings) {
  std::vector<Millis> moves = {settings.take_again_after};
  while (moves.size() <= kTakeAgainDoublings) moves.push_back(moves.back() * 2);
  return moves;
}

/// Since when the order has been due and nobody has read it, as far as its moves tell.
WallTime DueSince(const ports::DueOrder& order, const std::vector<Millis>& moves) {
  WallTime since = order.due;
  for (std::size_t i = 0; i < order.taken; ++i) since -= moves[std::min(i, moves.size() - 1)];
  return since;
}

}  // namespace

DuePoller::DuePoller(const Ports& ports, const domain::Projects& projects,
                     const PollerSettings& settings)
    : ports_(ports),
      projects_(projects.all().size()),
      settings_(settings),
      moves_(MovesOf(settings)) {}

std::shared_ptr<DuePoller> DuePoller::Create(const Ports& ports, const domain::Projects& projects,
                                             const PollerSettings& settings) {
  return std::shared_ptr<DuePoller>(new DuePoller(ports, projects, settings));
}

ports::Context DuePoller::MakeContext() const {
  return {.deadline = ports_.clock.BootNow() + kPortTimeout, .trace = {}};
}

awaitable<void> DuePoller::Run(std::string project) {
  const std::shared_ptr<DuePoller> self = shared_from_this();
  Backoff backoff(settings_.interval, kLongestBackoff);
  while (!stopping_) {
    const BootTime began = ports_.clock.BootNow();
    const absl::StatusOr<std::size_t> taken = co_await PollOnce(project);
    polled_.insert(project);
    Millis pause = settings_.interval;
    if (!taken.ok()) {
      telemetry::Log(telemetry::Severity::kWarning, "poll_failed",
                     {{"project", project}, {"cause", std::string(taken.status().message())}});
      pause = backoff.Next();
    } else {
      backoff.Reset();
      // More may be due: the rate alone bounds when to go on.
      if (*taken == static_cast<std::size_t>(settings_.max_hints_per_second))
        pause = std::chrono::seconds(1);
    }
    const Millis took = std::chrono::duration_cast<Millis>(ports_.clock.BootNow() - began);
    if (took < pause) co_await ports_.clock.Sleep(pause - took);
  }
}

Async<std::size_t> DuePoller::PollOnce(const std::string& project) {
  // First: those that are taken are not due any more.
  TB_CO_RETURN_IF_ERROR(co_await MeasureOldest(project));
  const absl::StatusOr<std::vector<ports::DueOrder>> due = co_await ports_.due_queue.Take(
      project, ports_.clock.WallNow(), moves_,
      static_cast<std::size_t>(settings_.max_hints_per_second), MakeContext());
  TB_CO_RETURN_IF_ERROR(due.status());
  /// OK until the log is away: then nothing further is begun.
  absl::Status away;
  std::vector<ports::DueOrder> refused;
  const auto hint = [&](std::size_t index) { return HintOr((*due)[index], away, refused); };
  const std::size_t begun = co_await SideBySide(due->size(), settings_.at_once, hint);
  if (!away.ok()) {
    co_await PutBack(refused);
    co_await PutBack(std::span(*due).subspan(begun));
  }
  TB_CO_RETURN_IF_ERROR(away);
  co_return due->size();
}

awaitable<bool> DuePoller::HintOr(const ports::DueOrder& due, absl::Status& away,
                                  std::vector<ports::DueOrder>& refused) {
  absl::Status hinted = co_await Hint(due);
  if (hinted.ok()) co_return true;
  away = std::move(hinted);
  refused.push_back(due);
  co_return false;
}

AsyncStatus DuePoller::Hint(const ports::DueOrder& due) {
  absl::Status written = co_await WriteHint(ports_.hint_log, ports_.clock, due.key, due.key.root,
                                            events::v1::HINT_SOURCE_POLLER);
  if (written.ok()) ports_.metrics.Get(telemetry::kHints, {"poller"}).Increment();
  co_return written;
}

awaitable<void> DuePoller::PutBack(std::span<const ports::DueOrder> orders) {
  for (const ports::DueOrder& order : orders) {
    const absl::Status entered =
        co_await ports_.due_queue.Enter(order.key, order.due, MakeContext());
    if (!entered.ok()) co_return;  // they come again after take_again_after
  }
}

AsyncStatus DuePoller::MeasureOldest(const std::string& project) {
  const absl::StatusOr<std::vector<ports::DueOrder>> first =
      co_await ports_.due_queue.First(project, kMeasured, MakeContext());
  if (!first.ok()) {
    ShowOldest(project, std::nullopt);
    co_return first.status();
  }
  const WallTime now = ports_.clock.WallNow();
  WallTime oldest = now;
  for (const ports::DueOrder& order : *first) oldest = std::min(oldest, DueSince(order, moves_));
  ShowOldest(project, now - oldest);
  co_return absl::OkStatus();
}

void DuePoller::ShowOldest(const std::string& project, std::optional<Millis> waiting) {
  if (waiting) {
    waiting_[project] = *waiting;
  } else {
    waiting_.erase(project);
  }
  const telemetry::Gauge gauge = ports_.metrics.Get(telemetry::kOldestDueOrder);
  // Of a project that cannot be asked nobody knows.
  if (waiting_.size() < projects_) {
    gauge.Clear();
    return;
  }
  std::chrono::duration<double> longest{0};
  for (const auto& [name, of_project] : waiting_) {
    longest = std::max<std::chrono::duration<double>>(longest, of_project);
  }
  gauge.Set(longest.count());
}

}  // namespace tollbridge::reconcile
