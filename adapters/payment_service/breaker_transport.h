#ifndef TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_BREAKER_TRANSPORT_H_
#define TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_BREAKER_TRANSPORT_H_

#include <array>
#include <memory>

#include "adapters/payment_service/breaker.h"
#include "adapters/payment_service/transport.h"
#include "base/telemetry/metrics.h"
#include "services/ports/clock.h"

namespace tollbridge::payment_service {

/// Spares a host that is failing, and the callers the wait: after failures in a row each exchange
/// ends at once as not sent (docs/design/operations.md#rule-3), until a probe is answered. One per
/// shard, with a breaker for each origin. Mutations may be probes: whether they had an effect is
/// known no worse than of any other.
///
/// A failure is an exchange not sent because of the network, of unknown fate, or answered with 5xx.
/// A refusal (4xx) is the word of a host that is well.
class BreakerTransport : public Transport {
 public:
  /// `events`, those of Origin::kService, are called on the shard, and must not block: what is not
  /// known is read from there.
  BreakerTransport(BreakerSettings settings, Breaker::Events events, const ports::Clock* clock,
                   telemetry::Metrics* metrics);
  ~BreakerTransport() override;
  boost::asio::awaitable<ExchangeResult> Send(Exchange exchange) override;

 private:
  struct Host {
    bool counted = false;
    std::shared_ptr<Breaker> breaker;
  };

  void Opened(Origin origin);
  void Closed(Origin origin);

  BreakerSettings settings_;
  Breaker::Events events_;
  const ports::Clock* clock_;
  telemetry::Metrics* metrics_;
  std::array<Host, kOrigins> hosts_;
};

}  // namespace tollbridge::payment_service

#endif  // TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_BREAKER_TRANSPORT_H_
