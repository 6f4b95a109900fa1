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
  /// Attempts in all of a mutation of which no byte has left yet.
  int max_unsent_attempts = 3;
  /// Pause before the second attempt; doubles with each further one.
  std::chrono::milliseconds first_pause{50};
};

/// Repeats, while the deadline leaves time, reads that got no answer, or 502, 503 or 504; and
/// mutations only where it is proven that nothing was sent and the network is to blame: a refused
/// connection, a name that could not be looked up. The send window of a mutation stays as it is and
/// bounds the attempts too (operations.md, rule 2). Whether what may have been sent runs again is
/// decided by the durable operation, never in the pipe. What a link held back is not repeated.
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
