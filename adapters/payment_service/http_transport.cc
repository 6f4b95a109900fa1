#include "adapters/payment_service/http_transport.h"

namespace tollbridge::payment_service {

boost::asio::awaitable<ExchangeResult> HttpTransport::Send(Exchange exchange) {
  return client_->Send(std::move(exchange.request),
                       {.deadline = exchange.deadline, .write_before = exchange.write_before});
}

}  // namespace tollbridge::payment_service
