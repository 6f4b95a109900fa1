#ifndef TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_DEADLINE_TRANSPORT_H_
#define TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_DEADLINE_TRANSPORT_H_

#include <chrono>

#include "adapters/payment_service/transport.h"
#include "services/ports/clock.h"

namespace tollbridge::payment_service {

/// Bounds one attempt, so that a hanging connection leaves time for another. Streamed answers have
/// the caller's deadline only.
class DeadlineTransport : public Transport {
 public:
  DeadlineTransport(std::chrono::milliseconds attempt_deadline, const ports::Clock* clock)
      : attempt_deadline_(attempt_deadline), clock_(clock) {}
  boost::asio::awaitable<ExchangeResult> Send(Exchange exchange) override;

 private:
  std::chrono::milliseconds attempt_deadline_;
  const ports::Clock* clock_;
};

}  // namespace tollbridge::payment_service

#endif  // TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_DEADLINE_TRANSPORT_H_
