#include <gmock/gmock.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <vector>

#include "services/domain/errors.h"
#include "tests/integration/redis/redis_client.h"

namespace tollbridge::redis {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using std::chrono::milliseconds;

/// A server that closes each connection at once, and notes when they came.
class ClosingServer {
 public:
  explicit ClosingServer(asio::io_context& context)
      : acceptor_(context, tcp::endpoint(asio::ip::address_v4::loopback(), 0)) {
    asio::co_spawn(context, Serve(), asio::detached);
  }
  std::uint16_t port() const { return acceptor_.local_endpoint().port(); }
  const std::vector<BootTime>& accepted() const { return accepted_; }

 private:
  asio::awaitable<void> Serve() {
    while (true) {
      auto [error, socket] = co_await acceptor_.async_accept(asio::as_tuple(asio::use_awaitable));
      if (error) co_return;
      accepted_.push_back(BootClock::now());
    }
  }

  tcp::acceptor acceptor_;
  std::vector<BootTime> accepted_;
};

using ReconnectTest = RedisClientTest;

TEST_F(ReconnectTest, AttemptsThatFailComeEverMoreSeldom) {
  ClosingServer server(context_);
  ConnectionOptions options = QuickOptions();
  options.port = server.port();
  options.backoff_first = milliseconds(20);
  options.backoff_max = milliseconds(100);
  const std::unique_ptr<Connection> connection = Start(options);
  ASSERT_TRUE(Comes([&] { return server.accepted().size() >= 6; }));
  // Half of 20, 40, 80, 100 and 100 ms is the least, less what the first accept came late.
  const auto lasted = server.accepted().at(5) - server.accepted().at(0);
  EXPECT_GE(lasted, milliseconds(10 + 20 + 40 + 50 + 50 - 20));
  EXPECT_FALSE(connection->ready());
}

TEST_F(ReconnectTest, WhatIsAskedWhileTheServerIsDownFailsAtOnceAndIsNotQueued) {
  test::RedisServer server;
  const std::unique_ptr<Connection> connection = Connected(To(server));
  server.Stop();
  ASSERT_TRUE(Comes([&] { return !connection->ready(); }));

  for (int i = 0; i < 100; ++i) {
    const BootTime asked = BootClock::now();
    const absl::StatusOr<Reply> reply = TryAsk(*connection, {"SET", "k", "v"});
    EXPECT_EQ(domain::ReasonOf(reply.status()), domain::reason::kStoreUnavailable);
    const std::vector<Command> pair = {{"SET", "k", "v"}, {"WAIT", "1", "10000"}};
    const auto replies = Run(connection->ExecuteTogether(pair, Soon()));
    EXPECT_EQ(domain::ReasonOf(replies.status()), domain::reason::kStoreUnavailable);
    EXPECT_LT(BootClock::now() - asked, std::chrono::seconds(5));
  }
  EXPECT_EQ(connection->commands_sent(), 0U);

  server.Restart();

  ExpectReady(*connection);
  EXPECT_TRUE(Ask(*connection, {"GET", "k"}).is_nil());
  EXPECT_EQ(connection->generation(), 2U);
}

}  // namespace
}  // namespace tollbridge::redis
