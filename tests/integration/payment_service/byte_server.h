#ifndef TOLLBRIDGE_TESTS_INTEGRATION_PAYMENT_SERVICE_BYTE_SERVER_H_
#define TOLLBRIDGE_TESTS_INTEGRATION_PAYMENT_SERVICE_BYTE_SERVER_H_

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tollbridge::test {

/// What is written as the answer to one request, byte for byte.
struct Bytes {
  std::string bytes;
  /// The connection is closed behind them.
  bool close = false;
};

/// A well-framed answer.
Bytes HttpAnswer(int status, std::string_view body, std::string_view more_headers = "");

/// A server that reads whole requests and writes whatever bytes the test says, on any number of
/// connections, on the io_context of the test.
class ByteServer {
 public:
  /// Told the request's first line.
  using Handler = std::function<Bytes(std::string_view request_line)>;

  ByteServer(boost::asio::io_context& context, Handler handler);

  std::uint16_t port() const { return state_->port; }
  /// Of each request in order: the number of the connection that it came on, from 1.
  const std::vector<int>& connections() const { return state_->connections; }
  /// Writes on the connection of the last request, at once.
  void WriteMore(std::string_view bytes);

 private:
  using Socket = boost::asio::ip::tcp::socket;
  struct State {
    Handler handler;
    std::uint16_t port = 0;
    int accepted = 0;
    std::vector<int> connections;
    std::weak_ptr<Socket> last;
  };

  static boost::asio::awaitable<void> Accept(boost::asio::ip::tcp::acceptor acceptor,
                                             std::shared_ptr<State> state);
  static boost::asio::awaitable<void> Serve(std::shared_ptr<Socket> socket, int number,
                                            std::shared_ptr<State> state);

  std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_INTEGRATION_PAYMENT_SERVICE_BYTE_SERVER_H_
