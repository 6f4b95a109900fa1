#ifndef TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_SETTINGS_H_
#define TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_SETTINGS_H_

#include <string>

#include "adapters/payment_service/breaker.h"
#include "adapters/payment_service/rate_gate.h"
#include "adapters/payment_service/retry_transport.h"
#include "adapters/payment_service/wallet_names.h"
#include "base/http/client.h"

namespace tollbridge::config {
class Section;
}  // namespace tollbridge::config

namespace tollbridge::payment_service {

/// Where the payment service is.
struct OriginSettings {
  std::string base_url = "https://payment-service.example";
  /// Empty: there is none, and what needs it is not sent.
  std::string vault_url;
  std::string wallet_token_url;
  /// PEM; empty trusts the system's.
  std::string ca_file;
};

/// How it is asked.
struct Settings {
  /// Of the clients of all its origins; their URL and TLS come from OriginSettings.
  http::ClientOptions client;
  RateGateSettings rate_gate;
  RetrySettings retry;
  BreakerSettings breaker;
  WalletNames wallet_names;
};

/// Bind what a configuration may set, with its bounds.
void Describe(config::Section& section, OriginSettings* origins);
void Describe(config::Section& section, Settings* settings);

}  // namespace tollbridge::payment_service

#endif  // TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_SETTINGS_H_
