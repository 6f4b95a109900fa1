#include "services/operations/lease_sweeper.h"

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/statusor.h>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/this_coro.hpp>

#include "services/operations/operation_metrics.h"
#include "services/ports/context.h"
#include "services/telemetry/log.h"
#include "services/telemetry/span.h"

namespace tollbridge::operations {

namespace asio = boost::asio;

namespace {
/// Operations closed by one call of the store: bounds the time of its script.
constexpr std::size_t kBatch = 100;
}  // namespace

struct LeaseSweeper::Loop {
  ports::OperationStore& store;
  ports::Clock& clock;
  telemetry::Metrics& metrics;
  ports::Millis interval;
  ports::Millis store_timeout;
  asio::cancellation_signal wake{};
  bool stopped = false;

  static asio::awaitable<void> Run(std::shared_ptr<Loop> self);
  /// Closes one batch. True when there may be more.
  asio::awaitable<bool> Pass();
};

asio::awaitable<bool> LeaseSweeper::Loop::Pass() {
  const telemetry::Span span = telemetry::StartSpan("sweep leases", {});
  const ports::Context context{clock.BootNow() + store_timeout, span.context()};
  const absl::StatusOr<std::vector<ports::ExpiredOperation>> expired =
      co_await store.ExpireLeases(kBatch, context);
  if (!expired.ok()) {
    telemetry::Log(telemetry::Severity::kWarning, "leases_not_swept",
                   {{"cause", std::string(expired.status().message())}});
    co_return false;
  }
  for (const ports::ExpiredOperation& operation : *expired) {
    CountOperation(metrics, operation.rpc, operation.became);
    telemetry::Log(telemetry::Severity::kWarning, "operation_lease_expired",
                   {telemetry::OperationId(operation.id.ToString()),
                    {"rpc", operation.rpc},
                    {"state", StateName(operation.became)}});
  }
  co_return expired->size() == kBatch;
}

asio::awaitable<void> LeaseSweeper::Loop::Run(std::shared_ptr<Loop> self) {
  co_await asio::this_coro::throw_if_cancelled(false);
  while (!self->stopped) {
    const bool more = co_await self->Pass();
    if (more || self->stopped) continue;
    co_await self->clock.Sleep(self->interval);
  }
}

LeaseSweeper::LeaseSweeper(asio::any_io_executor executor, ports::OperationStore& store,
                           ports::Clock& clock, telemetry::Metrics& metrics, ports::Millis interval,
                           ports::Millis store_timeout)
    : executor_(std::move(executor)),
      loop_(std::make_shared<Loop>(store, clock, metrics, interval, store_timeout)) {}

LeaseSweeper::~LeaseSweeper() { loop_->stopped = true; }

void LeaseSweeper::Start() {
  asio::co_spawn(executor_, Loop::Run(loop_),
                 asio::bind_cancellation_slot(loop_->wake.slot(), asio::detached));
}

void LeaseSweeper::Stop() {
  loop_->stopped = true;
  loop_->wake.emit(asio::cancellation_type::terminal);
}

}  // namespace tollbridge::operations
