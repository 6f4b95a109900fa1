#ifndef TOLLBRIDGE_ADAPTERS_REDIS_SCRIPT_SPAN_H_
#define TOLLBRIDGE_ADAPTERS_REDIS_SCRIPT_SPAN_H_

#include <absl/status/statusor.h>

#include <optional>
#include <string_view>

#include "base/telemetry/span.h"

namespace tollbridge::redis {

/// The span of running one script, by OpenTelemetry's conventions for databases. None where there
/// is no trace to be part of: what an idle process asks of Redis makes no traces.
class ScriptSpan {
 public:
  ScriptSpan(std::string_view script, const telemetry::TraceContext& parent);

  /// Notes how it went, and returns it.
  template <typename Result>
  absl::StatusOr<Result> End(absl::StatusOr<Result> result) {
    if (!result.ok()) Failed(result.status());
    span_.reset();
    return result;
  }

 private:
  void Failed(const absl::Status& status);

  std::optional<telemetry::Span> span_;
};

}  // namespace tollbridge::redis

#endif  // TOLLBRIDGE_ADAPTERS_REDIS_SCRIPT_SPAN_H_
