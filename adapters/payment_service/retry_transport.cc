#include "adapters/payment_service/retry_transport.h"

#include <utility>

#include "services/telemetry/metric_definitions.h"

namespace tollbridge::payment_service {
namespace {

bool MayHelpToRepeat(const ExchangeResult& result) {
  if (result.fate != http::Fate::kAnswered) return !absl::IsInvalidArgument(result.error);
  const int status = result.response.status;
  return status == 502 || status == 503 || status == 504;
}

}  // namespace

boost::asio::awaitable<ExchangeResult> RetryTransport::Send(Exchange exchange) {
  if (exchange.effect != Effect::kRead) {
    ExchangeResult once = co_await next().Send(std::move(exchange));
    co_return once;
  }
  std::chrono::milliseconds pause = settings_.first_pause;
  for (int attempt = 1;; ++attempt) {
    ExchangeResult result = co_await next().Send(exchange);
    if (attempt >= settings_.max_attempts || !MayHelpToRepeat(result)) co_return result;
    if (clock_->BootNow() + pause >= exchange.deadline) co_return result;
    metrics_->Get(telemetry::kOutboundRetries, {exchange.operation}).Increment();
    co_await clock_->Sleep(pause);
    pause *= 2;
  }
}

}  // namespace tollbridge::payment_service
