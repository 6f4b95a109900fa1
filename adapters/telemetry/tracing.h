#ifndef TOLLBRIDGE_ADAPTERS_TELEMETRY_TRACING_H_
#define TOLLBRIDGE_ADAPTERS_TELEMETRY_TRACING_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "adapters/telemetry/settings.h"
#include "base/net/tls.h"

namespace tollbridge::telemetry_exporters {

/// The export of spans: while it lives, telemetry::StartSpan records into it. At most one at a
/// time.
class Tracing {
 public:
  /// INVALID_ARGUMENT for an endpoint that is no http(s) URL or a ratio outside 0 to 1. Reaching
  /// the endpoint is not tried: export failures are logged.
  static absl::StatusOr<std::unique_ptr<Tracing>> Start(const TracingSettings& settings);
  /// ShutDown with a second.
  ~Tracing();
  Tracing(const Tracing&) = delete;
  Tracing& operator=(const Tracing&) = delete;

  /// Exports what is queued, for at most `bound`, breaks off the batch that is under way then, and
  /// ends the export. Blocks: not on a shard. DEADLINE_EXCEEDED when
  /// the time was not enough; exports that failed are logged. Idempotent.
  absl::Status ShutDown(std::chrono::milliseconds bound);

 private:
  struct Impl;
  explicit Tracing(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace tollbridge::telemetry_exporters

#endif  // TOLLBRIDGE_ADAPTERS_TELEMETRY_TRACING_H_
