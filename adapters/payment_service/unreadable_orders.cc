#include "adapters/payment_service/unreadable_orders.h"

#include <cstdint>
#include <memory>
#include <optional>

#include "base/telemetry/log.h"
#include "base/telemetry/metric_definitions.h"
#include "base/telemetry/sampler.h"
#include "tollbridge/common/v1/search.pb.h"

namespace tollbridge::payment_service {

OnUnreadable ReportUnreadable(telemetry::Metrics* metrics, const ports::Clock* clock) {
  return [metrics, clock, sampler = std::make_shared<telemetry::Sampler>()](
             const domain::Project& project, const common::v1::UnreadableOrder& order) {
    metrics->Get(telemetry::kUnreadableOrders, {order.cause()}).Increment();
    const std::optional<std::uint64_t> count = sampler->Count(clock->BootNow());
    if (!count) return;
    telemetry::Log(telemetry::Severity::kWarning, "unreadable_order",
                   {telemetry::OrderId(order.id()),
                    {"project", project.name},
                    {"cause", order.cause()},
                    {"count", *count}});
  };
}

}  // namespace tollbridge::payment_service
