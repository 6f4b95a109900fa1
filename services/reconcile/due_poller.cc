#include "services/reconcile/due_poller.h"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "services/base/status_macros.h"
#include "services/domain/timestamps.h"
#include "services/telemetry/log.h"
#include "services/telemetry/metric_definitions.h"
#include "services/telemetry/span.h"

namespace tollbridge::reconcile {

namespace asio = boost::asio;
using asio::awaitable;
using ports::Millis;

namespace {

constexpr Millis kPortTimeout = std::chrono::seconds(5);
constexpr Millis kLongestBackoff = std::chrono::seconds(15);

}  // namespace

/// What one poll took, and how far it is. Shared by its workers.
struct DuePoller::Batch {
  Batch(const asio::any_io_executor& executor, std::vector<ports::DueOrder> taken)
      : orders(std::move(taken)), ended(executor, asio::steady_timer::time_point::max()) {}

  std::vector<ports::DueOrder> orders;
  std::size_t next = 0;
  std::size_t workers = 0;
  /// The log is away: nothing further is begun.
  absl::Status away;
  /// Orders whose hint it did not take.
  std::vector<ports::DueOrder> refused;
  asio::steady_timer ended;
};

std::shared_ptr<DuePoller> DuePoller::Create(const Ports& ports, const PollerSettings& settings) {
  return std::shared_ptr<DuePoller>(new DuePoller(ports, settings));
}

ports::Context DuePoller::MakeContext() const {
  return {.deadline = ports_.clock.BootNow() + kPortTimeout, .trace = {}};
}

awaitable<void> DuePoller::Run() {
  const std::shared_ptr<DuePoller> self = shared_from_this();
  Millis backoff = settings_.interval;
  while (!stopping_) {
    const BootTime began = ports_.clock.BootNow();
    const absl::StatusOr<std::size_t> taken = co_await PollOnce();
    Millis pause = settings_.interval;
    if (!taken.ok()) {
      telemetry::Log(telemetry::Severity::kWarning, "poll_failed",
                     {{"cause", std::string(taken.status().message())}});
      pause = backoff;
      backoff = std::min(backoff * 2, kLongestBackoff);
    } else {
      backoff = settings_.interval;
      // More may be due: the rate alone bounds when to go on.
      if (*taken == settings_.per_second) pause = std::chrono::seconds(1);
    }
    const Millis took = std::chrono::duration_cast<Millis>(ports_.clock.BootNow() - began);
    if (took < pause) co_await ports_.clock.Sleep(pause - took);
  }
}

Async<std::size_t> DuePoller::PollOnce() {
  absl::StatusOr<std::vector<ports::DueOrder>> due = co_await ports_.due_queue.Take(
      ports_.clock.WallNow(), settings_.move_by, settings_.per_second, MakeContext());
  TB_CO_RETURN_IF_ERROR(due.status());
  const std::size_t count = due->size();
  const asio::any_io_executor executor = co_await asio::this_coro::executor;
  const auto batch = std::make_shared<Batch>(executor, *std::move(due));
  batch->workers = std::min(settings_.at_once, count);
  const std::size_t workers = batch->workers;
  for (std::size_t i = 0; i < workers; ++i) {
    asio::co_spawn(executor, Work(batch), asio::detached);
  }
  while (batch->workers > 0) {
    co_await batch->ended.async_wait(asio::as_tuple(asio::use_awaitable));
  }
  if (!batch->away.ok()) {
    co_await PutBack(batch->refused);
    co_await PutBack(std::span(batch->orders).subspan(batch->next));
    co_return batch->away;
  }
  co_await MeasureOldest();
  co_return count;
}

awaitable<void> DuePoller::Work(std::shared_ptr<Batch> batch) {
  const std::shared_ptr<DuePoller> self = shared_from_this();
  while (batch->away.ok() && batch->next < batch->orders.size()) {
    const ports::DueOrder& due = batch->orders[batch->next++];
    const absl::Status hinted = co_await Hint(due);
    if (hinted.ok()) continue;
    batch->away = hinted;
    batch->refused.push_back(due);
  }
  if (--batch->workers == 0) batch->ended.cancel();
}

AsyncStatus DuePoller::Hint(const ports::DueOrder& due) {
  const telemetry::Span span =
      telemetry::StartSpan("poll order", {}, telemetry::SpanKind::kProducer);
  events::v1::Hint hint;
  hint.set_order_id(due.key.root.ToString());
  hint.set_project(due.key.project);
  hint.set_source(events::v1::HINT_SOURCE_POLLER);
  *hint.mutable_noticed_at() = domain::ToTimestamp(ports_.clock.WallNow());
  ports::Context context = MakeContext();
  context.trace = span.context();
  absl::Status appended = co_await ports_.hint_log.Append(hint, context);
  if (appended.ok()) ports_.metrics.Get(telemetry::kHints, {"poller"}).Increment();
  co_return appended;
}

awaitable<void> DuePoller::PutBack(std::span<const ports::DueOrder> orders) {
  for (const ports::DueOrder& order : orders) {
    const absl::Status entered =
        co_await ports_.due_queue.Enter(order.key, order.due, MakeContext());
    if (!entered.ok()) co_return;  // they come again after move_by
  }
}

awaitable<void> DuePoller::MeasureOldest() {
  const absl::StatusOr<std::optional<ports::WallTime>> oldest =
      co_await ports_.due_queue.Oldest(MakeContext());
  if (!oldest.ok()) co_return;
  const std::chrono::duration<double> waiting =
      *oldest ? ports_.clock.WallNow() - **oldest : Millis(0);
  ports_.metrics.Get(telemetry::kOldestDueOrder).Set(std::max(0.0, waiting.count()));
}

}  // namespace tollbridge::reconcile
