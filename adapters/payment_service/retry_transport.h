#ifndef TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_RETRY_TRANSPORT_H_
#define TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_RETRY_TRANSPORT_H_

#include <chrono>

#include "adapters/payment_service/transport.h"
#include "services/ports/clock.h"
#include "services/telemetry/metrics.h"

namespace tollbridge::payment_service {

struct RetrySettings {
  /// Attempts of a read in all, the first included.
  int max_attempts = 3;
  /// Pause before the second attempt; doubles with each further one.
  std::chrono::milliseconds first_pause{50};
};

/// Repeats reads that got no answer, or 502, 503 or 504, while the deadline leaves time. Mutations
/// pass once: whether one may run again is decided by the durable operation, never in the pipe.
class RetryTransport : public Transport {
 public:
  /// `clock` and `metrics` outlive this.
  RetryTransport(RetrySettings settings, ports::Clock* clock, telemetry::Metrics* metrics)
      : settings_(settings), clock_(clock), metrics_(metrics) {}
  boost::asio::awaitable<ExchangeResult> Send(Exchange exchange) override;

 private:
  RetrySettings settings_;
  ports::Clock* clock_;
  telemetry::Metrics* metrics_;
};

}  // namespace tollbridge::payment_service

#endif  // TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_RETRY_TRANSPORT_H_
