#ifndef TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_TRACE_TRANSPORT_H_
#define TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_TRACE_TRANSPORT_H_

#include "adapters/payment_service/transport.h"

namespace tollbridge::payment_service {

/// A client span for each attempt, and its traceparent on the wire.
class TraceTransport : public Transport {
 public:
  boost::asio::awaitable<ExchangeResult> Send(Exchange exchange) override;
};

}  // namespace tollbridge::payment_service

#endif  // TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_TRACE_TRANSPORT_H_
