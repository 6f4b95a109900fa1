#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

// The least that a Beast server does for an answer: it reads a request, looks at nothing in it, and
// writes the same response. Without deadlines, limits, routing or state: what ./dev bench compares
// the sandbox with.

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using Response = http::response<http::string_body>;

/// `bytes`: status line, header and body, with a Content-Length.
std::optional<Response> ParseResponse(const std::string& bytes) {
  http::response_parser<http::string_body> parser;
  parser.eager(true);
  boost::system::error_code ec;
  parser.put(asio::buffer(bytes), ec);
  if (ec || !parser.is_done()) return std::nullopt;
  return parser.release();
}

asio::awaitable<void> Serve(tcp::socket socket, const Response* response) {
  boost::beast::flat_buffer buffer;
  boost::system::error_code ec;
  for (;;) {
    http::request<http::empty_body> request;
    co_await http::async_read(socket, buffer, request,
                              asio::redirect_error(asio::use_awaitable, ec));
    if (ec) co_return;
    co_await http::async_write(socket, *response, asio::redirect_error(asio::use_awaitable, ec));
    if (ec || !request.keep_alive()) co_return;
  }
}

asio::awaitable<void> Accept(tcp::acceptor acceptor, const Response* response) {
  for (;;) {
    boost::system::error_code ec;
    tcp::socket socket =
        co_await acceptor.async_accept(asio::redirect_error(asio::use_awaitable, ec));
    if (ec) co_return;
    socket.set_option(tcp::no_delay(true), ec);
    asio::co_spawn(acceptor.get_executor(), Serve(std::move(socket), response), asio::detached);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: beast_floor FILE    answers every request with the response in FILE, on a "
                 "free loopback port\n";
    return 2;
  }
  std::ifstream in(argv[1], std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  const std::optional<Response> response = ParseResponse(bytes);
  if (!response) {
    std::cerr << "beast_floor: " << argv[1] << " holds no whole response\n";
    return 1;
  }
  asio::io_context context(1);
  tcp::acceptor acceptor(context, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
  std::cout << R"({"base_url":"http://127.0.0.1:)" << acceptor.local_endpoint().port() << "\"}"
            << std::endl;
  asio::co_spawn(context, Accept(std::move(acceptor), &*response), asio::detached);
  context.run();
  return 0;
}
