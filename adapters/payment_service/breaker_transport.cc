#include "adapters/payment_service/breaker_transport.h"

#include <chrono>
#include <utility>

#include "adapters/payment_service/answers.h"
#include "base/telemetry/log.h"
#include "base/telemetry/metric_definitions.h"

namespace tollbridge::payment_service {
namespace {

/// While half open it is the probe under way that decides; this is how soon that may be.
constexpr std::chrono::milliseconds kProbeWait{500};

Health HealthOf(const ExchangeResult& result, std::chrono::nanoseconds took,
                std::chrono::nanoseconds patience) {
  if (result.fate == http::Fate::kAnswered) {
    return result.response.status >= 500 ? Health::kFailing : Health::kWell;
  }
  if (result.held_back) return Health::kNothing;
  if (result.body_refused) return Health::kWell;  // It was answering; the reader had enough.
  if (IsTooLarge(result)) return Health::kWell;   // It was answering, more than is read.
  const bool late = absl::IsDeadlineExceeded(result.error);
  if (late && took < patience) return Health::kNothing;
  if (result.fate == http::Fate::kUnknown) return Health::kFailing;
  // The pool, the send window and a request that cannot be written are our own affair. So is a
  // deadline that passed before anybody tried to connect.
  const bool tried = late && result.timings.connect > std::chrono::nanoseconds::zero();
  return absl::IsUnavailable(result.error) || tried ? Health::kFailing : Health::kNothing;
}

/// An exchange that was let through. One that is cut off says nothing, and must not keep the place
/// of a probe. It may be cut off (its coroutine destroyed) after the link is gone, at shutdown.
class Passage {
 public:
  Passage(std::shared_ptr<Breaker> breaker, Breaker::Pass pass)
      : breaker_(std::move(breaker)), pass_(pass) {}
  ~Passage() {
    if (breaker_ != nullptr) breaker_->Record(pass_, Health::kNothing, BootTime());
  }
  Passage(const Passage&) = delete;
  Passage& operator=(const Passage&) = delete;

  void End(Health health, BootTime now) {
    std::exchange(breaker_, nullptr)->Record(pass_, health, now);
  }

 private:
  std::shared_ptr<Breaker> breaker_;
  Breaker::Pass pass_;
};

}  // namespace

BreakerTransport::BreakerTransport(BreakerSettings settings, Breaker::Events events,
                                   const ports::Clock* clock, telemetry::Metrics* metrics)
    : settings_(settings), events_(std::move(events)), clock_(clock), metrics_(metrics) {
  metrics_->Get(telemetry::kOutboundBreakersOpen).Add(0);
  for (const Origin origin : {Origin::kService, Origin::kVault, Origin::kWalletTokens}) {
    hosts_.at(IndexOf(origin)).breaker = std::make_shared<Breaker>(
        settings, Breaker::Events{.on_open = [this, origin] { Opened(origin); },
                                  .on_close = [this, origin] { Closed(origin); }});
  }
}

BreakerTransport::~BreakerTransport() {
  for (const Host& host : hosts_) {
    if (host.counted) metrics_->Get(telemetry::kOutboundBreakersOpen).Add(-1);
  }
}

void BreakerTransport::Opened(Origin origin) {
  metrics_->Get(telemetry::kOutboundBreakerOpened).Increment();
  bool& counted = hosts_.at(IndexOf(origin)).counted;
  if (counted) return;  // A probe failed: it was not closed in between.
  counted = true;
  metrics_->Get(telemetry::kOutboundBreakersOpen).Add(1);
  telemetry::Log(telemetry::Severity::kWarning, "breaker_opened",
                 {{"origin", OriginName(origin)}, {"after_failures", settings_.failures}});
  if (origin == Origin::kService && events_.on_open) events_.on_open();
}

void BreakerTransport::Closed(Origin origin) {
  hosts_.at(IndexOf(origin)).counted = false;
  metrics_->Get(telemetry::kOutboundBreakersOpen).Add(-1);
  telemetry::Log(telemetry::Severity::kInfo, "breaker_closed", {{"origin", OriginName(origin)}});
  if (origin == Origin::kService && events_.on_close) events_.on_close();
}

boost::asio::awaitable<ExchangeResult> BreakerTransport::Send(Exchange exchange) {
  const BootTime start = clock_->BootNow();
  const std::shared_ptr<Breaker> breaker = hosts_.at(IndexOf(exchange.origin)).breaker;
  const std::optional<Breaker::Pass> pass = breaker->Admit(start);
  if (!pass) {
    metrics_->Get(telemetry::kOutboundHeldBack, {"breaker"}).Increment();
    const std::chrono::nanoseconds wait = breaker->Wait(start);
    co_return HoldBack(HeldBackBy::kBreaker, wait > wait.zero() ? wait : kProbeWait);
  }
  Passage passage(breaker, *pass);
  ExchangeResult result = co_await next().Send(std::move(exchange));
  const BootTime end = clock_->BootNow();
  passage.End(HealthOf(result, end - start, settings_.patience), end);
  co_return result;
}

}  // namespace tollbridge::payment_service
