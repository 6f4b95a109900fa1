#ifndef TOLLBRIDGE_ADAPTERS_TELEMETRY_METRICS_PAGE_H_
#define TOLLBRIDGE_ADAPTERS_TELEMETRY_METRICS_PAGE_H_

#include <functional>
#include <string>

#include "base/core/boot_clock.h"
#include "base/http/server.h"
#include "base/telemetry/metrics.h"

namespace tollbridge::telemetry_exporters {

/// Runs the collectors and renders all metrics in the Prometheus text format.
std::string RenderMetrics(telemetry::Metrics& metrics);

/// Answers GET and HEAD /metrics; 404 and 405 for all else. At most a tenth of the thread's time
/// goes into rendering, however many ask: who comes while it rests, a second at most, shares one of
/// the next pages, and its connection may be closed for others meanwhile. 503 where four from the
/// address wait already. On the executor of one thread.
http::Handler MetricsHandler(telemetry::Metrics& metrics,
                             std::function<BootTime()> now = &BootClock::now);

}  // namespace tollbridge::telemetry_exporters

#endif  // TOLLBRIDGE_ADAPTERS_TELEMETRY_METRICS_PAGE_H_
