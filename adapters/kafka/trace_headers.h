#ifndef TOLLBRIDGE_ADAPTERS_KAFKA_TRACE_HEADERS_H_
#define TOLLBRIDGE_ADAPTERS_KAFKA_TRACE_HEADERS_H_

#include <vector>

#include "adapters/kafka/producer.h"
#include "base/telemetry/span.h"

namespace tollbridge::kafka {

/// Adds `traceparent`, and `tracestate` where the trace has one; nothing when it is not valid.
void AddTraceHeaders(const telemetry::TraceContext& trace, std::vector<RecordHeader>* headers);

}  // namespace tollbridge::kafka

#endif  // TOLLBRIDGE_ADAPTERS_KAFKA_TRACE_HEADERS_H_
