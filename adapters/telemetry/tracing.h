#ifndef TOLLBRIDGE_ADAPTERS_TELEMETRY_TRACING_H_
#define TOLLBRIDGE_ADAPTERS_TELEMETRY_TRACING_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "base/http/message.h"
#include "base/net/tls.h"

namespace tollbridge::telemetry_exporters {

struct TracingSettings {
  /// URL that OTLP/HTTP traces are posted to, "http://host:4318/v1/traces". Empty = nothing is
  /// exported.
  std::string otlp_endpoint;
  /// Required for https.
  std::shared_ptr<const net::TlsContext> otlp_tls;
  /// Go with each export.
  http::Headers otlp_headers;
  std::string service_name = "tollbridge";
  std::string service_version;
  std::string service_instance_id;
  /// Share of new traces that are sampled, 0 to 1. A caller's own decision is followed.
  double sample_ratio = 1.0;
  std::chrono::milliseconds export_timeout{5000};
  std::chrono::milliseconds batch_interval{1000};
  std::size_t max_queued_spans = 8192;
};

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
