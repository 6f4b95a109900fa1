#include "adapters/payment_service/retry_transport.h"

#include <algorithm>
#include <utility>

#include "adapters/payment_service/answers.h"
#include "base/telemetry/metric_definitions.h"

namespace tollbridge::payment_service {
namespace {

bool MayHelpToRepeatRead(const ExchangeResult& result) {
  if (result.body_given) return false;
  // The same question would be answered at the same length.
  if (IsTooLarge(result)) return false;
  if (result.fate != http::Fate::kAnswered) return !absl::IsInvalidArgument(result.error);
  const int status = result.response.status;
  return status == 502 || status == 503 || status == 504;
}

/// UNAVAILABLE is the network. Waiting longer for a connection of the pool, or past the send window
/// or a deadline, can only make a mutation later.
bool MayRepeatMutation(const ExchangeResult& result) {
  return result.fate == http::Fate::kNotSent && absl::IsUnavailable(result.error);
}

}  // namespace

boost::asio::awaitable<ExchangeResult> RetryTransport::Send(Exchange exchange) {
  const bool read = exchange.effect == Effect::kRead;
  const int max_attempts = read ? settings_.max_attempts : settings_.max_unsent_attempts;
  BootTime end = exchange.deadline;
  if (exchange.write_before) end = std::min(end, *exchange.write_before);
  std::chrono::milliseconds pause = settings_.first_pause;
  budget_.FirstAttempt();
  for (int attempt = 1;; ++attempt) {
    exchange.resends = attempt - 1;
    ExchangeResult result = co_await next().Send(exchange);
    const bool again =
        !result.held_back && (read ? MayHelpToRepeatRead(result) : MayRepeatMutation(result));
    if (attempt >= max_attempts || !again) co_return result;
    if (clock_->BootNow() + pause >= end) co_return result;
    if (!budget_.Repeat()) {
      metrics_->Get(telemetry::kOutboundRetriesDenied, {exchange.operation}).Increment();
      co_return result;
    }
    metrics_->Get(telemetry::kOutboundRetries, {exchange.operation}).Increment();
    if (on_repeat_) on_repeat_(exchange.project);
    co_await clock_->Sleep(pause);
    pause *= 2;
  }
}

}  // namespace tollbridge::payment_service
