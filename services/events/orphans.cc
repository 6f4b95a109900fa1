#include "services/events/orphans.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include "base/core/status_macros.h"
#include "base/telemetry/log.h"
#include "base/telemetry/metric_definitions.h"
#include "services/domain/mark.h"
#include "services/events/settings.h"

namespace tollbridge::events {

using common::v1::Order;

namespace {

bool IsPaid(const Order& order) {
  return order.status() == common::v1::ORDER_STATUS_COMPLETED ||
         std::ranges::any_of(order.transactions(), [](const common::v1::Transaction& transaction) {
           return transaction.status() == common::v1::TRANSACTION_STATUS_COMPLETED ||
                  transaction.status() == common::v1::TRANSACTION_STATUS_CAPTURED;
         });
}

}  // namespace

Async<bool> OrphanFilter::IsUnpaidOrphan(ports::FamilyKey key, const Order& order,
                                         telemetry::TraceContext trace) {
  const std::optional<domain::Mark> mark = domain::MarkOf(order);
  if (!mark) co_return false;
  const bool paid = IsPaid(order);
  TB_CO_ASSIGN_OR_RETURN(
      const ports::MarkVerdict verdict,
      co_await ports_.registry.JudgeMark(
          *mark, key, paid, {.deadline = ports_.clock.BootNow() + kStoreTimeout, .trace = trace}));
  if (verdict == ports::MarkVerdict::kOurs) co_return false;

  ports_.metrics.Get(telemetry::kOrphans, {paid ? "paid" : "unpaid"}).Increment();
  telemetry::Log(paid ? telemetry::Severity::kWarning : telemetry::Severity::kInfo, "orphan_order",
                 {telemetry::OrderId(key.root.ToString()),
                  telemetry::OperationId(mark->operation.ToString()),
                  {"project", key.project},
                  {"paid", paid},
                  telemetry::Trace(trace)});
  co_return !paid;
}

}  // namespace tollbridge::events
