#ifndef TOLLBRIDGE_TESTS_INTEGRATION_REDIS_REDIS_CLIENT_H_
#define TOLLBRIDGE_TESTS_INTEGRATION_REDIS_REDIS_CLIENT_H_

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "adapters/redis/connection.h"
#include "base/net/tls.h"
#include "base/telemetry/metrics.h"
#include "tests/support/async_test.h"
#include "tests/support/redis_server.h"
#include "tests/support/test_certificates.h"

namespace tollbridge::redis {

/// Connections on one thread, to whatever servers a test starts.
class RedisClientTest : public testing::Test {
 protected:
  static BootTime In(std::chrono::milliseconds time) { return BootClock::now() + time; }
  static BootTime Soon() { return In(std::chrono::seconds(10)); }

  /// What tests start from: quick to reconnect.
  static ConnectionOptions QuickOptions() {
    return {.connect_timeout = std::chrono::seconds(2),
            .command_timeout = std::chrono::seconds(10),
            .backoff_first = std::chrono::milliseconds(5),
            .backoff_max = std::chrono::milliseconds(50)};
  }
  static ConnectionOptions To(const test::RedisServer& server) {
    ConnectionOptions options = QuickOptions();
    options.host = "127.0.0.1";
    options.port = server.port();
    return options;
  }
  static Endpoint EndpointOf(const test::RedisServer& server) {
    return {.host = "127.0.0.1", .port = server.port()};
  }
  /// With the certificate and the CA of `certificates`.
  static std::shared_ptr<const net::TlsContext> ClientTls(
      const test::TestCertificates& certificates) {
    return *net::TlsContext::ForClient({.ca_file = certificates.ca_file(),
                                        .certificate_chain_file = certificates.certificate_file(),
                                        .private_key_file = certificates.key_file()});
  }

  template <typename T>
  T Run(boost::asio::awaitable<T> call) {
    return test::Await(context_, std::move(call));
  }
  std::unique_ptr<Connection> Start(ConnectionOptions options) {
    auto connection =
        std::make_unique<Connection>(context_.get_executor(), std::move(options), metrics_);
    connection->Start();
    return connection;
  }
  std::unique_ptr<Connection> Connected(ConnectionOptions options) {
    std::unique_ptr<Connection> connection = Start(std::move(options));
    ExpectReady(*connection);
    return connection;
  }
  void ExpectReady(Connection& connection) {
    const absl::Status ready = Run(connection.WaitReady(Soon()));
    EXPECT_TRUE(ready.ok()) << ready;
  }
  /// Why it does not get ready, as soon as it has tried.
  std::string WhyNotReady(Connection& connection) {
    const BootTime end = In(test::kAwaitLimit);
    std::string why = "never connected";
    while (why.find("never connected") != std::string::npos && BootClock::now() < end) {
      why = Run(connection.WaitReady(In(std::chrono::milliseconds(50)))).ToString();
    }
    return why;
  }
  std::string WhyRefused(ConnectionOptions options) {
    const std::unique_ptr<Connection> connection = Start(std::move(options));
    return WhyNotReady(*connection);
  }
  absl::StatusOr<Reply> TryAsk(CommandExecutor& connection, Command command) {
    return Run(connection.Execute(std::move(command), Soon()));
  }
  /// The reply to a command that must get through; its text when it is an error.
  Reply Ask(CommandExecutor& connection, Command command) {
    absl::StatusOr<Reply> reply = TryAsk(connection, std::move(command));
    EXPECT_TRUE(reply.ok()) << reply.status();
    return reply.ok() ? *std::move(reply) : Reply{};
  }
  /// Whether `condition` holds in time, while connections go on.
  template <typename Condition>
  bool Comes(Condition condition) {
    return test::RunUntil(context_, condition);
  }
  /// What a server or a Sentinel answers, whatever its role.
  absl::StatusOr<Reply> Tell(const test::RedisServer& server, Command command,
                             Credentials credentials = {}) {
    absl::StatusOr<std::shared_ptr<Session>> session = Run(OpenSession(
        context_.get_executor(), EndpointOf(server), nullptr, std::move(credentials), {}, Soon()));
    if (!session.ok()) return session.status();
    absl::StatusOr<Reply> reply = Run(redis::Ask(*session, std::move(command), Soon()));
    (*session)->Close(absl::CancelledError("told"));
    return reply;
  }
  /// Asks until the answer fits: for what servers do among themselves.
  template <typename Fits>
  bool AnswerComes(const test::RedisServer& server, const Command& command, Fits fits) {
    const BootTime end = In(test::kAwaitLimit);
    while (BootClock::now() < end) {
      const absl::StatusOr<Reply> reply = Tell(server, command);
      if (reply.ok() && fits(*reply)) return true;
    }
    return false;
  }
  bool ReplicasCome(const test::RedisServer& primary, std::size_t count) {
    return AnswerComes(primary, {"ROLE"}, [count](const Reply& role) {
      return role.elements.size() == 3 && role.elements[2].elements.size() >= count;
    });
  }
  /// The port of the server that the connection has come to.
  std::string PortOf(CommandExecutor& connection, const std::string& setting = "port") {
    const Reply reply = Ask(connection, {"CONFIG", "GET", setting});
    return reply.elements.size() == 2 ? reply.elements[1].text : reply.text;
  }

  telemetry::Metrics metrics_;
  boost::asio::io_context context_{1};
};

}  // namespace tollbridge::redis

#endif  // TOLLBRIDGE_TESTS_INTEGRATION_REDIS_REDIS_CLIENT_H_
