#ifndef TOLLBRIDGE_GATEWAY_CONFIG_PUBLISHED_SERVICES_H_
#define TOLLBRIDGE_GATEWAY_CONFIG_PUBLISHED_SERVICES_H_

#include <array>
#include <string_view>

namespace tollbridge::gateway {

/// Full names of the gRPC services that the gateway publishes; `tollbridge call` knows the same.
inline constexpr std::array<std::string_view, 5> kPublishedServices = {
    "tollbridge.payments.v1.Payments", "tollbridge.operations.v1.Operations",
    "tollbridge.payouts.v1.Payouts", "tollbridge.vault.v1.Vault", "tollbridge.search.v1.Search"};

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_CONFIG_PUBLISHED_SERVICES_H_
