#ifndef TOLLBRIDGE_ADAPTERS_TELEMETRY_LIBRARY_LOGS_H_
#define TOLLBRIDGE_ADAPTERS_TELEMETRY_LIBRARY_LOGS_H_

namespace tollbridge::telemetry_exporters {

/// Sends what protobuf, gRPC and OpenTelemetry would print to stderr to the JSON log, as events
/// "library_log" with the field "library". For the whole process; call at the start of main.
/// (librdkafka takes its callback per handle: adapters/kafka sets that.)
void RouteLibraryLogs();

}  // namespace tollbridge::telemetry_exporters

#endif  // TOLLBRIDGE_ADAPTERS_TELEMETRY_LIBRARY_LOGS_H_
