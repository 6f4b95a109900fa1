#ifndef TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_RATE_GATE_H_
#define TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_RATE_GATE_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "adapters/payment_service/transport.h"
#include "base/core/boot_clock.h"
#include "base/telemetry/metric_definitions.h"
#include "base/telemetry/metrics.h"
#include "services/ports/clock.h"

namespace tollbridge::payment_service {

struct RateGateSettings {
  /// Exchanges under way on the shard, over all projects; more are turned away at once.
  std::size_t max_in_flight = 256;
  /// This is the pause after a 429 without Retry-After; it doubles with each further one, up to the
  /// longest, and starts again after any other answer.
  std::chrono::milliseconds first_pause{1'000};
  std::chrono::milliseconds longest_pause{60'000};
};

/// The pause that one origin asks of one project by 429, without I/O.
class RatePause {
 public:
  /// How long until exchanges may pass; zero when they may now.
  std::chrono::nanoseconds Wait(BootTime now) const;
  /// A 429 to an exchange that began at `started`. Of several under way together only the first
  /// makes the pause longer than the last one. How long the pause is that begins with it; nullopt
  /// when one is under way.
  std::optional<std::chrono::milliseconds> Limited(
      std::optional<std::chrono::milliseconds> retry_after, BootTime started, BootTime now,
      const RateGateSettings& settings);
  /// Any other answer to an exchange that began at `started`.
  void Answered(BootTime started);

 private:
  BootTime until_;
  /// When the present pause began.
  BootTime since_ = BootTime::min();
  std::chrono::milliseconds grown_{0};
};

/// Keeps to what the payment service can take: after a 429 the exchanges of that project
/// with that origin end at once as not sent, until Retry-After is over, and so do those of all
/// projects above a number under way. Nothing is queued here: the pool does that, and the caller
/// knows better than the gateway whether a call is still worth making later.
class RateGate : public Transport {
 public:
  RateGate(RateGateSettings settings, const ports::Clock* clock, telemetry::Metrics* metrics)
      : settings_(settings), clock_(clock), metrics_(metrics) {
    metrics_->Get(telemetry::kOutboundInFlight).Add(0);
  }
  boost::asio::awaitable<ExchangeResult> Send(Exchange exchange) override;

 private:
  RateGateSettings settings_;
  const ports::Clock* clock_;
  telemetry::Metrics* metrics_;
  std::map<std::pair<Origin, std::string>, RatePause> pauses_;
  // Shared with the exchanges under way, which may be cut off after this is gone.
  std::shared_ptr<std::int64_t> in_flight_ = std::make_shared<std::int64_t>(0);
};

}  // namespace tollbridge::payment_service

#endif  // TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_RATE_GATE_H_
