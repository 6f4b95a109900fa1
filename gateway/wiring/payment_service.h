#ifndef TOLLBRIDGE_GATEWAY_WIRING_PAYMENT_SERVICE_H_
#define TOLLBRIDGE_GATEWAY_WIRING_PAYMENT_SERVICE_H_

#include <absl/status/statusor.h>

#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <memory>

#include "adapters/payment_service/http_transport.h"
#include "adapters/payment_service/retry_transport.h"
#include "adapters/payment_service/transport.h"
#include "base/telemetry/metrics.h"
#include "gateway/config/config.h"
#include "gateway/config/secrets.h"
#include "services/domain/project.h"
#include "services/ports/clock.h"
#include "services/ports/payment_service.h"

namespace tollbridge::gateway {

/// What the payment service is asked with. All but the executor outlive the client.
struct PaymentServiceDependencies {
  boost::asio::any_io_executor executor;
  const Config& config;
  const Secrets& secrets;
  ports::Clock& clock;
  telemetry::Metrics& metrics;
  /// The payment service answers again after it did not. On the shard that noticed.
  std::function<void()> on_service_back = [] {};
};

/// What the clients of one shard share of the outbound pipe: all but the repeats. Fills
/// `http_clients`, which outlive it.
absl::StatusOr<std::shared_ptr<payment_service::TransportChain>> MakeOutboundPipe(
    const PaymentServiceDependencies& dependencies, payment_service::OriginClients& http_clients);

/// A client behind the pipe, which repeats by itself.
std::unique_ptr<ports::PaymentService> MakeClient(
    const PaymentServiceDependencies& dependencies,
    std::shared_ptr<payment_service::TransportChain> pipe,
    payment_service::OnRepeat on_repeat = {});

/// The client with its outbound pipe, for one command. Fills `http_clients`, which
/// outlive it.
absl::StatusOr<std::unique_ptr<ports::PaymentService>> MakePaymentService(
    const PaymentServiceDependencies& dependencies, payment_service::OriginClients& http_clients);

/// Creates the counters of exchanges at 0, of each project.
void CreateOutboundSeries(const domain::Projects& projects, telemetry::Metrics& metrics);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_WIRING_PAYMENT_SERVICE_H_
