#ifndef TOLLBRIDGE_BASE_TELEMETRY_LOG_H_
#define TOLLBRIDGE_BASE_TELEMETRY_LOG_H_

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/telemetry/span.h"

namespace tollbridge::telemetry {

enum class Severity { kDebug, kInfo, kWarning, kError };

/// "debug", "info", "warning", "error".
std::string_view SeverityName(Severity severity);

/// A named value of a log line. Views must live until Log() returns. String values are masked by
/// MaskCardNumbers; a UUID is left as it is.
class Field {
 public:
  Field(std::string_view name, std::string_view value) : name_(name), value_(value) {}
  Field(std::string_view name, const char* value) : name_(name), value_(std::string_view(value)) {}
  Field(std::string_view name, const std::string& value)
      : name_(name), value_(std::string_view(value)) {}
  Field(std::string_view name, bool value) : name_(name), value_(value) {}
  Field(std::string_view name, std::signed_integral auto value)
      : name_(name), value_(static_cast<std::int64_t>(value)) {}
  Field(std::string_view name, std::unsigned_integral auto value)
    requires(!std::same_as<decltype(value), bool>)
      : name_(name), value_(static_cast<std::uint64_t>(value)) {}
  Field(std::string_view name, double value) : name_(name), value_(value) {}
  /// trace_id and span_id; nothing when the context is not valid.
  explicit Field(const TraceContext& context) : value_(&context) {}

  /// Empty: the line goes without the field.
  std::string_view name() const { return name_; }
  using Value = std::variant<std::string_view, bool, std::int64_t, std::uint64_t, double,
                             const TraceContext*>;
  const Value& value() const { return value_; }

 private:
  std::string_view name_;
  Value value_;
};

/// Nothing when `value` is empty.
inline Field IfKnown(std::string_view name, std::string_view value) {
  return {value.empty() ? std::string_view() : name, value};
}

/// The ids by which a line is found. Fields of these names are made only here.
inline Field Trace(const TraceContext& context) { return Field(context); }
inline Field OperationId(std::string_view id) { return IfKnown("operation_id", id); }
inline Field OrderId(std::string_view id) { return IfKnown("order_id", id); }

/// Writes one JSON line to stdout: {"time", "severity", "event", ...fields}. `event` is a constant
/// in snake_case that says what happened; what varies goes into fields. Any thread; never blocks:
/// the line goes to a writer thread, and when that is 8192 lines behind, the oldest are dropped and
/// counted (DroppedLogLines). No card data, whatever masking does: masking is the second line of
/// defence.
void Log(Severity severity, std::string_view event, std::initializer_list<Field> fields = {});

/// Ends every line as "process", so that replicas whose lines come together can be told apart.
/// Before other threads log. Default: empty, and then left out.
void SetLogProcess(std::string_view name);
/// Lines below are not written. Default: info.
void SetLogLevel(Severity lowest);
/// Writes out what is queued; then lines are written on the calling thread. For the end of main.
/// Idempotent.
void FlushLog();
/// Lines written with this severity since the start of the process.
std::uint64_t LogLines(Severity severity);
/// Lines that were lost because stdout did not take them, or not fast enough.
std::uint64_t DroppedLogLines();

/// For tests: while it lives, lines of the process go here and not to stdout. One at a time.
class LogCapture {
 public:
  LogCapture();
  ~LogCapture();
  LogCapture(const LogCapture&) = delete;
  LogCapture& operator=(const LogCapture&) = delete;
  /// The lines so far, without line ends.
  std::vector<std::string> lines() const;

 private:
  std::vector<std::string> lines_;
};

}  // namespace tollbridge::telemetry

#endif  // TOLLBRIDGE_BASE_TELEMETRY_LOG_H_
