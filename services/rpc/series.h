#ifndef TOLLBRIDGE_SERVICES_RPC_SERIES_H_
#define TOLLBRIDGE_SERVICES_RPC_SERIES_H_

#include "base/telemetry/metrics.h"
#include "services/rpc/method.h"

namespace tollbridge::rpc {

/// Creates the counters of every method at 0: those of ends with OK and with the codes of
/// telemetry::kServerFaults. Refusals of other codes begin with the first one. Failures too, by
/// reason and by whom it blames.
void CreateSeries(telemetry::Metrics& metrics, const MethodTable& methods);

}  // namespace tollbridge::rpc

#endif  // TOLLBRIDGE_SERVICES_RPC_SERIES_H_
