#ifndef TOLLBRIDGE_TESTS_BENCH_FLOOR_UPSTREAM_H_
#define TOLLBRIDGE_TESTS_BENCH_FLOOR_UPSTREAM_H_

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tollbridge/bench/v1/floor.pb.h"

namespace tollbridge::bench {

/// Beast reads as much at a time as its buffer has room for, which is 512 bytes in the beginning.
inline constexpr std::size_t kFloorReadBytes = 65536;
inline constexpr auto kFloorAwait = boost::asio::as_tuple(boost::asio::use_awaitable);

struct FloorConnection {
  explicit FloorConnection(boost::asio::io_context& context) : socket(context) {
    buffer.reserve(kFloorReadBytes);
  }
  boost::asio::ip::tcp::socket socket;
  boost::beast::flat_buffer buffer;
};

/// The floors' connections to the upstream that are not in use. One thread.
class FloorUpstream {
 public:
  FloorUpstream(boost::asio::io_context& context, std::uint16_t port)
      : context_(context), endpoint_(boost::asio::ip::address_v4::loopback(), port) {}

  boost::asio::io_context& context() { return context_; }

  /// Whether the response says success, and is whole.
  boost::asio::awaitable<bool> Exchange(const std::string& request) {
    std::unique_ptr<FloorConnection> connection = co_await Take();
    if (connection == nullptr) co_return false;
    const auto written = co_await boost::asio::async_write(
        connection->socket, boost::asio::buffer(request), kFloorAwait);
    if (std::get<0>(written)) co_return false;
    boost::beast::http::response_parser<boost::beast::http::string_body> parser;
    parser.body_limit(boost::none);
    const auto read = co_await boost::beast::http::async_read(
        connection->socket, connection->buffer, parser, kFloorAwait);
    const bool well = boost::beast::http::to_status_class(parser.get().result()) ==
                      boost::beast::http::status_class::successful;
    if (std::get<0>(read) || !well) co_return false;
    idle_.push_back(std::move(connection));
    co_return true;
  }

 private:
  boost::asio::awaitable<std::unique_ptr<FloorConnection>> Take() {
    std::unique_ptr<FloorConnection> connection;
    if (!idle_.empty()) {
      connection = std::move(idle_.back());
      idle_.pop_back();
      co_return connection;
    }
    connection = std::make_unique<FloorConnection>(context_);
    const auto connected = co_await connection->socket.async_connect(endpoint_, kFloorAwait);
    if (std::get<0>(connected)) co_return nullptr;
    boost::system::error_code ignored;
    connection->socket.set_option(boost::asio::ip::tcp::no_delay(true), ignored);
    co_return connection;
  }

  boost::asio::io_context& context_;
  boost::asio::ip::tcp::endpoint endpoint_;
  std::vector<std::unique_ptr<FloorConnection>> idle_;
};

/// The methods of a FloorProgram in a file; none when it holds none.
inline std::vector<v1::FloorMethod> ReadFloorMethods(const std::string& path) {
  v1::FloorProgram program;
  std::ifstream in(path, std::ios::binary);
  if (!program.ParseFromIstream(&in)) return {};
  return {program.methods().begin(), program.methods().end()};
}

}  // namespace tollbridge::bench

#endif  // TOLLBRIDGE_TESTS_BENCH_FLOOR_UPSTREAM_H_
