#ifndef TOLLBRIDGE_TESTS_FUZZ_WIRE_H_
#define TOLLBRIDGE_TESTS_FUZZ_WIRE_H_

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/http/server.h"
#include "base/http/server_connections.h"

namespace tollbridge::fuzz {

/// A request that reached the handler: what is needed to read the answer to it.
struct Handled {
  std::string method;
  std::string target;
};

/// What came of the bytes of one connection.
struct Exchange {
  /// All that the server has written.
  std::string answered;
  std::vector<Handled> handled;
  /// The server has ended the connection.
  bool ended = false;
};

/// Connections to the HTTP server's own connection code, without a network and without waiting:
/// each is a socket pair, and the io_context is polled until nothing moves.
class Wire {
 public:
  /// `handler` is the server's. It is told that the peer is on loopback.
  Wire(http::ServerOptions options, http::Handler handler);

  /// Gives what to write next, when the server has done all it can with what was written; nullopt
  /// ends the stream. Told what the server has answered so far.
  using NextPiece = std::function<std::optional<std::string>(std::string_view answered)>;

  /// One connection. While an answer is outstanding after the end of the stream and nothing moves,
  /// calls `wait`, until that returns false.
  Exchange Converse(const NextPiece& next_piece, const std::function<bool()>& wait);

  boost::asio::io_context& context() { return context_; }

 private:
  boost::asio::awaitable<http::Response> Handle(const http::Request& request,
                                                const http::ConnectionInfo& connection);
  /// Writes a piece; false when the server has ended the connection.
  bool Write(int fd, std::string_view piece, std::size_t others, Exchange* exchange);
  /// Runs what can run, and takes what the server writes, until nothing moves.
  void Settle(int fd, Exchange* exchange);

  boost::asio::io_context context_{1};
  http::Handler handler_;
  std::vector<Handled> handled_;
  std::shared_ptr<http::ServerConnections> connections_;
};

}  // namespace tollbridge::fuzz

#endif  // TOLLBRIDGE_TESTS_FUZZ_WIRE_H_
