#include "adapters/kafka/trace_headers.h"

#include <string_view>

namespace tollbridge::kafka {

void AddTraceHeaders(const telemetry::TraceContext& trace, std::vector<RecordHeader>* headers) {
  if (!trace.valid()) return;
  headers->emplace_back("traceparent", trace.ToTraceparent());
  const std::string_view state = trace.ToTracestate();
  if (!state.empty()) headers->emplace_back("tracestate", state);
}

}  // namespace tollbridge::kafka
