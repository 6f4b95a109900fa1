#ifndef TOLLBRIDGE_BASE_WIRE_SERVER_H_
#define TOLLBRIDGE_BASE_WIRE_SERVER_H_

#include <absl/status/statusor.h>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/core/boot_clock.h"
#include "base/net/tls.h"
#include "base/wire/server_call.h"

namespace tollbridge::wire {

struct ServerOptions {
  /// Address to listen on.
  std::string host = "127.0.0.1";
  /// 0 = a free port, see Server::port().
  std::uint16_t port = 0;
  /// nullptr = plain TCP. Else it offers "h2".
  std::shared_ptr<const net::TlsContext> tls;
  Limits limits;
  Methods methods;
  CallStatus unknown_method{absl::StatusCode::kUnimplemented, "this method is not served here"};
};

/// gRPC over HTTP/2, on the executors that it is given and no thread of its own. Connections are
/// dealt round robin to the executors; each stays on its own, with all its calls.
class Server {
 public:
  /// Binds and starts to accept; each executor must be that of one thread. `executors` is not
  /// empty. UNAVAILABLE when the address cannot be bound, INVALID_ARGUMENT when it is none.
  static absl::StatusOr<std::unique_ptr<Server>> Start(
      std::vector<boost::asio::any_io_executor> executors, ServerOptions options);
  /// Stops at once: connections are aborted. Handlers under way run on, their answers go nowhere.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::uint16_t port() const;
  /// What was refused, and what is held. Any thread; it may outlive the server.
  std::shared_ptr<const Counts> counts() const;

  /// Looks at the files of TLS as for a new connection; when they are others than at the last look,
  /// connections whose peer has shown a certificate that is revoked now are aborted. Any thread.
  void LookAtCertificates();

  /// Asks all peers to make their further calls elsewhere, and takes those that come all the same.
  /// Any thread.
  void Notify();

  /// Stops accepting, ends the calls that are left (UNAVAILABLE), and returns when no connection is
  /// left. What has not ended by the deadline is aborted. Whether all ended in time. Awaitable from
  /// any executor.
  boost::asio::awaitable<bool> Stop(BootTime deadline);

 private:
  class Impl;
  explicit Server(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace tollbridge::wire

#endif  // TOLLBRIDGE_BASE_WIRE_SERVER_H_
