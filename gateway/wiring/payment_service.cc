#include "gateway/wiring/payment_service.h"

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/payment_service/breaker_transport.h"
#include "adapters/payment_service/client.h"
#include "adapters/payment_service/deadline_transport.h"
#include "adapters/payment_service/meter_transport.h"
#include "adapters/payment_service/rate_gate.h"
#include "adapters/payment_service/shared_pipe.h"
#include "adapters/payment_service/trace_transport.h"
#include "adapters/payment_service/unreadable_orders.h"
#include "adapters/payment_service/waited_transport.h"
#include "base/core/status_macros.h"
#include "base/telemetry/metric_definitions.h"
#include "gateway/config/adapter_settings.h"
#include "gateway/config/payment_service_settings.h"

namespace tollbridge::gateway {
namespace {

// What an exchange with the payment service passes on its way out behind the repeats, outermost
// first.
std::shared_ptr<payment_service::TransportChain> OutboundPipe(
    const PaymentServiceDependencies& dependencies, payment_service::OriginUrls urls,
    payment_service::OriginClients& http_clients) {
  const payment_service::Settings& settings = dependencies.config.payment_service.settings;
  ports::Clock* clock = &dependencies.clock;
  telemetry::Metrics* metrics = &dependencies.metrics;
  std::vector<std::unique_ptr<payment_service::Transport>> links;
  links.push_back(std::make_unique<payment_service::TraceTransport>(std::move(urls)));
  links.push_back(std::make_unique<payment_service::MeterTransport>(metrics, clock));
  links.push_back(std::make_unique<payment_service::BreakerTransport>(
      MakeBreakerSettings(dependencies.config),
      payment_service::Breaker::Events{.on_close = dependencies.on_service_back}, clock, metrics));
  links.push_back(std::make_unique<payment_service::RateGate>(settings.rate_gate, clock, metrics));
  links.push_back(std::make_unique<payment_service::DeadlineTransport>(
      dependencies.config.operations.settings.attempt_deadline, clock));
  links.push_back(std::make_unique<payment_service::HttpTransport>(http_clients));
  return std::make_shared<payment_service::TransportChain>(std::move(links));
}

}  // namespace

absl::StatusOr<std::shared_ptr<payment_service::TransportChain>> MakeOutboundPipe(
    const PaymentServiceDependencies& dependencies, payment_service::OriginClients& http_clients) {
  TB_ASSIGN_OR_RETURN(OriginOptions origins, PaymentServiceOptions(dependencies.config));
  payment_service::OriginUrls urls;
  for (std::size_t i = 0; i < origins.size(); ++i) {
    if (!origins[i]) continue;
    urls.at(i) = origins[i]->base_url;
    http_clients[i] = std::make_shared<http::Client>(dependencies.executor, *std::move(origins[i]));
  }
  return OutboundPipe(dependencies, std::move(urls), http_clients);
}

std::unique_ptr<ports::PaymentService> MakeClient(
    const PaymentServiceDependencies& dependencies,
    std::shared_ptr<payment_service::TransportChain> pipe, payment_service::OnRepeat on_repeat) {
  const payment_service::Settings& settings = dependencies.config.payment_service.settings;
  std::vector<std::unique_ptr<payment_service::Transport>> links;
  links.push_back(std::make_unique<payment_service::WaitedTransport>(&dependencies.clock));
  links.push_back(std::make_unique<payment_service::RetryTransport>(
      settings.retry, &dependencies.clock, &dependencies.metrics, std::move(on_repeat)));
  links.push_back(std::make_unique<payment_service::SharedPipe>(std::move(pipe)));
  return std::make_unique<payment_service::Client>(
      payment_service::TransportChain(std::move(links)),
      [&secrets = dependencies.secrets](const domain::Project& project) {
        return secrets.api_keys.at(project.name)->Get()->front();
      },
      settings.wallet_names,
      payment_service::ReportUnreadable(&dependencies.metrics, &dependencies.clock));
}

absl::StatusOr<std::unique_ptr<ports::PaymentService>> MakePaymentService(
    const PaymentServiceDependencies& dependencies, payment_service::OriginClients& http_clients) {
  TB_ASSIGN_OR_RETURN(std::shared_ptr<payment_service::TransportChain> pipe,
                      MakeOutboundPipe(dependencies, http_clients));
  return MakeClient(dependencies, std::move(pipe));
}

void CreateOutboundSeries(const domain::Projects& projects, telemetry::Metrics& metrics) {
  for (const domain::Project& project : projects.all()) {
    for (const std::string_view operation : telemetry::kOutboundOperations) {
      for (const std::string_view outcome : telemetry::kExchangeOutcomes) {
        metrics.Get(telemetry::kOutboundExchanges, {operation, outcome, project.name});
      }
    }
  }
}

}  // namespace tollbridge::gateway
