#include "base/net/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

namespace tollbridge::net {

bool Address::is_loopback() const {
  if (host == "localhost" || host == "::1") return true;
  // Not by how it begins: 127.example is a name, and may be anybody's.
  in_addr address{};
  return inet_pton(AF_INET, host.c_str(), &address) == 1 && (ntohl(address.s_addr) >> 24) == 127;
}

std::string Address::Text() const {
  const bool is_ipv6 = host.find(':') != std::string::npos;
  return (is_ipv6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

}  // namespace tollbridge::net
