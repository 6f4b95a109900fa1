#include "tests/integration/payment_service/byte_server.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/address_v4.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <cstddef>
#include <stdexcept>
#include <utility>

namespace tollbridge::test {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

constexpr auto kAsTuple = asio::as_tuple(asio::use_awaitable);

/// Bytes of the body that a request announces.
std::size_t BodySize(std::string_view head) {
  constexpr std::string_view kName = "\r\nContent-Length: ";
  const std::size_t at = head.find(kName);
  return at == std::string_view::npos ? 0 : std::stoul(std::string(head.substr(at + kName.size())));
}

}  // namespace

Bytes HttpAnswer(int status, std::string_view body, std::string_view more_headers) {
  std::string bytes = "HTTP/1.1 " + std::to_string(status) + " X\r\n";
  bytes.append(more_headers);
  bytes += "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n";
  bytes.append(body);
  return {.bytes = std::move(bytes)};
}

ByteServer::ByteServer(asio::io_context& context, Handler handler) {
  state_->handler = std::move(handler);
  tcp::acceptor acceptor(context, {asio::ip::address_v4::loopback(), 0});
  state_->port = acceptor.local_endpoint().port();
  asio::co_spawn(context, Accept(std::move(acceptor), state_), asio::detached);
}

void ByteServer::WriteMore(std::string_view bytes) {
  const std::shared_ptr<Socket> socket = state_->last.lock();
  if (socket == nullptr) throw std::runtime_error("the connection is gone");
  asio::write(*socket, asio::buffer(bytes));
}

asio::awaitable<void> ByteServer::Accept(tcp::acceptor acceptor, std::shared_ptr<State> state) {
  while (true) {
    auto [error, socket] = co_await acceptor.async_accept(kAsTuple);
    if (error) co_return;
    auto shared = std::make_shared<Socket>(std::move(socket));
    asio::co_spawn(acceptor.get_executor(), Serve(std::move(shared), ++state->accepted, state),
                   asio::detached);
  }
}

asio::awaitable<void> ByteServer::Serve(std::shared_ptr<Socket> socket, int number,
                                        std::shared_ptr<State> state) {
  constexpr std::string_view kEndOfHead = "\r\n\r\n";
  std::string request;
  while (true) {
    const auto [error, size] = co_await asio::async_read_until(
        *socket, asio::dynamic_buffer(request), std::string(kEndOfHead), kAsTuple);
    if (error) co_return;
    const std::size_t whole = size + BodySize(std::string_view(request).substr(0, size));
    if (whole > request.size()) {
      const auto [cut, more] =
          co_await asio::async_read(*socket, asio::dynamic_buffer(request),
                                    asio::transfer_exactly(whole - request.size()), kAsTuple);
      if (cut) co_return;
    }
    state->connections.push_back(number);
    state->last = socket;
    const Bytes answer = state->handler(std::string_view(request).substr(0, request.find("\r\n")));
    request.erase(0, whole);
    const auto [broken, written] =
        co_await asio::async_write(*socket, asio::buffer(answer.bytes), kAsTuple);
    if (broken || answer.close) co_return;
  }
}

}  // namespace tollbridge::test
