#include "base/wire/server.h"

#include <absl/strings/str_cat.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

#include "base/core/must_go_on.h"
#include "base/core/status_macros.h"
#include "base/net/listen.h"
#include "base/wire/connections.h"

namespace tollbridge::wire {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using tcp = asio::ip::tcp;

// Accepting fails for want of file descriptors. Connections that wait give some back, or else time.
constexpr std::chrono::milliseconds kAcceptPause{100};
/// For connections that make room to go, each time.
constexpr std::chrono::milliseconds kLeavingPause{5};
/// For connections that were aborted to have gone.
constexpr std::chrono::seconds kAbortTime{5};

}  // namespace

class Server::Impl {
 public:
  Impl(std::vector<asio::any_io_executor> executors, std::shared_ptr<Service> service,
       std::shared_ptr<const net::TlsContext> tls)
      : executors_(std::move(executors)),
        service_(std::move(service)),
        connections_(std::make_shared<Connections>(service_, std::move(tls))) {
    service_->hurry = [weak = std::weak_ptr(connections_)] {
      if (const auto connections = weak.lock(); connections != nullptr) connections->Hurry();
    };
  }

  /// Runs on the first executor and owns the acceptor, so that it dies with its own io_context.
  static asio::awaitable<void> Accept(std::shared_ptr<Impl> self, tcp::acceptor acceptor) {
    self->acceptor_ = &acceptor;
    const Forget forget{*self};
    asio::steady_timer pause(acceptor.get_executor());
    for (std::size_t next = 0; !self->stopping_;) {
      auto [ec, socket] = co_await acceptor.async_accept(self->ExecutorOf(next),
                                                         asio::as_tuple(asio::use_awaitable));
      if (self->stopping_) break;
      // Who waits in the queue of the listener has no turn by address yet.
      for (int taken = 0; !ec && !self->stopping_;) {
        self->connections_->Serve(std::move(socket), next++ % self->executors_.size());
        while (!self->stopping_ && self->connections_->ManyLeave()) {
          pause.expires_after(kLeavingPause);
          co_await pause.async_wait(asio::as_tuple(asio::use_awaitable));
        }
        if (self->stopping_ || ++taken == net::kAcceptedAtATime) break;
        socket = acceptor.accept(self->ExecutorOf(next), ec);
      }
      if (!ec || net::NobodyIsThere(ec)) continue;
      self->service_->counts.Count(Refusal::kNoDescriptors);
      self->connections_->MakeRoom(Refusal::kNoDescriptors);
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

  static asio::awaitable<bool> Stop(std::shared_ptr<Impl> self, BootTime deadline) {
    self->StopAccepting();
    Connections& connections = *self->connections_;
    connections.LeaveAll();
    const bool in_time = co_await connections.WaitUntilNone(self->first(), deadline);
    if (in_time) co_return true;
    connections.AbortAll();
    co_await connections.WaitUntilNone(self->first(), BootClock::now() + kAbortTime);
    co_return false;
  }

  const asio::any_io_executor& first() const { return executors_.front(); }
  Connections& connections() { return *connections_; }
  std::shared_ptr<const Counts> counts() const { return {service_, &service_->counts}; }

  std::uint16_t port = 0;

 private:
  const asio::any_io_executor& ExecutorOf(std::size_t number) const {
    return executors_[number % executors_.size()];
  }

  struct Forget {
    Impl& impl;
    ~Forget() { impl.acceptor_ = nullptr; }
  };

  const std::vector<asio::any_io_executor> executors_;
  const std::shared_ptr<Service> service_;
  const std::shared_ptr<Connections> connections_;
  // Used on the first executor only.
  tcp::acceptor* acceptor_ = nullptr;
  bool stopping_ = false;
};

absl::StatusOr<std::unique_ptr<Server>> Server::Start(std::vector<asio::any_io_executor> executors,
                                                      ServerOptions options) {
  if (executors.empty()) return absl::InvalidArgumentError("a server needs an executor");
  TB_ASSIGN_OR_RETURN(tcp::acceptor acceptor,
                      net::Listen(executors.front(), options.host, options.port));
  error_code ec;
  const tcp::endpoint bound = acceptor.local_endpoint(ec);
  if (ec) return absl::UnavailableError(absl::StrCat("listening: ", ec.message()));
  auto service = std::make_shared<Service>();
  service->limits = options.limits;
  service->methods = std::move(options.methods);
  service->unknown_method = std::move(options.unknown_method);
  auto impl =
      std::make_shared<Impl>(std::move(executors), std::move(service), std::move(options.tls));
  impl->port = bound.port();
  asio::co_spawn(impl->first(), Impl::Accept(impl, std::move(acceptor)), MustGoOn{});
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

Server::Server(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

Server::~Server() {
  asio::post(impl_->first(), [impl = impl_] { impl->StopAccepting(); });
  impl_->connections().AbortAll();
}

std::uint16_t Server::port() const { return impl_->port; }

void Server::LookAtCertificates() { impl_->connections().LookAtCertificates(); }

std::shared_ptr<const Counts> Server::counts() const { return impl_->counts(); }

void Server::Notify() { impl_->connections().NotifyAll(); }

asio::awaitable<bool> Server::Stop(BootTime deadline) {
  const auto impl = impl_;
  co_return co_await asio::co_spawn(impl->first(), Impl::Stop(impl, deadline), asio::use_awaitable);
}

}  // namespace tollbridge::wire
