#ifndef TOLLBRIDGE_BASE_TELEMETRY_LOG_STREAM_H_
#define TOLLBRIDGE_BASE_TELEMETRY_LOG_STREAM_H_

namespace tollbridge::telemetry {

/// Lines of the log go to stderr from now on. For programs whose answer is on stdout; before the
/// first line.
void LogToStderr();

}  // namespace tollbridge::telemetry

#endif  // TOLLBRIDGE_BASE_TELEMETRY_LOG_STREAM_H_
