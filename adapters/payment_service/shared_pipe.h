#ifndef TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_SHARED_PIPE_H_
#define TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_SHARED_PIPE_H_

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <utility>

#include "adapters/payment_service/transport.h"

namespace tollbridge::payment_service {

/// The last link of a client's own pipe: the rest, which several clients of a shard share, so that
/// there is one breaker, one gate and one pool of connections.
class SharedPipe : public Transport {
 public:
  explicit SharedPipe(std::shared_ptr<TransportChain> pipe) : pipe_(std::move(pipe)) {}
  boost::asio::awaitable<ExchangeResult> Send(Exchange exchange) override {
    return pipe_->Send(std::move(exchange));
  }

 private:
  std::shared_ptr<TransportChain> pipe_;
};

}  // namespace tollbridge::payment_service

#endif  // TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_SHARED_PIPE_H_
