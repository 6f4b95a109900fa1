#include "adapters/payment_service/http_transport.h"

#include <utility>

namespace tollbridge::payment_service {

boost::asio::awaitable<ExchangeResult> HttpTransport::Send(Exchange exchange) {
  http::SendResult sent = co_await client_->Send(
      std::move(exchange.request),
      {.deadline = exchange.deadline, .write_before = exchange.write_before});
  co_return ExchangeResult(std::move(sent));
}

}  // namespace tollbridge::payment_service
