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
  const Pass pass = [&](std::size_t limit) { return DrainAndRetire(project, limit); };
  co_await Repeat(project, "operation_records_not_drained", pass);
}

awaitable<void> OutboxDrainer::RunRefused(std::string project) {
  const std::shared_ptr<OutboxDrainer> self = shared_from_this();
  const Pass pass = [&](std::size_t limit) -> Async<bool> {
    TB_CO_RETURN_IF_ERROR(co_await DrainRefused(project, limit));
    co_return false;
  };
  co_await Repeat(project, "refused_calls_not_drained", pass);
}

awaitable<void> OutboxDrainer::Repeat(std::string project, std::string_view event, Pass pass) {
  Backoff backoff(settings_.interval, kLongestBackoff);
  bool away = false;
  while (!stopping_) {
    const absl::StatusOr<bool> more = co_await pass(away ? 1 : settings_.per_pass);
    away = !more.ok();
    if (away) {
      telemetry::Log(telemetry::Severity::kWarning, event,
                     {{"project", project}, {"cause", std::string(more.status().message())}});
      if (!stopping_) co_await ports_.clock.Sleep(backoff.Next());
      continue;
    }
    backoff.Reset();
    if (!*more && !stopping_) co_await ports_.clock.Sleep(settings_.interval);
  }
}

Async<bool> OutboxDrainer::DrainAndRetire(const std::string& project, std::size_t limit) {
  const absl::StatusOr<std::size_t> drained = co_await DrainOnce(project, limit);
  const absl::StatusOr<std::size_t> retired =
      co_await ports_.outbox.Retire(project, settings_.per_pass, MakeContext());
  TB_CO_RETURN_IF_ERROR(drained.status());
  TB_CO_RETURN_IF_ERROR(retired.status());
  // A full pass: there is more.
  co_return *drained == limit || *retired >= settings_.per_pass;
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

AsyncStatus OutboxDrainer::DrainRefused(const std::string& project, std::size_t limit) {
  std::string next;
  do {
    TB_CO_ASSIGN_OR_RETURN(const ports::RefusedCallsPage page,
                           co_await ports_.refused_calls.Take(project, next, limit, MakeContext()));
    Delivery delivery;
    const auto deliver = [&](std::size_t index) {
      return DeliverRefused(page.records[index], delivery);
    };
    co_await SideBySide(page.records.size(), settings_.at_once, deliver);
    if (!delivery.delivered.empty()) {
      const absl::Status dropped =
          co_await ports_.refused_calls.Drained(project, delivery.delivered, MakeContext());
      if (delivery.away.ok()) delivery.away = dropped;
    }
    if (!delivery.refusal.ok()) {
      telemetry::Log(telemetry::Severity::kError, "refused_calls_not_taken",
                     {{"project", project}, {"cause", std::string(delivery.refusal.message())}});
    }
    TB_CO_RETURN_IF_ERROR(delivery.away);
    next = page.next;
    // All that is needed is there, so the rest comes in whole pages.
    limit = settings_.per_pass;
  } while (!next.empty() && !stopping_);
  co_return absl::OkStatus();
}

Turn OutboxDrainer::DeliverRefused(const ports::UndrainedRecord& call, Delivery& delivery) {
  if (stopping_ || !delivery.away.ok()) co_return false;
  const absl::Status appended = co_await ports_.log.Append(call.record, MakeContext());
  if (appended.ok()) {
    ports_.metrics.Get(telemetry::kRefusedCallRecords).Increment();
    delivery.delivered.push_back(call);
  } else {
    (absl::IsUnavailable(appended) ? delivery.away : delivery.refusal) = appended;
  }
  co_return delivery.away.ok() && !stopping_;
}

}  // namespace tollbridge::reconcile
