#include "tests/support/otel_collector.h"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "tests/support/otlp_spans.h"
#include "tests/support/read_file.h"

namespace tollbridge::test {
namespace {

constexpr std::string_view kConfig = R"(
receivers: {otlp: {protocols: {http: {endpoint: "127.0.0.1:0"}}}}
exporters: {file: {path: "SPANS", format: proto, flush_interval: 50ms}}
service:
  pipelines: {traces: {receivers: [otlp], exporters: [file]}}
  telemetry:
    logs: {output_paths: [stdout], encoding: json}
    metrics: {level: none}
)";
constexpr std::size_t kLengthBytes = 4;

std::string ConfigWith(const std::string& spans) {
  std::string config(kConfig);
  return config.replace(config.find("SPANS"), 5, spans);
}

/// The text behind `name` to the next quote.
std::string Quoted(const std::string& line, std::string_view name) {
  const std::size_t begin = line.find(name);
  if (begin == std::string::npos) throw std::runtime_error("the collector says: " + line);
  return line.substr(begin + name.size(),
                     line.find('"', begin + name.size()) - begin - name.size());
}

}  // namespace

OtelCollector::OtelCollector(const std::string& program)
    : process_({program, "--config", folder_.Write("collector.yaml", ConfigWith(OutputFile()))}) {
  const std::optional<std::string> line = process_.WaitForLine("Starting HTTP server");
  if (!line || !process_.WaitForLine("Everything is ready")) {
    throw std::runtime_error("the collector does not start: " + process_.standard_error());
  }
  address_ = Quoted(*line, R"("endpoint":")");
}

std::string OtelCollector::OutputFile() const { return folder_.PathOf("spans"); }

std::vector<otlp::v1::Span> OtelCollector::Spans() const {
  std::vector<otlp::v1::Span> spans;
  if (!std::filesystem::exists(OutputFile())) return spans;
  const std::string written = ReadFile(OutputFile());
  // Each message lies behind its length, with the highest byte first; the last one may be under
  // way.
  for (std::size_t at = 0; at + kLengthBytes <= written.size();) {
    std::size_t length = 0;
    for (std::size_t i = 0; i < kLengthBytes; ++i) {
      length = length << 8U | static_cast<unsigned char>(written[at + i]);
    }
    at += kLengthBytes;
    if (written.size() - at < length) break;
    otlp::v1::ExportTracesRequest message;
    if (!message.ParseFromString(written.substr(at, length))) {
      throw std::runtime_error("the collector has written what is no traces");
    }
    const std::vector<otlp::v1::Span> more = SpansOf(message);
    spans.insert(spans.end(), more.begin(), more.end());
    at += length;
  }
  return spans;
}

}  // namespace tollbridge::test
