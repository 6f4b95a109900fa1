#ifndef TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_UNREADABLE_ORDERS_H_
#define TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_UNREADABLE_ORDERS_H_

#include "adapters/payment_service/client.h"
#include "base/telemetry/metrics.h"
#include "services/ports/clock.h"

namespace tollbridge::payment_service {

/// Counts each order that cannot be read by its cause, and logs one in ten seconds with its id.
OnUnreadable ReportUnreadable(telemetry::Metrics* metrics, const ports::Clock* clock);

}  // namespace tollbridge::payment_service

#endif  // TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_UNREADABLE_ORDERS_H_
