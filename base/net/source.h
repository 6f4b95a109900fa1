#ifndef TOLLBRIDGE_BASE_NET_SOURCE_H_
#define TOLLBRIDGE_BASE_NET_SOURCE_H_

#include <boost/asio/ip/address.hpp>
#include <string>

namespace tollbridge::net {

/// What counts as one address: an IPv4 address, or the first 64 bits of an IPv6 address, of which
/// one machine may have all.
std::string SourceOf(const boost::asio::ip::address& address);

}  // namespace tollbridge::net

#endif  // TOLLBRIDGE_BASE_NET_SOURCE_H_
