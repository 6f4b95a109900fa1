#ifndef TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_METER_TRANSPORT_H_
#define TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_METER_TRANSPORT_H_

#include <cstddef>
#include <string_view>
#include <vector>

#include "adapters/payment_service/transport.h"
#include "base/telemetry/metric_definitions.h"
#include "base/telemetry/metrics.h"
#include "services/ports/clock.h"

namespace tollbridge::payment_service {

/// Counts each attempt by operation, outcome and project, answers by class of status too, and times
/// those that were not held back, their wait for a connection by itself.
class MeterTransport : public Transport {
 public:
  MeterTransport(telemetry::Metrics* metrics, const ports::Clock* clock)
      : metrics_(metrics), clock_(clock) {
    for (std::size_t i = 0; i < kOrigins; ++i) {
      const std::string_view origin = telemetry::kOutboundOrigins[i];
      pool_wait_.push_back(metrics->Get(telemetry::kOutboundPoolWait, {origin}));
      connect_.push_back(metrics->Get(telemetry::kOutboundConnect, {origin}));
    }
  }
  boost::asio::awaitable<ExchangeResult> Send(Exchange exchange) override;

 private:
  telemetry::Metrics* metrics_;
  const ports::Clock* clock_;
  // By origin.
  std::vector<telemetry::Histogram> pool_wait_;
  std::vector<telemetry::Histogram> connect_;
};

}  // namespace tollbridge::payment_service

#endif  // TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_METER_TRANSPORT_H_
