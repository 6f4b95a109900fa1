#ifndef TOLLBRIDGE_BASE_NET_LISTEN_H_
#define TOLLBRIDGE_BASE_NET_LISTEN_H_

#include <absl/status/statusor.h>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/system/error_code.hpp>
#include <cstdint>
#include <string>

namespace tollbridge::net {

/// Listens on an IP address; port 0 takes a free one. A synchronous accept does not wait, and fails
/// with would_block where nobody is there. INVALID_ARGUMENT: `host` is no IP address;
/// UNAVAILABLE: another listens there, or the address is not this machine's.
absl::StatusOr<boost::asio::ip::tcp::acceptor> Listen(const boost::asio::any_io_executor& executor,
                                                      const std::string& host, std::uint16_t port);

/// What a listener accepts before all else that is due has its turn.
inline constexpr int kAcceptedAtATime = 32;

/// Whether accepting failed because nobody is there any more: that costs nobody anything.
bool NobodyIsThere(const boost::system::error_code& ec);

}  // namespace tollbridge::net

#endif  // TOLLBRIDGE_BASE_NET_LISTEN_H_
