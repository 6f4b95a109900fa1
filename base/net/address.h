#ifndef TOLLBRIDGE_BASE_NET_ADDRESS_H_
#define TOLLBRIDGE_BASE_NET_ADDRESS_H_

#include <cstdint>
#include <string>

namespace tollbridge::net {

/// Where to listen or to connect to.
struct Address {
  std::string host;  ///< a name or an IP address, IPv6 without brackets
  std::uint16_t port = 0;

  bool is_loopback() const;
  /// `host:port`, IPv6 in brackets.
  std::string Text() const;
};

}  // namespace tollbridge::net

#endif  // TOLLBRIDGE_BASE_NET_ADDRESS_H_
