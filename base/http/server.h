#ifndef TOLLBRIDGE_BASE_HTTP_SERVER_H_
#define TOLLBRIDGE_BASE_HTTP_SERVER_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/async.h"
#include "base/core/boot_clock.h"
#include "base/http/message.h"
#include "base/net/tls.h"

namespace tollbridge::http {

struct ServerLimits {
  /// Longer bodies get 413 and are not read on.
  std::size_t max_body_bytes = std::size_t{1} << 20;
  /// Request line and header fields; more gets 431.
  std::uint32_t max_header_bytes = 16 * 1024;
  /// First byte to end of header, also for the TLS handshake; longer gets 408.
  std::chrono::milliseconds header_timeout{10000};
  /// End of header to end of body; longer gets 408.
  std::chrono::milliseconds body_timeout{30000};
  /// Between requests; the connection is then closed without a word.
  std::chrono::milliseconds idle_timeout{60000};
  /// For each write of an answer; the connection is then aborted.
  std::chrono::milliseconds write_timeout{30000};
  /// Connections open at a time. For one more, some that wait for their peer are closed: first
  /// those of the address (net::SourceOf) that has most, where that is more than a sixteenth of
  /// all, then those that have their last answer, then those that have had none below 400 yet, then
  /// idle ones, each the one that waits longest first. One that does not take its answer waits,
  /// too, and so does one whose handler says so (ConnectionInfo::waits), or whose turn has yet to
  /// come (net::Turns). While every connection's answer is being made, the new one is closed on
  /// arrival.
  std::size_t max_connections = 1024;
  /// Of those, from one address: for one more one of them is closed, those first whose handler says
  /// that it waits. Where there is this bound, the address that has most gives way first, however
  /// few that are. 0: no bound of its own.
  std::size_t max_connections_per_address = 0;
  /// The answer to the last one says "Connection: close".
  std::size_t max_requests_per_connection = 100000;
};

struct ConnectionInfo {
  /// "address:port", IPv6 in brackets.
  std::string peer;
  /// Its address, as net::SourceOf has it.
  std::string source;
  bool tls = false;
  /// Requests before this one on the connection.
  std::size_t request_index = 0;
  /// Told by a handler that waits for what takes long: from then on the connection may be closed
  /// for others, and `give_up` is called when it is, on its executor, and at once where it already
  /// was. Told an empty one when the wait is over. Empty where there is no connection.
  std::function<void(std::function<void()> give_up)> waits;
};

/// Answers one request. Runs on the connection's executor; requests of one connection come one at a
/// time. An exception becomes 500.
using Handler =
    std::function<boost::asio::awaitable<Response>(const Request&, const ConnectionInfo&)>;

struct ServerOptions {
  /// Address to listen on.
  std::string host = "127.0.0.1";
  /// 0 = a free port, see Server::port().
  std::uint16_t port = 0;
  /// nullptr = plain TCP.
  std::shared_ptr<const net::TlsContext> tls;
  ServerLimits limits;
  /// The answer to a request that never reaches the handler: malformed, too large, too slow, 500.
  /// Called on any of the executors. Default: a text/plain line.
  std::function<Response(int status, std::string_view reason)> error_response;
  /// Connections that were closed so that others could come: how many. Called on any of the
  /// executors. May be empty.
  std::function<void(std::size_t count)> on_shed;
};

/// HTTP/1.1 server: keep-alive, pipelining, HEAD, Expect: 100-continue, chunked requests, streamed
/// responses. Connections are dealt round robin to the executors; each stays on its own.
class Server {
 public:
  /// Binds and starts to accept; each executor must be that of one thread. `executors` is not
  /// empty. UNAVAILABLE when the address cannot be bound, INVALID_ARGUMENT when it is none.
  static absl::StatusOr<std::unique_ptr<Server>> Start(
      std::vector<boost::asio::any_io_executor> executors, ServerOptions options, Handler handler);
  /// Stops at once: connections are aborted. Handlers under way run on, their answers go nowhere.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// The port that is listened on.
  std::uint16_t port() const;
  /// "address:port" that is listened on.
  const std::string& address() const;
  /// Open connections. From any thread.
  std::size_t connections() const;

  /// Stops accepting, closes idle connections, lets each request under way end with its answer, and
  /// returns when no connection is left. DEADLINE_EXCEEDED when the deadline came first and the
  /// rest was aborted. Awaitable from any executor.
  AsyncStatus Stop(BootTime deadline);

 private:
  class Impl;
  explicit Server(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace tollbridge::http

#endif  // TOLLBRIDGE_BASE_HTTP_SERVER_H_
