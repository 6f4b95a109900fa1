#include "tests/unit/base/http/support.h"

#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <tuple>

namespace tollbridge::http {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;

namespace {

constexpr auto kAwait = asio::as_tuple(asio::use_awaitable);

asio::awaitable<void> AcceptAll(tcp::acceptor acceptor, RawPeer::Script script,
                                std::shared_ptr<int> accepted) {
  for (;;) {
    auto [ec, socket] = co_await acceptor.async_accept(kAwait);
    if (ec) co_return;
    ++*accepted;
    asio::co_spawn(acceptor.get_executor(), script(std::move(socket)), asio::detached);
  }
}

}  // namespace

bool Loop::RunUntil(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  context_.restart();
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    if (context_.stopped()) context_.restart();
    context_.run_one_for(std::chrono::milliseconds(50));
  }
  return true;
}

RawPeer::RawPeer(Loop& loop, Script script) {
  tcp::acceptor acceptor(loop.context(), tcp::endpoint(asio::ip::address_v4::loopback(), 0));
  port_ = acceptor.local_endpoint().port();
  asio::co_spawn(loop.context(), AcceptAll(std::move(acceptor), std::move(script), accepted_),
                 asio::detached);
}

asio::awaitable<std::string> ReadUntil(tcp::socket& socket, std::string_view text) {
  std::string got;
  std::array<char, 4096> buffer;
  while (got.find(text) == std::string::npos) {
    const auto [ec, size] = co_await socket.async_read_some(asio::buffer(buffer), kAwait);
    if (ec) co_return "";
    got.append(buffer.data(), size);
  }
  co_return got;
}

asio::awaitable<std::string> ReadToEnd(tcp::socket& socket, bool* reset) {
  std::string got;
  std::array<char, 4096> buffer;
  for (;;) {
    const auto [ec, size] = co_await socket.async_read_some(asio::buffer(buffer), kAwait);
    got.append(buffer.data(), size);
    if (!ec) continue;
    if (reset != nullptr) *reset = ec == asio::error::connection_reset;
    co_return got;
  }
}

asio::awaitable<void> Write(tcp::socket& socket, std::string_view bytes) {
  co_await asio::async_write(socket, asio::buffer(bytes.data(), bytes.size()), kAwait);
}

asio::awaitable<std::string> Converse(std::uint16_t port, std::string bytes, bool* reset) {
  const auto executor = co_await asio::this_coro::executor;
  tcp::socket socket(executor);
  co_await socket.async_connect(tcp::endpoint(asio::ip::address_v4::loopback(), port),
                                asio::use_awaitable);
  co_await Write(socket, bytes);
  co_return co_await ReadToEnd(socket, reset);
}

ClientOptions PlainClient(std::uint16_t port) {
  ClientOptions options;
  options.base_url = *ParseUrl("http://127.0.0.1:" + std::to_string(port));
  return options;
}

SendOptions Patiently() { return Within(kPatience); }

SendOptions Within(std::chrono::milliseconds time) {
  SendOptions options;
  options.deadline = BootClock::now() + time;
  return options;
}

}  // namespace tollbridge::http
