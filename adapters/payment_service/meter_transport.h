#ifndef TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_METER_TRANSPORT_H_
#define TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_METER_TRANSPORT_H_

#include "adapters/payment_service/transport.h"
#include "base/telemetry/metrics.h"
#include "services/ports/clock.h"

namespace tollbridge::payment_service {

/// Counts each attempt by operation and outcome, and times those that were not held back.
class MeterTransport : public Transport {
 public:
  MeterTransport(telemetry::Metrics* metrics, const ports::Clock* clock)
      : metrics_(metrics), clock_(clock) {}
  boost::asio::awaitable<ExchangeResult> Send(Exchange exchange) override;

 private:
  telemetry::Metrics* metrics_;
  const ports::Clock* clock_;
};

}  // namespace tollbridge::payment_service

#endif  // TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_METER_TRANSPORT_H_
