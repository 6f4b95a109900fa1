#ifndef TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_HTTP_TRANSPORT_H_
#define TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_HTTP_TRANSPORT_H_

#include <memory>
#include <utility>

#include "adapters/http/client.h"
#include "adapters/payment_service/transport.h"

namespace tollbridge::payment_service {

/// The end of the pipe: the pooled HTTP client.
class HttpTransport : public Transport {
 public:
  explicit HttpTransport(std::shared_ptr<http::Client> client) : client_(std::move(client)) {}
  boost::asio::awaitable<ExchangeResult> Send(Exchange exchange) override;

 private:
  std::shared_ptr<http::Client> client_;
};

}  // namespace tollbridge::payment_service

#endif  // TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_HTTP_TRANSPORT_H_
