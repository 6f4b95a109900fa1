#ifndef TOLLBRIDGE_TESTS_SUPPORT_OTEL_COLLECTOR_H_
#define TOLLBRIDGE_TESTS_SUPPORT_OTEL_COLLECTOR_H_

#include <string>
#include <vector>

#include "tests/support/process.h"
#include "tests/support/temp_folder.h"
#include "tollbridge/otlp/v1/traces.pb.h"

namespace tollbridge::test {

/// The OpenTelemetry Collector: takes OTLP over HTTP on a free loopback port, and writes what it
/// has read to a file. One thread.
class OtelCollector {
 public:
  /// `program`: that of tests/e2e/collector. Throws std::runtime_error when it does not start.
  explicit OtelCollector(const std::string& program);

  /// What goes into traces.otlp_endpoint.
  std::string url() const { return "http://" + address_ + "/v1/traces"; }
  /// What it has written so far.
  std::vector<otlp::v1::Span> Spans() const;

 private:
  std::string OutputFile() const;

  TempFolder folder_;
  Process process_;
  std::string address_;
};

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_OTEL_COLLECTOR_H_
