#ifndef TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_WAITED_TRANSPORT_H_
#define TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_WAITED_TRANSPORT_H_

#include "adapters/payment_service/transport.h"
#include "services/ports/clock.h"

namespace tollbridge::payment_service {

/// Tells whoever asked (Exchange::waited) how long an exchange takes with all that belongs to it:
/// its repeats and the waits between them, and the wait for a connection.
class WaitedTransport : public Transport {
 public:
  explicit WaitedTransport(const ports::Clock* clock) : clock_(clock) {}
  boost::asio::awaitable<ExchangeResult> Send(Exchange exchange) override;

 private:
  boost::asio::awaitable<ExchangeResult> SendWatched(Exchange exchange);

  const ports::Clock* clock_;
};

}  // namespace tollbridge::payment_service

#endif  // TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_WAITED_TRANSPORT_H_
