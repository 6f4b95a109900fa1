#include "services/reconcile/outbox_drainer.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/core/backoff.h"
#include "base/core/side_by_side.h"
#include "base/core/status_macros.h"
#include "base/core/test_hook.h"
#include "base/telemetry/log.h"
#include "base/telemetry/metric_definitions.h"
#include "tollbridge/operations/v1/operations.pb.h"

namespace tollbridge::reconcile {

using boost::asio::awaitable;
using ports::Millis;

namespace {

constexpr Millis kPortTimeout = std::chrono::seconds(5);
constexpr Millis kLongestBackoff = std::chrono::seconds(15);

}  // namespace

std::shared_ptr<OutboxDrainer> OutboxDrainer::Create(const Ports& ports,
                                                     const DrainerSettings& settings) {
  return std::shared_ptr<OutboxDrainer>(new OutboxDrainer(ports, settings));
}

ports::Context OutboxDrainer::MakeContext() const {
  return {.deadline = ports_.clock.BootNow() + kPortTimeout, .trace = {}};
}

awaitable<void> OutboxDrainer::Run(std::string project) {
  const std::shared_ptr<OutboxDrainer> self = shared_from_this();
  Backoff backoff(settings_.interval, kLongestBackoff);
  bool away = false;
  while (!stopping_) {
    const std::size_t limit = away ? 1 : settings_.per_pass;
    const absl::StatusOr<std::size_t> drained = co_await DrainOnce(project, limit);
    const absl::StatusOr<std::size_t> retired =
        co_await ports_.outbox.Retire(project, settings_.per_pass, MakeContext());
    away = !drained.ok() || !retired.ok();
    if (away) {
      const absl::Status& cause = drained.ok() ? retired.status() : drained.status();
      telemetry::Log(telemetry::Severity::kWarning, "operation_records_not_drained",
                     {{"project", project}, {"cause", std::string(cause.message())}});
      if (!stopping_) co_await ports_.clock.Sleep(backoff.Next());
      continue;
    }
    backoff.Reset();
    // A full pass: there is more.
    const bool more = *drained == limit || *retired >= settings_.per_pass;
    if (!more && !stopping_) co_await ports_.clock.Sleep(settings_.interval);
  }
}

Async<std::size_t> OutboxDrainer::DrainOnce(const std::string& project, std::size_t limit) {
  TB_CO_ASSIGN_OR_RETURN(const Records taken, co_await ports_.outbox.Take(
                                                  project, limit, settings_.lease, MakeContext()));
  std::map<std::string, Records> by_operation;
  for (const ports::UndrainedRecord& record : taken) {
    by_operation[record.record.operation_id()].push_back(record);
  }
  std::vector<Records> operations;
  for (auto& [id, records] : by_operation) operations.push_back(std::move(records));
  Records delivered;
  /// OK until something that all need is away: then nothing further is begun.
  absl::Status away;
  const auto deliver = [&](std::size_t index) {
    return Deliver(std::move(operations[index]), delivered, away);
  };
  co_await SideBySide(operations.size(), settings_.at_once, deliver);
  TB_TEST_HOOK("reconcile.before_drained");
  // With none delivered, too: another process may reach the topic.
  if (!taken.empty()) {
    const absl::Status dropped = co_await ports_.outbox.Drained(project, delivered, MakeContext());
    if (away.ok()) away = dropped;
  }
  TB_CO_RETURN_IF_ERROR(away);
  co_return delivered.size();
}

Turn OutboxDrainer::Deliver(Records records, Records& delivered, absl::Status& away) {
  for (ports::UndrainedRecord& undrained : records) {
    if (stopping_ || !away.ok()) break;
    const absl::Status appended = co_await ports_.log.Append(undrained.record, MakeContext());
    if (absl::IsUnavailable(appended)) away = appended;
    if (!appended.ok() && away.ok()) {
      // About this operation alone: the others must not wait for it.
      telemetry::Log(telemetry::Severity::kError, "operation_record_refused",
                     {telemetry::OperationId(undrained.record.operation_id()),
                      {"cause", std::string(appended.message())}});
    }
    if (!appended.ok()) break;
    ports_.metrics.Get(telemetry::kOperationRecords).Increment();
    delivered.push_back(std::move(undrained));
  }
  co_return away.ok() && !stopping_;
}

}  // namespace tollbridge::reconcile
