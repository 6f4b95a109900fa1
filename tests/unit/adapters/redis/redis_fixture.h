#ifndef TOLLBRIDGE_TESTS_UNIT_ADAPTERS_REDIS_REDIS_FIXTURE_H_
#define TOLLBRIDGE_TESTS_UNIT_ADAPTERS_REDIS_REDIS_FIXTURE_H_

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "adapters/redis/connection.h"
#include "base/telemetry/metrics.h"
#include "services/ports/context.h"
#include "tests/support/async_test.h"
#include "tests/support/redis_server.h"

namespace tollbridge::redis {

/// A redis-server and connections to it.
class RedisTest : public testing::Test {
 protected:
  explicit RedisTest(std::vector<std::string> server_arguments = {})
      : server_(std::move(server_arguments)) {}

  static BootTime In(std::chrono::milliseconds time) { return BootClock::now() + time; }
  static BootTime Soon() { return In(std::chrono::seconds(10)); }
  static ports::Context Within() { return {.deadline = Soon(), .trace = {}}; }

  /// What tests start from: quick to reconnect, and not in the way of a paused server.
  ConnectionOptions Options() const {
    return {
        .host = "127.0.0.1",
        .port = server_.port(),
        .command_timeout = std::chrono::seconds(10),
        .backoff_first = std::chrono::milliseconds(5),
        .backoff_max = std::chrono::milliseconds(20),
        .limits = {.heartbeat = std::chrono::minutes(1), .stall_timeout = std::chrono::minutes(1)}};
  }
  std::unique_ptr<Connection> Unconnected(ConnectionOptions options) {
    auto connection =
        std::make_unique<Connection>(context_.get_executor(), std::move(options), metrics_);
    connection->Start();
    return connection;
  }
  std::unique_ptr<Connection> Connected(ConnectionOptions options) {
    std::unique_ptr<Connection> connection = Unconnected(std::move(options));
    const absl::Status ready = Run(connection->WaitReady(Soon()));
    EXPECT_TRUE(ready.ok()) << ready;
    return connection;
  }
  std::unique_ptr<Connection> Connected() { return Connected(Options()); }

  template <typename T>
  T Run(boost::asio::awaitable<T> call) {
    return test::Await(context_, std::move(call));
  }
  /// The reply to a command that must get through.
  Reply Ask(Connection& connection, Command command) {
    absl::StatusOr<Reply> reply = Run(connection.Execute(std::move(command), Soon()));
    EXPECT_TRUE(reply.ok()) << reply.status();
    return reply.ok() ? *reply : Reply{};
  }

  /// A command that goes on while the test does other things.
  struct Running {
    std::optional<absl::StatusOr<Reply>> reply;
  };
  std::shared_ptr<Running> StartCommand(Connection& connection, Command command,
                                        BootTime deadline) {
    auto running = std::make_shared<Running>();
    auto call = [](Connection& to, Command what, BootTime until,
                   std::shared_ptr<Running> into) -> boost::asio::awaitable<void> {
      absl::StatusOr<Reply> reply = co_await to.Execute(std::move(what), until);
      into->reply = std::move(reply);
    };
    boost::asio::co_spawn(context_, call(connection, std::move(command), deadline, running),
                          boost::asio::detached);
    return running;
  }
  bool Ends(const Running& running) {
    return test::RunUntil(context_, [&] { return running.reply.has_value(); });
  }
  /// Lets everything run that is ready to.
  void Poll() {
    context_.restart();
    context_.poll();
  }

  test::RedisServer server_;
  telemetry::Metrics metrics_;
  boost::asio::io_context context_{1};
};

}  // namespace tollbridge::redis

#endif  // TOLLBRIDGE_TESTS_UNIT_ADAPTERS_REDIS_REDIS_FIXTURE_H_
