#ifndef TOLLBRIDGE_ADAPTERS_TELEMETRY_OTLP_EXPORTER_H_
#define TOLLBRIDGE_ADAPTERS_TELEMETRY_OTLP_EXPORTER_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <opentelemetry/nostd/span.h>
#include <opentelemetry/sdk/common/exporter_utils.h>
#include <opentelemetry/sdk/trace/exporter.h>
#include <opentelemetry/sdk/trace/recordable.h>

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "base/http/client.h"
#include "base/http/message.h"
#include "base/net/tls.h"
#include "base/telemetry/sampler.h"

namespace tollbridge::telemetry_exporters {

struct OtlpSettings {
  /// URL that batches are posted to.
  std::string endpoint;
  /// Required for https.
  std::shared_ptr<const net::TlsContext> tls;
  /// Asked for at each batch, which they go with; null: none.
  std::function<http::Headers()> headers;
  /// Of one batch: connect, write, read.
  std::chrono::milliseconds timeout{5000};
  /// So many spans were not taken; null: nobody counts.
  std::function<void(std::size_t)> on_dropped;
};

/// Posts spans to a collector as OTLP over HTTP/1.1, in protobuf, by the client that the process
/// has in any case: the library's own brings libcurl and forty libraries with it. What a collector
/// does not take is lost, and said in one line `spans_not_exported` a minute. One thread at a
/// time exports, as the batch processor's does; Shutdown is for any other.
///
/// Reads nothing from the environment: the endpoint, headers and TLS are those of the settings.
class OtlpExporter final : public opentelemetry::sdk::trace::SpanExporter {
 public:
  /// INVALID_ARGUMENT for an endpoint that is no http(s) URL.
  static absl::StatusOr<std::unique_ptr<OtlpExporter>> Create(const OtlpSettings& settings);

  std::unique_ptr<opentelemetry::sdk::trace::Recordable> MakeRecordable() noexcept override;
  opentelemetry::sdk::common::ExportResult Export(
      const opentelemetry::nostd::span<std::unique_ptr<opentelemetry::sdk::trace::Recordable>>&
          spans) noexcept override;
  /// Nothing is kept here.
  bool ForceFlush(std::chrono::microseconds timeout) noexcept override;
  /// Breaks off the batch that is under way, and refuses all further ones.
  bool Shutdown(std::chrono::microseconds timeout) noexcept override;

 private:
  OtlpExporter(http::ClientOptions options, std::string target, const OtlpSettings& settings);

  absl::Status Post(std::string body);

  http::Request RequestWith(std::string body) const;

  const std::string target_;
  const std::function<http::Headers()> headers_;
  const std::chrono::milliseconds timeout_;
  const std::function<void(std::size_t)> on_dropped_;
  std::atomic<bool> shut_down_ = false;
  // Runs on the thread that exports, for as long as it does.
  boost::asio::io_context loop_{1};
  http::Client client_;
  telemetry::Sampler failures_{std::chrono::minutes(1)};
};

}  // namespace tollbridge::telemetry_exporters

#endif  // TOLLBRIDGE_ADAPTERS_TELEMETRY_OTLP_EXPORTER_H_
