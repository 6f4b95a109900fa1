#ifndef TOLLBRIDGE_SERVICES_RPC_WIRE_METRICS_H_
#define TOLLBRIDGE_SERVICES_RPC_WIRE_METRICS_H_

#include <memory>

#include "base/telemetry/metrics.h"
#include "base/wire/limits.h"

namespace tollbridge::rpc {

/// Shows what the gRPC port refused and what it holds on the metrics page.
void ReportWire(telemetry::Metrics& metrics, std::shared_ptr<const wire::Counts> counts);

}  // namespace tollbridge::rpc

#endif  // TOLLBRIDGE_SERVICES_RPC_WIRE_METRICS_H_
