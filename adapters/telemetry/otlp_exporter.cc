#include "adapters/telemetry/otlp_exporter.h"

#include <absl/strings/str_cat.h>
#include <opentelemetry/sdk/trace/span_data.h>

#include <boost/asio/co_spawn.hpp>
#include <exception>
#include <optional>
#include <utility>

#include "adapters/telemetry/otlp_messages.h"
#include "base/core/boot_clock.h"
#include "base/core/status_macros.h"
#include "base/http/url.h"
#include "base/telemetry/log.h"

namespace tollbridge::telemetry_exporters {
namespace {

using opentelemetry::sdk::common::ExportResult;
using opentelemetry::sdk::trace::Recordable;
using Recordables = opentelemetry::nostd::span<std::unique_ptr<Recordable>>;

constexpr std::size_t kMaxAnswer = std::size_t{64} << 10;

std::string TargetOf(const http::Url& url) {
  std::string target = url.path.empty() ? "/" : url.path;
  if (!url.query.empty()) absl::StrAppend(&target, "?", url.query);
  return target;
}

/// What the collector says that it has not taken of a batch.
absl::Status Taken(const http::Response& response) {
  if (response.status / 100 != 2) {
    return absl::UnavailableError(absl::StrCat("the collector answers ", response.status, " ",
                                               std::string(http::ReasonPhrase(response.status))));
  }
  otlp::v1::ExportTracesResponse answer;
  if (!answer.ParseFromString(response.body)) return absl::OkStatus();  // any body goes with a 200
  const otlp::v1::PartialSuccess& partial = answer.partial_success();
  if (partial.rejected_spans() == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("the collector rejects ", partial.rejected_spans(),
                                                 " spans: ", partial.error_message()));
}

}  // namespace

absl::StatusOr<std::unique_ptr<OtlpExporter>> OtlpExporter::Create(const OtlpSettings& settings) {
  TB_ASSIGN_OR_RETURN(http::Url url, http::ParseUrl(settings.endpoint));
  if (url.tls && settings.tls == nullptr) {
    return absl::InvalidArgumentError("https without what TLS needs");
  }
  std::string target = TargetOf(url);
  url.path.clear();
  url.query.clear();
  http::ClientOptions options{
      .base_url = std::move(url), .tls = settings.tls, .max_connections = 1};
  options.connect_timeout = settings.timeout;
  return std::unique_ptr<OtlpExporter>(
      new OtlpExporter(std::move(options), std::move(target), settings));
}

OtlpExporter::OtlpExporter(http::ClientOptions options, std::string target,
                           const OtlpSettings& settings)
    : target_(std::move(target)),
      headers_(settings.headers),
      timeout_(settings.timeout),
      on_dropped_(settings.on_dropped),
      client_(loop_.get_executor(), std::move(options)) {}

http::Request OtlpExporter::RequestWith(std::string body) const {
  http::Request request{.method = "POST", .target = target_, .body = std::move(body)};
  if (headers_) request.headers = headers_();
  request.headers.Set("Content-Type", "application/x-protobuf");
  return request;
}

std::unique_ptr<Recordable> OtlpExporter::MakeRecordable() noexcept {
  return std::make_unique<opentelemetry::sdk::trace::SpanData>();
}

ExportResult OtlpExporter::Export(const Recordables& spans) noexcept {
  if (shut_down_) {
    if (on_dropped_) on_dropped_(spans.size());
    return ExportResult::kFailure;
  }
  if (spans.empty()) return ExportResult::kSuccess;
  const absl::Status posted = Post(ToOtlp(spans).SerializeAsString());
  if (posted.ok()) return ExportResult::kSuccess;
  if (on_dropped_) on_dropped_(spans.size());
  if (const auto lost = failures_.Count(BootClock::now(), spans.size())) {
    telemetry::Log(telemetry::Severity::kWarning, "spans_not_exported",
                   {{"spans", *lost}, {"reason", std::string(posted.message())}});
  }
  return ExportResult::kFailure;
}

absl::Status OtlpExporter::Post(std::string body) {
  http::Request request = RequestWith(std::move(body));
  // Shared with the coroutine, which outlives a loop that Shutdown stops.
  const auto sent = std::make_shared<std::optional<http::SendResult>>();
  boost::asio::co_spawn(loop_,
                        client_.Send(std::move(request), {.deadline = BootClock::now() + timeout_,
                                                          .max_response_bytes = kMaxAnswer}),
                        [sent](const std::exception_ptr& thrown, http::SendResult result) {
                          if (thrown != nullptr)
                            result.error = absl::InternalError("the exchange threw");
                          *sent = std::move(result);
                        });
  // Connections of the client have timers, so the loop would not run out of work by itself.
  while (!*sent && loop_.run_one() > 0) {
  }
  if (!*sent) return absl::CancelledError("the export was shut down");
  TB_RETURN_IF_ERROR((*sent)->error);
  return Taken((*sent)->response);
}

bool OtlpExporter::ForceFlush(std::chrono::microseconds) noexcept { return true; }

bool OtlpExporter::Shutdown(std::chrono::microseconds) noexcept {
  shut_down_ = true;
  loop_.stop();
  return true;
}

}  // namespace tollbridge::telemetry_exporters
