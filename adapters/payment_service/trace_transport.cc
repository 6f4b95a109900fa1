#include "adapters/payment_service/trace_transport.h"

#include <cstdint>
#include <string>
#include <utility>

namespace tollbridge::payment_service {

boost::asio::awaitable<ExchangeResult> TraceTransport::Send(Exchange exchange) {
  telemetry::Span span =
      telemetry::StartSpan(exchange.operation, exchange.trace, telemetry::SpanKind::kClient);
  span.SetAttribute("http.request.method", std::string_view(exchange.request.method));
  exchange.trace = span.context();
  exchange.request.headers.Set("traceparent", span.context().ToTraceparent());
  ExchangeResult result = co_await next().Send(std::move(exchange));
  if (result.fate == http::Fate::kAnswered) {
    span.SetAttribute("http.response.status_code", std::int64_t{result.response.status});
    if (result.response.status >= 400) span.SetError("refused");
  } else {
    span.SetError(result.fate == http::Fate::kNotSent ? "not sent" : "unknown");
  }
  span.SetAttribute("tollbridge.reused_connection", result.reused_connection);
  co_return result;
}

}  // namespace tollbridge::payment_service
