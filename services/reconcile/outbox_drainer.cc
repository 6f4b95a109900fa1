#include "services/reconcile/outbox_drainer.h"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "services/base/status_macros.h"
#include "services/base/test_hook.h"
#include "services/telemetry/log.h"
#include "services/telemetry/metric_definitions.h"
#include "tollbridge/operations/v1/operations.pb.h"

namespace tollbridge::reconcile {

namespace asio = boost::asio;
using asio::awaitable;
using ports::Millis;

namespace {

constexpr Millis kPortTimeout = std::chrono::seconds(5);
constexpr Millis kLongestBackoff = std::chrono::seconds(15);

}  // namespace

/// What one pass took, and how far it is. Shared by its workers.
struct OutboxDrainer::Batch {
  Batch(const asio::any_io_executor& executor, std::vector<ports::UndrainedOperation> taken)
      : operations(std::move(taken)), ended(executor, asio::steady_timer::time_point::max()) {}

  std::vector<ports::UndrainedOperation> operations;
  std::size_t next = 0;
  std::size_t workers = 0;
  /// Something that all need is away: nothing further is begun.
  absl::Status away;
  asio::steady_timer ended;
};

std::shared_ptr<OutboxDrainer> OutboxDrainer::Create(const Ports& ports,
                                                     const DrainerSettings& settings) {
  return std::shared_ptr<OutboxDrainer>(new OutboxDrainer(ports, settings));
}

ports::Context OutboxDrainer::MakeContext() const {
  return {.deadline = ports_.clock.BootNow() + kPortTimeout, .trace = {}};
}

awaitable<void> OutboxDrainer::Run() {
  const std::shared_ptr<OutboxDrainer> self = shared_from_this();
  Millis backoff = settings_.interval;
  bool away = false;
  while (!stopping_) {
    // What is taken while something is away is out of reach until its lease ends.
    const std::size_t limit = away ? 1 : settings_.per_pass;
    const absl::StatusOr<std::size_t> taken = co_await DrainOnce(limit);
    away = !taken.ok();
    if (away) {
      telemetry::Log(telemetry::Severity::kWarning, "operation_records_not_drained",
                     {{"cause", std::string(taken.status().message())}});
      if (!stopping_) co_await ports_.clock.Sleep(backoff);
      backoff = std::min(backoff * 2, kLongestBackoff);
      continue;
    }
    backoff = settings_.interval;
    // A full pass: there is more.
    if (*taken < limit && !stopping_) co_await ports_.clock.Sleep(settings_.interval);
  }
}

Async<std::size_t> OutboxDrainer::DrainOnce(std::size_t limit) {
  absl::StatusOr<std::vector<ports::UndrainedOperation>> taken =
      co_await ports_.outbox.Take(limit, settings_.lease, MakeContext());
  TB_CO_RETURN_IF_ERROR(taken.status());
  const std::size_t count = taken->size();
  if (count == 0) co_return count;
  const asio::any_io_executor executor = co_await asio::this_coro::executor;
  const auto batch = std::make_shared<Batch>(executor, *std::move(taken));
  batch->workers = std::min(settings_.at_once, count);
  const std::size_t workers = batch->workers;
  for (std::size_t i = 0; i < workers; ++i) {
    asio::co_spawn(executor, Work(batch), asio::detached);
  }
  while (batch->workers > 0) {
    co_await batch->ended.async_wait(asio::as_tuple(asio::use_awaitable));
  }
  TB_CO_RETURN_IF_ERROR(batch->away);
  co_return count;
}

awaitable<void> OutboxDrainer::Work(std::shared_ptr<Batch> batch) {
  const std::shared_ptr<OutboxDrainer> self = shared_from_this();
  while (!stopping_ && batch->away.ok() && batch->next < batch->operations.size()) {
    const ports::UndrainedOperation& operation = batch->operations[batch->next++];
    const absl::Status drained = co_await Drain(operation);
    if (drained.ok()) continue;
    if (absl::IsUnavailable(drained)) {
      batch->away = drained;
    } else {
      // About this operation alone: the others must not wait for it.
      telemetry::Log(telemetry::Severity::kError, "operation_record_refused",
                     {telemetry::OperationId(operation.id.ToString()),
                      {"cause", std::string(drained.message())}});
    }
  }
  if (--batch->workers == 0) batch->ended.cancel();
}

AsyncStatus OutboxDrainer::Drain(const ports::UndrainedOperation& operation) {
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
        co_await ports_.outbox.Drained(operation.id, delivered, MakeContext());
    if (result.ok()) result = marked;
  }
  co_return result;
}

}  // namespace tollbridge::reconcile
