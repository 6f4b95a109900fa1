#ifndef TOLLBRIDGE_GATEWAY_CONFIG_LISTEN_ADDRESS_H_
#define TOLLBRIDGE_GATEWAY_CONFIG_LISTEN_ADDRESS_H_

#include <absl/status/statusor.h>

#include <string>

#include "base/net/address.h"

namespace tollbridge::gateway {

using net::Address;

/// Reads `host:port`, IPv6 in brackets. INVALID_ARGUMENT naming `setting` for what is not
/// HOST:PORT.
absl::StatusOr<Address> ParseAddress(const std::string& text, const std::string& setting);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_CONFIG_LISTEN_ADDRESS_H_
