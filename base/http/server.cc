#include "base/http/server.h"

#include <absl/strings/str_cat.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

#include "base/core/status_macros.h"
#include "base/http/server_connections.h"
#include "base/net/address.h"
#include "base/net/listen.h"
#include "base/net/socket_stream.h"

namespace tollbridge::http {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using tcp = asio::ip::tcp;

// Accepting fails for want of file descriptors. Connections that wait give some back, or else time.
constexpr std::chrono::milliseconds kAcceptPause{100};

Response PlainError(int status, std::string_view reason) {
  Response response;
  response.status = status;
  response.headers.Add("Content-Type", "text/plain");
  response.body = std::string(reason) + "\n";
  return response;
}

}  // namespace

class Server::Impl {
 public:
  Impl(std::vector<asio::any_io_executor> executors, std::shared_ptr<ServerConnections> connections)
      : executors_(std::move(executors)), connections_(std::move(connections)) {}

  /// Runs on the first executor and owns the acceptor, so that it dies with its own io_context.
  static asio::awaitable<void> Accept(std::shared_ptr<Impl> self, tcp::acceptor acceptor) {
    self->acceptor_ = &acceptor;
    const Forget forget{*self};
    asio::steady_timer pause(acceptor.get_executor());
    for (std::size_t next = 0; !self->stopping_;) {
      auto [ec, socket] = co_await acceptor.async_accept(self->ExecutorOf(next),
                                                         asio::as_tuple(asio::use_awaitable));
      if (self->stopping_) break;
      for (int taken = 1; !ec; ++taken) {
        self->connections_->Serve(std::move(socket));
        ++next;
        if (taken == net::kAcceptedAtATime) break;
        socket = acceptor.accept(self->ExecutorOf(next), ec);
      }
      if (!ec || net::NobodyIsThere(ec)) continue;
      self->connections_->MakeRoom();
      pause.expires_after(kAcceptPause);
      co_await pause.async_wait(asio::as_tuple(asio::use_awaitable));
    }
  }

  /// On the first executor.
  void StopAccepting() {
    stopping_ = true;
    error_code ignored;
    if (acceptor_ != nullptr) acceptor_->close(ignored);
  }

  const asio::any_io_executor& first() const { return executors_.front(); }
  ServerConnections& connections() { return *connections_; }

  std::uint16_t port = 0;
  std::string address;

 private:
  const asio::any_io_executor& ExecutorOf(std::size_t number) const {
    return executors_[number % executors_.size()];
  }

  struct Forget {
    Impl& impl;
    ~Forget() { impl.acceptor_ = nullptr; }
  };

  std::vector<asio::any_io_executor> executors_;
  std::shared_ptr<ServerConnections> connections_;
  // Used on the first executor only.
  tcp::acceptor* acceptor_ = nullptr;
  bool stopping_ = false;
};

absl::StatusOr<std::unique_ptr<Server>> Server::Start(std::vector<asio::any_io_executor> executors,
                                                      ServerOptions options, Handler handler) {
  if (executors.empty()) return absl::InvalidArgumentError("a server needs an executor");
  TB_ASSIGN_OR_RETURN(tcp::acceptor acceptor,
                      net::Listen(executors.front(), options.host, options.port));
  error_code ec;
  const tcp::endpoint bound = acceptor.local_endpoint(ec);
  if (ec) return absl::UnavailableError(absl::StrCat("listening: ", ec.message()));
  if (!options.error_response) options.error_response = &PlainError;
  auto connections = std::make_shared<ServerConnections>(std::move(options), std::move(handler));
  auto impl = std::make_shared<Impl>(std::move(executors), std::move(connections));
  impl->port = bound.port();
  impl->address = net::Address{.host = bound.address().to_string(), .port = bound.port()}.Text();
  asio::co_spawn(impl->first(), Impl::Accept(impl, std::move(acceptor)), asio::detached);
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

Server::Server(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

Server::~Server() {
  asio::post(impl_->first(), [impl = impl_] { impl->StopAccepting(); });
  impl_->connections().AbortAll();
}

std::uint16_t Server::port() const { return impl_->port; }

const std::string& Server::address() const { return impl_->address; }

std::size_t Server::connections() const { return impl_->connections().count(); }

AsyncStatus Server::Stop(BootTime deadline) {
  const std::shared_ptr<Impl> impl = impl_;
  // An acceptor belongs to its executor, and so does what waits for the connections.
  const auto stop = [](std::shared_ptr<Impl> on, BootTime until) -> AsyncStatus {
    on->StopAccepting();
    co_return co_await on->connections().Drain(on->first(), until);
  };
  co_return co_await asio::co_spawn(impl->first(), stop(impl, deadline), asio::use_awaitable);
}

}  // namespace tollbridge::http
