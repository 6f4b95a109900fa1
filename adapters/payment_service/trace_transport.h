#ifndef TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_TRACE_TRANSPORT_H_
#define TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_TRACE_TRANSPORT_H_

#include <array>
#include <utility>

#include "adapters/payment_service/transport.h"
#include "base/http/url.h"

namespace tollbridge::payment_service {

/// Where each origin is, at IndexOf(origin); without a host where it is not configured.
using OriginUrls = std::array<http::Url, kOrigins>;

/// A client span for each attempt, by OpenTelemetry's conventions for HTTP, and its traceparent on
/// the wire. The query of a URL, which may name a customer, is left out.
class TraceTransport : public Transport {
 public:
  explicit TraceTransport(OriginUrls origins) : origins_(std::move(origins)) {}
  boost::asio::awaitable<ExchangeResult> Send(Exchange exchange) override;

 private:
  telemetry::Span StartSpan(const Exchange& exchange) const;

  OriginUrls origins_;
};

}  // namespace tollbridge::payment_service

#endif  // TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_TRACE_TRANSPORT_H_
