#include "services/reconcile/outbox_gauges.h"

#include <algorithm>
#include <chrono>

#include "base/telemetry/metric_definitions.h"

namespace tollbridge::reconcile {

using boost::asio::awaitable;

namespace {

constexpr ports::Millis kInterval = std::chrono::seconds(5);
constexpr ports::Millis kPortTimeout = std::chrono::seconds(5);

}  // namespace

awaitable<void> OutboxGauges::Run(std::string project) {
  const std::shared_ptr<OutboxGauges> self = shared_from_this();
  while (!stopping_) {
    co_await Measure(project);
    if (!stopping_) co_await ports_.clock.Sleep(kInterval);
  }
}

awaitable<void> OutboxGauges::Measure(const std::string& project) {
  const absl::StatusOr<ports::PendingOutboxes> pending = co_await ports_.snapshots.Pending(
      project, {.deadline = ports_.clock.BootNow() + kPortTimeout, .trace = {}});
  const telemetry::Gauge count = ports_.metrics.Get(telemetry::kOutboxesPending, {project});
  const telemetry::Gauge age = ports_.metrics.Get(telemetry::kOldestOutbox, {project});
  if (!pending.ok()) {
    count.Clear();
    age.Clear();
    co_return;
  }
  count.Set(static_cast<double>(pending->count));
  const WallTime now = ports_.clock.WallNow();
  const std::chrono::duration<double> oldest = now - pending->oldest.value_or(now);
  age.Set(std::max(0.0, oldest.count()));
}

}  // namespace tollbridge::reconcile
