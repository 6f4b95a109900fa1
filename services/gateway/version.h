#ifndef TOLLBRIDGE_SERVICES_GATEWAY_VERSION_H_
#define TOLLBRIDGE_SERVICES_GATEWAY_VERSION_H_

#include <string_view>

namespace tollbridge::gateway {

/// Of the product: in metrics, traces and --version.
inline constexpr std::string_view kVersion = "0.1.0";

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_SERVICES_GATEWAY_VERSION_H_
