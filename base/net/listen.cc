#include "base/net/listen.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include <boost/asio/error.hpp>
#include <boost/asio/ip/address.hpp>
#include <utility>

namespace tollbridge::net {

using tcp = boost::asio::ip::tcp;

absl::StatusOr<tcp::acceptor> Listen(const boost::asio::any_io_executor& executor,
                                     const std::string& host, std::uint16_t port) {
  boost::system::error_code ec;
  const boost::asio::ip::address address = boost::asio::ip::make_address(host, ec);
  if (ec) return absl::InvalidArgumentError(absl::StrCat("not an IP address: ", host));
  const tcp::endpoint endpoint(address, port);
  tcp::acceptor acceptor(executor);
  acceptor.open(endpoint.protocol(), ec);
  if (!ec) acceptor.set_option(tcp::acceptor::reuse_address(true), ec);
  if (!ec) acceptor.non_blocking(true, ec);
  // Else to accept one whose peer has gone means to wait for the next one.
  if (!ec) acceptor.set_option(tcp::acceptor::enable_connection_aborted(true), ec);
  if (!ec) acceptor.bind(endpoint, ec);
  if (!ec) acceptor.listen(tcp::acceptor::max_listen_connections, ec);
  if (!ec) return std::move(acceptor);
  return absl::UnavailableError(
      absl::StrCat("cannot listen on ", address.to_string(), " port ", port, ": ", ec.message()));
}

bool NobodyIsThere(const boost::system::error_code& ec) {
  return ec == boost::asio::error::would_block || ec == boost::asio::error::connection_aborted;
}

}  // namespace tollbridge::net
