#include "adapters/payment_service/deadline_transport.h"

#include <algorithm>
#include <utility>

namespace tollbridge::payment_service {

boost::asio::awaitable<ExchangeResult> DeadlineTransport::Send(Exchange exchange) {
  // How long a streamed answer takes is for its size and its reader to say.
  if (exchange.on_body) return next().Send(std::move(exchange));
  exchange.deadline = std::min(exchange.deadline, clock_->BootNow() + attempt_deadline_);
  return next().Send(std::move(exchange));
}

}  // namespace tollbridge::payment_service
