#include "adapters/payment_service/rate_gate.h"

#include <algorithm>
#include <utility>

#include "adapters/payment_service/refusal_body.h"
#include "base/core/place.h"
#include "base/telemetry/log.h"
#include "base/telemetry/metric_definitions.h"
#include "base/telemetry/under_way.h"

namespace tollbridge::payment_service {
namespace {

constexpr int kTooManyRequests = 429;
/// A place becomes free when some exchange ends, which is soon or not at all.
constexpr std::chrono::milliseconds kInFlightWait{500};

}  // namespace

std::chrono::nanoseconds RatePause::Wait(BootTime now) const {
  return std::max(until_ - now, BootTime::duration::zero());
}

std::optional<std::chrono::milliseconds> RatePause::Limited(
    std::optional<std::chrono::milliseconds> retry_after, BootTime started, BootTime now,
    const RateGateSettings& settings) {
  const bool first_of_its_kind = started > since_;
  std::chrono::milliseconds pause{0};
  if (retry_after) {
    pause = *retry_after;
  } else if (first_of_its_kind) {
    grown_ = grown_ == std::chrono::milliseconds::zero()
                 ? settings.first_pause
                 : std::min(grown_ * 2, settings.longest_pause);
    pause = grown_;
  }
  if (first_of_its_kind) since_ = now;
  until_ = std::max(until_, now + pause);
  return first_of_its_kind ? std::optional(pause) : std::nullopt;
}

void RatePause::Answered(BootTime started) {
  // What was sent before the pause was let through by the rate of then.
  if (started > since_) grown_ = std::chrono::milliseconds::zero();
}

boost::asio::awaitable<ExchangeResult> RateGate::Send(Exchange exchange) {
  const BootTime started = clock_->BootNow();
  // Projects are few and configured: an entry each and origin, for good.
  auto& [whose, pause] = *pauses_.try_emplace({exchange.origin, exchange.project}).first;
  if (const auto wait = pause.Wait(started); wait > wait.zero()) {
    metrics_->Get(telemetry::kOutboundHeldBack, {"rate_limit"}).Increment();
    co_return HoldBack(HeldBackBy::kRateLimit, wait);
  }
  if (std::cmp_greater_equal(*in_flight_, settings_.max_in_flight)) {
    metrics_->Get(telemetry::kOutboundHeldBack, {"in_flight"}).Increment();
    co_return HoldBack(HeldBackBy::kInFlight, kInFlightWait);
  }
  // Kept: the exchange may be cut off after the gate is gone.
  const std::shared_ptr<std::int64_t> in_flight = in_flight_;
  const Place place(*in_flight);
  const telemetry::UnderWay shown(metrics_->Get(telemetry::kOutboundInFlight));
  ExchangeResult result = co_await next().Send(std::move(exchange));
  if (result.fate != http::Fate::kAnswered) co_return result;
  if (result.response.status == kTooManyRequests) {
    const auto begun = pause.Limited(ReadRefusal(result.response).retry_after, started,
                                     clock_->BootNow(), settings_);
    if (begun) {
      telemetry::Log(telemetry::Severity::kWarning, "rate_limited",
                     {{"project", whose.second},
                      {"origin", OriginName(whose.first)},
                      {"pause_ms", begun->count()}});
    }
  } else {
    pause.Answered(started);
  }
  co_return result;
}

}  // namespace tollbridge::payment_service
