#ifndef TOLLBRIDGE_TESTS_UNIT_BASE_HTTP_SUPPORT_H_
#define TOLLBRIDGE_TESTS_UNIT_BASE_HTTP_SUPPORT_H_

#include <gtest/gtest.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/boot_clock.h"
#include "base/http/client.h"
#include "tests/support/test_certificates.h"

namespace tollbridge::http {

/// Longer than anything takes; a test that gets there has failed.
inline constexpr std::chrono::seconds kPatience{20};

/// An io_context that the test thread runs for as long as it takes to see something happen.
class Loop {
 public:
  boost::asio::io_context& context() { return context_; }
  boost::asio::any_io_executor executor() { return context_.get_executor(); }

  /// Runs until the condition holds; false when it does not in time.
  bool RunUntil(const std::function<bool()>& condition);

  /// Runs a coroutine to its end.
  template <typename T>
  T Run(boost::asio::awaitable<T> coroutine) {
    std::optional<T> result;
    boost::asio::co_spawn(context_, std::move(coroutine), [&](std::exception_ptr error, T value) {
      if (error) std::rethrow_exception(error);
      result = std::move(value);
    });
    if (!RunUntil([&] { return result.has_value(); })) throw std::runtime_error("no end in time");
    return std::move(*result);
  }

 private:
  boost::asio::io_context context_{1};
};

/// A peer that does what the test says with the bare bytes of each connection.
class RawPeer {
 public:
  using Script = std::function<boost::asio::awaitable<void>(boost::asio::ip::tcp::socket)>;

  RawPeer(Loop& loop, Script script);
  std::uint16_t port() const { return port_; }
  int accepted() const { return *accepted_; }

 private:
  std::shared_ptr<int> accepted_ = std::make_shared<int>(0);
  std::uint16_t port_;
};

/// Reads what is there until the text has come; "" when the peer ended first.
boost::asio::awaitable<std::string> ReadUntil(boost::asio::ip::tcp::socket& socket,
                                              std::string_view text);
/// Reads to the end. `reset` tells whether the end was a reset.
boost::asio::awaitable<std::string> ReadToEnd(boost::asio::ip::tcp::socket& socket,
                                              bool* reset = nullptr);
boost::asio::awaitable<void> Write(boost::asio::ip::tcp::socket& socket, std::string_view bytes);

/// What a raw client gets when it connects, writes `bytes` and reads until the server closes.
boost::asio::awaitable<std::string> Converse(std::uint16_t port, std::string bytes,
                                             bool* reset = nullptr);

ClientOptions PlainClient(std::uint16_t port);
SendOptions Patiently();
SendOptions Within(std::chrono::milliseconds time);

using test::TestCertificates;

}  // namespace tollbridge::http

#endif  // TOLLBRIDGE_TESTS_UNIT_BASE_HTTP_SUPPORT_H_
