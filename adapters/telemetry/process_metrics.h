#ifndef TOLLBRIDGE_ADAPTERS_TELEMETRY_PROCESS_METRICS_H_
#define TOLLBRIDGE_ADAPTERS_TELEMETRY_PROCESS_METRICS_H_

#include <string>

#include "base/telemetry/metrics.h"

namespace tollbridge::telemetry_exporters {

/// Shows what the process takes (process_*) with each scrape, as `folder` of the kernel tells it.
/// What it does not tell is not shown.
void ReportProcess(telemetry::Metrics& metrics, const std::string& folder = "/proc/self");

}  // namespace tollbridge::telemetry_exporters

#endif  // TOLLBRIDGE_ADAPTERS_TELEMETRY_PROCESS_METRICS_H_
