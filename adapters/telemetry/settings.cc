#include "adapters/telemetry/settings.h"

#include "base/config/config_schema.h"

namespace tollbridge::telemetry_exporters {

void Describe(config::Section& section, TracingSettings* settings) {
  section.Text("otlp_endpoint", &settings->otlp_endpoint,
               "OTLP over HTTP, e.g. http://collector.example:4318/v1/traces; empty exports none");
  section.Flag("allow_plaintext_beyond_loopback", &settings->allow_plaintext_beyond_loopback,
               "In production: export over http to an address that is not loopback");
  section.Text("ca_file", &settings->ca_file,
               "Certificates to trust for an https endpoint, PEM; empty trusts the system's");
  section.Share("sample_ratio", &settings->sample_ratio,
                "Share of the traces that are exported; spans with errors, and of calls whose "
                "outcome is not known, are in any case");
  section.Number("wanted_per_second", &settings->wanted_per_second, 0, 1'000'000,
                 "So many traces a second more are exported because their callers want it: by the "
                 "flag in traceparent");
  section.Text("headers_file", &settings->headers_file,
               "File with headers that the collector asks for, one `name: value` a line; empty for "
               "none");
}

}  // namespace tollbridge::telemetry_exporters
