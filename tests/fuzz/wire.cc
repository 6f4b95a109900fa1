#include "tests/fuzz/wire.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace tollbridge::fuzz {

using boost::asio::ip::tcp;

Wire::Wire(http::ServerOptions options, http::Handler handler)
    : handler_(std::move(handler)),
      connections_(std::make_shared<http::ServerConnections>(
          std::move(options),
          [this](const http::Request& request, const http::ConnectionInfo& connection) {
            return Handle(request, connection);
          })) {}

boost::asio::awaitable<http::Response> Wire::Handle(const http::Request& request,
                                                    const http::ConnectionInfo& connection) {
  handled_.push_back({request.method, request.target});
  // A socket pair has no addresses.
  http::ConnectionInfo on_loopback = connection;
  on_loopback.peer = "127.0.0.1:1";
  co_return co_await handler_(request, on_loopback);
}

Exchange Wire::Converse(const NextPiece& next_piece, const std::function<bool()>& wait) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    std::perror("socketpair");
    std::abort();
  }
  // Those that were left hanging with a fault.
  const std::size_t others = connections_->count();
  handled_.clear();
  connections_->Serve(tcp::socket(context_, tcp::v4(), ends[1]));
  Exchange exchange;
  while (const std::optional<std::string> piece = next_piece(exchange.answered)) {
    if (!Write(ends[0], *piece, others, &exchange)) break;
  }
  shutdown(ends[0], SHUT_WR);
  Settle(ends[0], &exchange);
  while (connections_->count() > others && wait()) Settle(ends[0], &exchange);
  exchange.ended = connections_->count() == others;
  exchange.handled = std::move(handled_);
  close(ends[0]);
  context_.restart();
  context_.poll();
  return exchange;
}

bool Wire::Write(int fd, std::string_view piece, std::size_t others, Exchange* exchange) {
  while (!piece.empty()) {
    const ssize_t written = send(fd, piece.data(), piece.size(), MSG_NOSIGNAL);
    if (written > 0) piece.remove_prefix(static_cast<std::size_t>(written));
    Settle(fd, exchange);
    // It may be that the server reads no more until an answer has come; no more is written then.
    if (written <= 0 || connections_->count() == others) return false;
  }
  return true;
}

void Wire::Settle(int fd, Exchange* exchange) {
  std::array<char, 65536> piece;
  for (bool moved = true; moved;) {
    context_.restart();
    moved = context_.poll() > 0;
    for (;;) {
      const ssize_t size = recv(fd, piece.data(), piece.size(), 0);
      if (size <= 0) break;
      exchange->answered.append(piece.data(), static_cast<std::size_t>(size));
      moved = true;
    }
  }
}

}  // namespace tollbridge::fuzz
