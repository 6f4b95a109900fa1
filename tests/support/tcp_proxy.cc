#include "tests/support/tcp_proxy.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <cstddef>
#include <deque>
#include <list>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tollbridge::test {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using Error = boost::system::error_code;

constexpr std::size_t kChunk = 16 * 1024;

struct Pair {
  explicit Pair(asio::io_context& io) : near(io), far(io) {}
  tcp::socket near;
  tcp::socket far;

  /// Both ends see a reset.
  void Close() {
    for (tcp::socket* socket : {&near, &far}) {
      Error ignored;
      socket->set_option(asio::socket_base::linger(true, 0), ignored);
      socket->close(ignored);
    }
  }
};

/// Bytes on their way in one direction, in order, each with the time at which it may go on.
struct Lane {
  Lane(asio::io_context& io, bool answers) : wake(io), answers(answers) {}
  std::deque<std::pair<std::chrono::steady_clock::time_point, std::string>> chunks;
  asio::steady_timer wake;
  bool ended = false;
  /// It comes from upstream.
  const bool answers;
};

}  // namespace

class TcpProxy::Impl {
 public:
  Impl() : acceptor_(io_) {
    Error error;
    acceptor_.open(tcp::v4(), error);
    acceptor_.bind({asio::ip::address_v4::loopback(), 0}, error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (error) throw std::runtime_error("no port: " + error.message());
    port_ = acceptor_.local_endpoint().port();
    asio::co_spawn(io_, Accept(), asio::detached);
    thread_ = std::thread([this] { io_.run(); });
  }
  ~Impl() {
    io_.stop();
    thread_.join();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  std::uint16_t port() const { return port_; }
  void SetUpstreams(std::vector<std::uint16_t> ports) {
    const std::lock_guard lock(mutex_);
    upstreams_ = std::move(ports);
    turn_ = 0;
  }
  void SetDelay(std::chrono::milliseconds delay) { delay_ms_ = delay.count(); }
  void HoldAnswers(bool hold) {
    hold_answers_ = hold;
    asio::post(io_, [this] {
      for (const std::weak_ptr<Lane>& one : lanes_) {
        if (const std::shared_ptr<Lane> lane = one.lock()) lane->wake.cancel();
      }
    });
  }
  void Cut() {
    asio::post(io_, [this] { CloseAll(); });
  }

 private:
  void CloseAll() {
    for (const std::weak_ptr<Pair>& one : pairs_) {
      if (const std::shared_ptr<Pair> pair = one.lock()) pair->Close();
    }
    pairs_.clear();
  }

  std::uint16_t NextUpstream() {
    const std::lock_guard lock(mutex_);
    return upstreams_.empty() ? 0 : upstreams_[turn_++ % upstreams_.size()];
  }

  asio::awaitable<void> Accept() {
    while (acceptor_.is_open()) {
      auto pair = std::make_shared<Pair>(io_);
      Error error;
      co_await acceptor_.async_accept(pair->near, asio::redirect_error(asio::use_awaitable, error));
      if (error) continue;
      std::erase_if(pairs_, [](const std::weak_ptr<Pair>& one) { return one.expired(); });
      pairs_.push_back(pair);
      asio::co_spawn(io_, Serve(std::move(pair)), asio::detached);
    }
  }

  asio::awaitable<void> Serve(std::shared_ptr<Pair> pair) {
    const std::uint16_t upstream = NextUpstream();
    Error error = asio::error::connection_refused;
    if (upstream != 0) {
      const tcp::endpoint where(asio::ip::address_v4::loopback(), upstream);
      co_await pair->far.async_connect(where, asio::redirect_error(asio::use_awaitable, error));
    }
    if (error) {
      pair->Close();
      co_return;
    }
    pair->near.set_option(tcp::no_delay(true), error);
    pair->far.set_option(tcp::no_delay(true), error);
    auto out = std::make_shared<Lane>(io_, false);
    auto back = std::make_shared<Lane>(io_, true);
    std::erase_if(lanes_, [](const std::weak_ptr<Lane>& one) { return one.expired(); });
    lanes_.push_back(back);
    asio::co_spawn(io_, ReadInto(pair, &pair->near, out), asio::detached);
    asio::co_spawn(io_, WriteFrom(pair, &pair->far, out), asio::detached);
    asio::co_spawn(io_, ReadInto(pair, &pair->far, back), asio::detached);
    asio::co_spawn(io_, WriteFrom(pair, &pair->near, back), asio::detached);
  }

  asio::awaitable<void> ReadInto(std::shared_ptr<Pair> pair, tcp::socket* from,
                                 std::shared_ptr<Lane> lane) {
    static_cast<void>(pair);  // keeps both sockets alive
    std::array<char, kChunk> buffer{};
    while (true) {
      Error error;
      const std::size_t got = co_await from->async_read_some(
          asio::buffer(buffer), asio::redirect_error(asio::use_awaitable, error));
      if (error) break;
      const auto due =
          std::chrono::steady_clock::now() + std::chrono::milliseconds(delay_ms_.load());
      lane->chunks.emplace_back(due, std::string(buffer.data(), got));
      lane->wake.cancel();
    }
    lane->ended = true;
    lane->wake.cancel();
  }

  asio::awaitable<void> WriteFrom(std::shared_ptr<Pair> pair, tcp::socket* to,
                                  std::shared_ptr<Lane> lane) {
    while (!lane->chunks.empty() || !lane->ended) {
      Error ignored;
      const auto now = std::chrono::steady_clock::now();
      const bool waits = lane->chunks.empty() || (lane->answers && hold_answers_);
      if (waits || lane->chunks.front().first > now) {
        lane->wake.expires_at(waits ? asio::steady_timer::time_point::max()
                                    : lane->chunks.front().first);
        co_await lane->wake.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
        continue;
      }
      const std::string chunk = std::move(lane->chunks.front().second);
      lane->chunks.pop_front();
      Error error;
      co_await asio::async_write(*to, asio::buffer(chunk),
                                 asio::redirect_error(asio::use_awaitable, error));
      if (error) {
        pair->Close();
        co_return;
      }
    }
    Error ignored;
    to->shutdown(tcp::socket::shutdown_send, ignored);
  }

  asio::io_context io_{1};
  tcp::acceptor acceptor_;
  std::uint16_t port_ = 0;
  std::mutex mutex_;
  std::vector<std::uint16_t> upstreams_;  ///< guarded by mutex_
  std::size_t turn_ = 0;                  ///< guarded by mutex_
  std::atomic<std::int64_t> delay_ms_{0};
  std::atomic<bool> hold_answers_{false};
  std::list<std::weak_ptr<Pair>> pairs_;
  std::list<std::weak_ptr<Lane>> lanes_;
  std::thread thread_;
};

TcpProxy::TcpProxy() : impl_(std::make_unique<Impl>()) {}
TcpProxy::~TcpProxy() = default;
std::string TcpProxy::address() const { return "127.0.0.1:" + std::to_string(impl_->port()); }
std::uint16_t TcpProxy::port() const { return impl_->port(); }
void TcpProxy::SetUpstream(std::uint16_t port) {
  impl_->SetUpstreams(port == 0 ? std::vector<std::uint16_t>() : std::vector{port});
}
void TcpProxy::SetUpstreams(std::vector<std::uint16_t> ports) {
  impl_->SetUpstreams(std::move(ports));
}
void TcpProxy::SetDelay(std::chrono::milliseconds delay) { impl_->SetDelay(delay); }
void TcpProxy::HoldAnswers(bool hold) { impl_->HoldAnswers(hold); }
void TcpProxy::Cut() { impl_->Cut(); }

}  // namespace tollbridge::test
