#include "adapters/payment_service/trace_transport.h"

#include <absl/strings/str_cat.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "adapters/payment_service/confidential.h"

namespace tollbridge::payment_service {
namespace {

/// Without the query. "" where it holds what is confidential.
std::string FullUrl(const http::Url& origin, const Exchange& exchange) {
  const std::string_view target = exchange.request.target;
  std::string url =
      absl::StrCat(origin.Origin(), origin.path, std::string(target.substr(0, target.find('?'))));
  return Repeats(url, exchange.confidential) ? std::string() : url;
}

}  // namespace

telemetry::Span TraceTransport::StartSpan(const Exchange& exchange) const {
  telemetry::Span span =
      telemetry::StartSpan(exchange.operation, exchange.trace, telemetry::SpanKind::kClient);
  if (!span.recording()) return span;
  span.SetAttribute("http.request.method", std::string_view(exchange.request.method));
  if (exchange.resends > 0) {
    span.SetAttribute("http.request.resend_count", std::int64_t{exchange.resends});
  }
  span.SetAttribute("tollbridge.project", exchange.project);
  const http::Url& origin = origins_.at(IndexOf(exchange.origin));
  if (origin.host.empty()) return span;
  span.SetAttribute("server.address", origin.host);
  span.SetAttribute("server.port", std::int64_t{origin.port});
  const std::string url = FullUrl(origin, exchange);
  if (!url.empty()) span.SetAttribute("url.full", url);
  return span;
}

boost::asio::awaitable<ExchangeResult> TraceTransport::Send(Exchange exchange) {
  telemetry::Span span = StartSpan(exchange);
  exchange.trace = span.context();
  exchange.request.headers.Set("traceparent", span.context().ToTraceparent());
  const std::string_view state = span.context().ToTracestate();
  if (!state.empty()) exchange.request.headers.Set("tracestate", std::string(state));
  ExchangeResult result = co_await next().Send(std::move(exchange));
  if (result.fate == http::Fate::kAnswered) {
    span.SetAttribute("http.response.status_code", std::int64_t{result.response.status});
    if (result.response.status >= 400) span.SetErrorType(std::to_string(result.response.status));
  } else {
    span.SetErrorType(result.fate == http::Fate::kNotSent ? "not_sent" : "unknown");
  }
  span.SetAttribute("tollbridge.reused_connection", result.reused_connection);
  co_return result;
}

}  // namespace tollbridge::payment_service
