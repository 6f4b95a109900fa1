#include "services/reconcile/outbox_drainer.h"

#include <algorithm>
#include <cstdint>
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
    // What is taken while something is away is out of reach until its lease ends.
    const std::size_t limit = away ? 1 : settings_.per_pass;
    const absl::StatusOr<std::size_t> taken = co_await DrainOnce(project, limit);
    away = !taken.ok();
    if (away) {
      telemetry::Log(telemetry::Severity::kWarning, "operation_records_not_drained",
                     {{"project", project}, {"cause", std::string(taken.status().message())}});
      if (!stopping_) co_await ports_.clock.Sleep(backoff.Next());
      continue;
    }
    backoff.Reset();
    // A full pass: there is more.
    if (*taken < limit && !stopping_) co_await ports_.clock.Sleep(settings_.interval);
  }
}

Async<std::size_t> OutboxDrainer::DrainOnce(const std::string& project, std::size_t limit) {
  TB_CO_ASSIGN_OR_RETURN(
      const std::vector<ports::UndrainedOperation> taken,
      co_await ports_.outbox.Take(project, limit, settings_.lease, MakeContext()));
  /// OK until something that all need is away: then nothing further is begun.
  absl::Status away;
  const auto drain = [&](std::size_t index) { return DrainInTurn(project, taken[index], away); };
  co_await SideBySide(taken.size(), settings_.at_once, drain);
  TB_CO_RETURN_IF_ERROR(away);
  co_return taken.size();
}

Turn OutboxDrainer::DrainInTurn(const std::string& project,
                                const ports::UndrainedOperation& operation, absl::Status& away) {
  if (stopping_) co_return false;
  const absl::Status drained = co_await Drain(project, operation);
  if (absl::IsUnavailable(drained)) {
    away = drained;
  } else if (!drained.ok()) {
    // About this operation alone: the others must not wait for it.
    telemetry::Log(telemetry::Severity::kError, "operation_record_refused",
                   {telemetry::OperationId(operation.id.ToString()),
                    {"cause", std::string(drained.message())}});
  }
  co_return away.ok();
}

AsyncStatus OutboxDrainer::Drain(const std::string& project,
                                 const ports::UndrainedOperation& operation) {
  std::uint32_t delivered = 0;
  absl::Status result;
  for (const operations::v1::OperationRecord& record : operation.records) {
    result = co_await ports_.log.Append(record, MakeContext());
    if (!result.ok()) break;
    delivered = record.transition().number();
    ports_.metrics.Get(telemetry::kOperationRecords).Increment();
  }
  TB_TEST_HOOK("reconcile.before_drained");
  if (delivered > 0) {
    const absl::Status marked =
        co_await ports_.outbox.Drained(project, operation.id, delivered, MakeContext());
    if (result.ok()) result = marked;
  }
  co_return result;
}

}  // namespace tollbridge::reconcile
