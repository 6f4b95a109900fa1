#ifndef TOLLBRIDGE_ADAPTERS_TELEMETRY_SETTINGS_H_
#define TOLLBRIDGE_ADAPTERS_TELEMETRY_SETTINGS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/http/message.h"
#include "base/net/tls.h"

namespace tollbridge::config {
class Section;
}  // namespace tollbridge::config

namespace tollbridge::telemetry_exporters {

struct TracingSettings {
  /// URL that OTLP/HTTP traces are posted to, "http://host:4318/v1/traces". Empty = nothing is
  /// exported.
  std::string otlp_endpoint;
  bool allow_plaintext_beyond_loopback = false;
  /// Certificates to trust for an https endpoint, PEM; empty: the system's.
  std::string ca_file;
  /// Lines of `name: value`.
  std::string headers_file;
  /// Made of `ca_file`; required for https.
  std::shared_ptr<const net::TlsContext> otlp_tls;
  /// Gives those of `headers_file`, as they are now: asked for at each export, on the thread that
  /// exports. Null: none.
  std::function<http::Headers()> otlp_headers;
  std::string service_name = "tollbridge";
  std::string service_version;
  std::string service_instance_id;
  /// Share of traces that are exported, 0 to 1: of those that begin here, and of those of callers.
  /// Spans with errors, and of calls whose outcome is not known, are exported in any case.
  double sample_ratio = 1.0;
  /// So many traces a second are exported beyond it because their callers want it.
  std::uint32_t wanted_per_second = 10;
  std::chrono::milliseconds export_timeout{5000};
  std::chrono::milliseconds batch_interval{1000};
  std::size_t max_queued_spans = 8192;
  /// So many spans were not taken by the collector. Called on the thread that exports.
  std::function<void(std::size_t)> on_dropped;
};

/// Binds what a configuration may set.
void Describe(config::Section& section, TracingSettings* settings);

}  // namespace tollbridge::telemetry_exporters

#endif  // TOLLBRIDGE_ADAPTERS_TELEMETRY_SETTINGS_H_
