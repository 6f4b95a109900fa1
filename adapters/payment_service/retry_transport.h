#ifndef TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_RETRY_TRANSPORT_H_
#define TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_RETRY_TRANSPORT_H_

#include <algorithm>
#include <chrono>
#include <functional>
#include <string_view>
#include <utility>

#include "adapters/payment_service/transport.h"
#include "base/telemetry/metrics.h"
#include "services/ports/clock.h"

namespace tollbridge::payment_service {

struct RetrySettings {
  /// Attempts of a read in all, the first included.
  int max_attempts = 3;
  /// Attempts in all of a mutation of which no byte has left yet.
  int max_unsent_attempts = 3;
  /// Pause before the second attempt; doubles with each further one.
  std::chrono::milliseconds first_pause{50};
  /// Further attempts, of reads and mutations, in percent of the first attempts; see RetryBudget.
  int budget_percent = 10;
};

/// How many attempts a shard may repeat: a share of the first ones, so that a service in trouble is
/// not given a multiple of its load. What is saved up in quiet times is kForQuietTimes at most,
/// with which it begins, so that a single call can be repeated. Of 0 percent: none ever.
class RetryBudget {
 public:
  static constexpr int kForQuietTimes = 10;

  explicit RetryBudget(int percent)
      : percent_(percent), saved_(percent > 0 ? kForQuietTimes * kRepeat : 0) {}

  void FirstAttempt() { saved_ = std::min(saved_ + percent_, kForQuietTimes * kRepeat); }
  /// Whether one more attempt may be made; then it is counted.
  bool Repeat() {
    if (saved_ < kRepeat) return false;
    saved_ -= kRepeat;
    return true;
  }

 private:
  static constexpr int kRepeat = 100;

  int percent_;
  int saved_;
};

/// Hears of each attempt beyond the first, before it is made: for which project.
using OnRepeat = std::function<void(std::string_view project)>;

/// Repeats, while the deadline leaves time, reads that got no answer, or 502, 503 or 504; and
/// mutations only where it is proven that nothing was sent and the network is to blame: a refused
/// connection, a name that could not be looked up. A streamed answer is not asked for again once a
/// piece of it was given on. The send window of a mutation stays as it is and
/// bounds the attempts too (docs/design/operations.md#rule-2). Whether what may have been sent runs
/// again is decided by the durable operation, never in the pipe. What a link held back is not
/// repeated, and nothing is when the budget is spent.
class RetryTransport : public Transport {
 public:
  RetryTransport(RetrySettings settings, ports::Clock* clock, telemetry::Metrics* metrics,
                 OnRepeat on_repeat = {})
      : settings_(settings),
        budget_(settings.budget_percent),
        clock_(clock),
        metrics_(metrics),
        on_repeat_(std::move(on_repeat)) {}
  boost::asio::awaitable<ExchangeResult> Send(Exchange exchange) override;

 private:
  RetrySettings settings_;
  RetryBudget budget_;
  ports::Clock* clock_;
  telemetry::Metrics* metrics_;
  OnRepeat on_repeat_;
};

}  // namespace tollbridge::payment_service

#endif  // TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_RETRY_TRANSPORT_H_
