#include "adapters/payment_service/meter_transport.h"

#include <chrono>
#include <string_view>
#include <utility>

#include "base/telemetry/metric_definitions.h"

namespace tollbridge::payment_service {
namespace {

std::string_view OutcomeLabel(const ExchangeResult& result) {
  if (result.held_back) return "held_back";
  switch (result.fate) {
    case http::Fate::kNotSent:
      return "not_sent";
    case http::Fate::kUnknown:
      return "unknown";
    case http::Fate::kAnswered:
      return result.response.status < 300 ? "answered" : "refused";
  }
  return "unknown";
}

}  // namespace

boost::asio::awaitable<ExchangeResult> MeterTransport::Send(Exchange exchange) {
  const std::string_view operation = exchange.operation;
  const BootTime start = clock_->BootNow();
  ExchangeResult result = co_await next().Send(std::move(exchange));
  const std::chrono::duration<double> seconds = clock_->BootNow() - start;
  metrics_->Get(telemetry::kOutboundExchanges, {operation, OutcomeLabel(result)}).Increment();
  // Turned away in no time: that says nothing about the payment service.
  if (result.held_back) co_return result;
  metrics_->Get(telemetry::kOutboundSeconds, {operation}).Observe(seconds.count());
  co_return result;
}

}  // namespace tollbridge::payment_service
