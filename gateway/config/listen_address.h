#ifndef TOLLBRIDGE_GATEWAY_CONFIG_LISTEN_ADDRESS_H_
#define TOLLBRIDGE_GATEWAY_CONFIG_LISTEN_ADDRESS_H_

#include <absl/status/statusor.h>

#include <cstdint>
#include <string>

namespace tollbridge::gateway {

/// `host:port`, IPv6 in brackets.
struct Address {
  std::string host;
  std::uint16_t port = 0;

  bool is_loopback() const;
};

/// INVALID_ARGUMENT naming `setting` for what is not HOST:PORT.
absl::StatusOr<Address> ParseAddress(const std::string& text, const std::string& setting);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_CONFIG_LISTEN_ADDRESS_H_
