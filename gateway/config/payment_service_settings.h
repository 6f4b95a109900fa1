#ifndef TOLLBRIDGE_GATEWAY_CONFIG_PAYMENT_SERVICE_SETTINGS_H_
#define TOLLBRIDGE_GATEWAY_CONFIG_PAYMENT_SERVICE_SETTINGS_H_

#include <string>
#include <vector>

#include "adapters/payment_service/breaker.h"
#include "base/config/config_schema.h"
#include "gateway/config/config.h"
#include "services/payments/options.h"

namespace tollbridge::gateway {

/// The section payment_service: its settings, their bounds and text.
void DescribePaymentService(config::Section& section, PaymentServiceConfig* service);

/// What is wrong in the section payment_service, one problem an element.
std::vector<std::string> PaymentServiceProblems(const PaymentServiceConfig& service);

/// What the optional endpoints are called in payment_service.extensions
/// (docs/interface.md#optional-endpoints): all that there are.
std::vector<std::string> AllExtensions();

/// What the plans of payments depend on.
payments::PaymentOptions MakePaymentOptions(const PaymentServiceConfig& service);

/// The breaker's, with no more patience than an attempt has time: a timeout of a whole one counts.
payment_service::BreakerSettings MakeBreakerSettings(const Config& config);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_CONFIG_PAYMENT_SERVICE_SETTINGS_H_
