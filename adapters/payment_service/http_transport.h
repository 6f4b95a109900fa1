#ifndef TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_HTTP_TRANSPORT_H_
#define TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_HTTP_TRANSPORT_H_

#include <array>
#include <memory>
#include <utility>

#include "adapters/payment_service/transport.h"
#include "base/http/client.h"

namespace tollbridge::payment_service {

/// The client of each origin, at IndexOf(origin); null where the origin is not configured.
using OriginClients = std::array<std::shared_ptr<http::Client>, kOrigins>;

/// The end of the pipe: the pooled HTTP clients. What is for an origin that is not configured is
/// not sent, FAILED_PRECONDITION.
class HttpTransport : public Transport {
 public:
  explicit HttpTransport(OriginClients clients) : clients_(std::move(clients)) {}
  boost::asio::awaitable<ExchangeResult> Send(Exchange exchange) override;

 private:
  OriginClients clients_;
};

}  // namespace tollbridge::payment_service

#endif  // TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_HTTP_TRANSPORT_H_
