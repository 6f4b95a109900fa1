#include "adapters/payment_service/transport.h"

#include <cstddef>
#include <utility>

namespace tollbridge::payment_service {

TransportChain::TransportChain(std::vector<std::unique_ptr<Transport>> links)
    : links_(std::move(links)) {
  for (std::size_t i = 0; i + 1 < links_.size(); ++i) links_[i]->next_ = links_[i + 1].get();
}

boost::asio::awaitable<ExchangeResult> TransportChain::Send(Exchange exchange) {
  return links_.front()->Send(std::move(exchange));
}

}  // namespace tollbridge::payment_service
