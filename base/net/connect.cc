#include <absl/strings/str_cat.h>

#include <algorithm>
#include <boost/asio/ip/tcp.hpp>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "base/core/signal.h"
#include "base/core/status_macros.h"
#include "base/net/socket_stream.h"
#include "base/net/stream.h"

namespace tollbridge::net {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using tcp = asio::ip::tcp;

/// A name being looked up. The look-up cannot be broken off (it sits in getaddrinfo on Asio's
/// resolver thread), so it is not waited for itself, and a late answer finds this still alive.
struct LookUp {
  explicit LookUp(const asio::any_io_executor& executor) : resolver(executor), answered(executor) {}
  tcp::resolver resolver;
  Signal answered;
  std::optional<error_code> error;
  std::vector<tcp::endpoint> endpoints;
};

Async<std::vector<tcp::endpoint>> Resolve(asio::any_io_executor executor, std::string host,
                                          std::uint16_t port, BootTime deadline) {
  error_code ec;
  const asio::ip::address address = asio::ip::make_address(host, ec);
  if (!ec) co_return std::vector<tcp::endpoint>{tcp::endpoint(address, port)};
  const auto look_up = std::make_shared<LookUp>(executor);
  look_up->resolver.async_resolve(
      host, std::to_string(port), tcp::resolver::numeric_service,
      [look_up](error_code error, const tcp::resolver::results_type& results) {
        look_up->error = error;
        for (const auto& entry : results) look_up->endpoints.push_back(entry.endpoint());
        look_up->answered.Fire();
      });
  co_await look_up->answered.Wait(deadline);
  if (!look_up->error.has_value()) {
    look_up->resolver.cancel();
    co_return absl::DeadlineExceededError(absl::StrCat("looking up ", host, ": deadline passed"));
  }
  if (*look_up->error) {
    co_return absl::UnavailableError(
        absl::StrCat("looking up ", host, ": ", look_up->error->message()));
  }
  co_return std::move(look_up->endpoints);
}

/// The share of the time left that one of `count` addresses gets, so that a dead one leaves time
/// for the next.
BootTime ShareOf(BootTime deadline, std::size_t count) {
  if (deadline == kNoDeadline) return deadline;
  const BootTime now = BootClock::now();
  return now + std::max(deadline - now, BootClock::duration::zero()) / static_cast<int>(count);
}

}  // namespace

Async<std::unique_ptr<Stream>> Connect(asio::any_io_executor executor, ConnectOptions options) {
  TB_CO_ASSIGN_OR_RETURN(auto endpoints,
                         co_await Resolve(executor, options.host, options.port, options.deadline));
  auto stream = std::make_unique<SocketStream>(executor);
  absl::Status status = absl::UnavailableError(absl::StrCat("no address for ", options.host));
  for (std::size_t i = 0; i < endpoints.size(); ++i) {
    const BootTime share = ShareOf(options.deadline, endpoints.size() - i);
    status = co_await stream->ConnectTo(endpoints[i], share);
    if (status.ok()) break;
  }
  if (!status.ok()) co_return status;
  if (options.tls != nullptr) {
    status = co_await stream->HandshakeAsClient(options.tls, options.host, options.deadline);
    if (!status.ok()) co_return status;
  }
  co_return std::move(stream);
}

}  // namespace tollbridge::net
