#ifndef TOLLBRIDGE_ADAPTERS_TELEMETRY_OTLP_MESSAGES_H_
#define TOLLBRIDGE_ADAPTERS_TELEMETRY_OTLP_MESSAGES_H_

#include <opentelemetry/nostd/span.h>
#include <opentelemetry/sdk/trace/recordable.h>

#include <memory>

#include "tollbridge/otlp/v1/traces.pb.h"

namespace tollbridge::telemetry_exporters {

/// The batch as OTLP has it. `spans` are SpanData of one process.
otlp::v1::ExportTracesRequest ToOtlp(
    const opentelemetry::nostd::span<std::unique_ptr<opentelemetry::sdk::trace::Recordable>>&
        spans);

}  // namespace tollbridge::telemetry_exporters

#endif  // TOLLBRIDGE_ADAPTERS_TELEMETRY_OTLP_MESSAGES_H_
