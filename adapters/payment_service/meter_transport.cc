#include "adapters/payment_service/meter_transport.h"

#include <chrono>
#include <cstddef>
#include <string>
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

/// One of telemetry::kStatusClasses, or what counts as "other".
std::string_view ClassOf(int status) {
  const auto index = static_cast<std::size_t>(status / 100 - 1);
  return index < telemetry::kStatusClasses.size() ? telemetry::kStatusClasses[index]
                                                  : telemetry::kOtherLabelValue;
}

double Seconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

}  // namespace

static_assert(telemetry::kOutboundOrigins.size() == kOrigins);

boost::asio::awaitable<ExchangeResult> MeterTransport::Send(Exchange exchange) {
  const std::string_view operation = exchange.operation;
  const std::string project = exchange.project;
  const std::size_t origin = IndexOf(exchange.origin);
  const BootTime start = clock_->BootNow();
  ExchangeResult result = co_await next().Send(std::move(exchange));
  const std::chrono::duration<double> seconds = clock_->BootNow() - start;
  metrics_->Get(telemetry::kOutboundExchanges, {operation, OutcomeLabel(result), project})
      .Increment();
  // Turned away in no time: that says nothing about the payment service.
  if (result.held_back) co_return result;
  metrics_->Get(telemetry::kOutboundSeconds, {operation}).Observe(seconds.count());
  if (result.fate == http::Fate::kAnswered) {
    metrics_->Get(telemetry::kOutboundAnswers, {operation, ClassOf(result.response.status)})
        .Increment();
  }
  pool_wait_[origin].Observe(Seconds(result.timings.pool_wait));
  if (result.timings.connect.count() > 0) {
    connect_[origin].Observe(Seconds(result.timings.connect));
  }
  co_return result;
}

}  // namespace tollbridge::payment_service
