#include "adapters/payment_service/waited_transport.h"

#include <memory>
#include <utility>

namespace tollbridge::payment_service {

boost::asio::awaitable<ExchangeResult> WaitedTransport::Send(Exchange exchange) {
  if (exchange.waited == nullptr) return next().Send(std::move(exchange));
  return SendWatched(std::move(exchange));
}

boost::asio::awaitable<ExchangeResult> WaitedTransport::SendWatched(Exchange exchange) {
  const std::shared_ptr<ports::Waited> waited = exchange.waited;
  waited->Begin(clock_->BootNow());
  ExchangeResult result = co_await next().Send(std::move(exchange));
  waited->End(clock_->BootNow());
  co_return result;
}

}  // namespace tollbridge::payment_service
