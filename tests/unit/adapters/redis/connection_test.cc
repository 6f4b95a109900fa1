#include "adapters/redis/connection.h"

#include <gtest/gtest.h>
#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/redis/errors.h"
#include "adapters/redis/script.h"
#include "base/telemetry/log.h"
#include "base/telemetry/metric_definitions.h"
#include "services/domain/errors.h"
#include "tests/support/fails_with.h"
#include "tests/support/series.h"
#include "tests/unit/adapters/redis/redis_fixture.h"

namespace tollbridge::redis {
namespace {

class ConnectionTest : public RedisTest {
 protected:
  using RedisTest::RedisTest;

  double Counted(const std::string& result) {
    for (const prometheus::MetricFamily& family : metrics_.collectable().Collect()) {
      if (family.name != "tollbridge_redis_commands_total") continue;
      for (const prometheus::ClientMetric& metric : family.metric) {
        if (metric.label.at(0).value == result) return metric.counter.value;
      }
    }
    return 0;
  }
};

void ExpectStoreUnavailable(const absl::Status& status) {
  EXPECT_THAT(status, FailsWith(StatusCode::kUnavailable, domain::reason::kStoreUnavailable));
}

TEST_F(ConnectionTest, CommandsArePipelinedAndEachGetsItsOwnReply) {
  const std::unique_ptr<Connection> connection = Connected();
  std::vector<std::shared_ptr<Running>> running;
  for (int i = 0; i < 500; ++i) {
    running.push_back(StartCommand(*connection, {"ECHO", std::to_string(i)}, Soon()));
  }
  for (int i = 0; i < 500; ++i) {
    ASSERT_TRUE(Ends(*running[static_cast<std::size_t>(i)]));
    const absl::StatusOr<Reply>& reply = *running[static_cast<std::size_t>(i)]->reply;
    ASSERT_TRUE(reply.ok());
    EXPECT_EQ(reply->text, std::to_string(i));
  }
  EXPECT_EQ(connection->commands_sent(), 500U);
  EXPECT_EQ(Counted("ok"), 500);
}

TEST_F(ConnectionTest, CommandsSentTogetherAreOneRoundTripAndAnsweredInOrder) {
  const std::unique_ptr<Connection> connection = Connected();
  std::vector<Command> commands = {{"SET", "k", "v"}, {"NOSUCHCOMMAND"}, {"GET", "k"}};
  const absl::StatusOr<std::vector<Reply>> replies =
      Run(connection->ExecuteTogether(std::move(commands), Soon()));
  ASSERT_TRUE(replies.ok()) << replies.status();
  ASSERT_EQ(replies->size(), 3U);
  EXPECT_EQ(replies->at(0).text, "OK");
  EXPECT_EQ(replies->at(1).type, Reply::Type::kError);
  EXPECT_EQ(replies->at(2).text, "v");
  EXPECT_EQ(connection->commands_sent(), 1U);
  EXPECT_EQ(Counted("ok"), 2);
  EXPECT_EQ(Counted("error"), 1);
}

TEST_F(ConnectionTest, CommandsSentTogetherFailTogetherAtTheDeadline) {
  const std::unique_ptr<Connection> connection = Connected();
  server_.Pause();
  std::vector<Command> commands = {{"PING"}, {"PING"}};
  ExpectStoreUnavailable(
      Run(connection->ExecuteTogether(std::move(commands), In(std::chrono::milliseconds(30))))
          .status());
  server_.Resume();
  EXPECT_EQ(Ask(*connection, {"ECHO", "x"}).text, "x");
  EXPECT_EQ(Counted("timeout"), 1);
}

TEST_F(ConnectionTest, MoreCommandsTogetherThanThereIsRoomForAreTurnedAwayUnsent) {
  ConnectionOptions options = Options();
  options.limits.max_in_flight = 1;
  const std::unique_ptr<Connection> connection = Connected(options);
  std::vector<Command> commands = {{"SET", "k", "v"}, {"SET", "k", "w"}};
  ExpectStoreUnavailable(Run(connection->ExecuteTogether(std::move(commands), Soon())).status());
  EXPECT_TRUE(Ask(*connection, {"GET", "k"}).is_nil());
}

TEST_F(ConnectionTest, LargeBinaryValuesComeBackAsTheyWere) {
  const std::unique_ptr<Connection> connection = Connected();
  std::string value(std::size_t{3} << 20, '\0');
  for (std::size_t i = 0; i < value.size(); ++i) value[i] = static_cast<char>(i * 31);
  Ask(*connection, {"SET", "k", value});
  EXPECT_EQ(Ask(*connection, {"GET", "k"}).text, value);
}

TEST_F(ConnectionTest, AnErrorReplyIsAReply) {
  const std::unique_ptr<Connection> connection = Connected();
  EXPECT_EQ(Ask(*connection, {"NOSUCHCOMMAND"}).type, Reply::Type::kError);
  EXPECT_EQ(Ask(*connection, {"ECHO", "x"}).text, "x");
  EXPECT_EQ(Counted("error"), 1);
}

TEST_F(ConnectionTest, WhatAFullServerRefusesIsCountedApart) {
  const std::unique_ptr<Connection> connection = Connected();
  Ask(*connection, {"CONFIG", "SET", "maxmemory", "1"});
  const Reply refused = Ask(*connection, {"SET", "k", "v"});
  EXPECT_TRUE(IsNotServing(refused)) << refused.text;
  ExpectStoreUnavailable(StatusOf(refused));
  // Of a script too, whose error begins otherwise.
  EXPECT_TRUE(IsNotServing(Ask(*connection, {"EVAL", "return redis.call('SET', 'k', 'v')", "0"})));
  EXPECT_FALSE(IsNotServing(Ask(*connection, {"NOSUCHCOMMAND"})));
  EXPECT_EQ(Counted("refused"), 2);
  EXPECT_EQ(Counted("error"), 1);
}

TEST_F(ConnectionTest, ATimedOutCommandLeavesThoseBehindItAlone) {
  const std::unique_ptr<Connection> connection = Connected();
  server_.Pause();
  const auto first =
      StartCommand(*connection, {"ECHO", "first"}, In(std::chrono::milliseconds(30)));
  const auto second = StartCommand(*connection, {"ECHO", "second"}, Soon());
  ASSERT_TRUE(Ends(*first));
  ExpectStoreUnavailable(first->reply->status());
  EXPECT_FALSE(second->reply.has_value());

  server_.Resume();

  ASSERT_TRUE(Ends(*second));
  ASSERT_TRUE(second->reply->ok()) << second->reply->status();
  EXPECT_EQ((*second->reply)->text, "second");
  EXPECT_EQ(connection->generation(), 1U);
  EXPECT_EQ(Counted("timeout"), 1);
}

TEST_F(ConnectionTest, NoCommandWaitsLongerThanTheCommandTimeout) {
  ConnectionOptions options = Options();
  options.command_timeout = std::chrono::milliseconds(30);
  const std::unique_ptr<Connection> connection = Connected(options);
  server_.Pause();
  const auto running = StartCommand(*connection, {"PING"}, In(std::chrono::minutes(5)));
  ASSERT_TRUE(Ends(*running));
  ExpectStoreUnavailable(running->reply->status());
}

TEST_F(ConnectionTest, ACommandWhoseDeadlineHasPassedIsNotSent) {
  const std::unique_ptr<Connection> connection = Connected();
  ExpectStoreUnavailable(
      Run(connection->Execute({"SET", "k", "v"}, In(std::chrono::milliseconds(-1)))).status());
  EXPECT_TRUE(Ask(*connection, {"GET", "k"}).is_nil());
}

TEST_F(ConnectionTest, MoreInFlightThanAllowedIsTurnedAwayAtOnce) {
  ConnectionOptions options = Options();
  options.limits.max_in_flight = 2;
  const std::unique_ptr<Connection> connection = Connected(options);
  server_.Pause();
  const auto first = StartCommand(*connection, {"PING"}, Soon());
  const auto second = StartCommand(*connection, {"PING"}, Soon());
  const auto third = StartCommand(*connection, {"PING"}, Soon());
  Poll();
  ASSERT_TRUE(third->reply.has_value());
  ExpectStoreUnavailable(third->reply->status());
  server_.Resume();
  ASSERT_TRUE(Ends(*second));
  EXPECT_TRUE(first->reply->ok());
  EXPECT_TRUE(second->reply->ok());
}

TEST_F(ConnectionTest, WhatIsInFlightWhenTheConnectionIsLostFails) {
  const std::unique_ptr<Connection> connection = Connected();
  server_.Pause();
  const auto first = StartCommand(*connection, {"PING"}, Soon());
  const auto second = StartCommand(*connection, {"PING"}, Soon());
  Poll();
  server_.Stop();
  ASSERT_TRUE(Ends(*first));
  ASSERT_TRUE(Ends(*second));
  ExpectStoreUnavailable(first->reply->status());
  ExpectStoreUnavailable(second->reply->status());
  EXPECT_EQ(Counted("unavailable"), 2);
}

TEST_F(ConnectionTest, WhileDisconnectedCommandsFailAtOnceAndWorkAgainAfterARestart) {
  const std::unique_ptr<Connection> connection = Connected();
  server_.Stop();
  ASSERT_TRUE(test::RunUntil(context_, [&] { return !connection->ready(); }));
  const auto running = StartCommand(*connection, {"PING"}, Soon());
  Poll();
  ASSERT_TRUE(running->reply.has_value());
  ExpectStoreUnavailable(running->reply->status());
  EXPECT_EQ(connection->commands_sent(), 0U);

  server_.Restart();

  ASSERT_TRUE(Run(connection->WaitReady(Soon())).ok());
  EXPECT_EQ(Ask(*connection, {"ECHO", "x"}).text, "x");
  EXPECT_EQ(connection->generation(), 2U);
  EXPECT_EQ(test::SeriesOf(metrics_, telemetry::kRedisReconnects, {"redis"}), 1);
}

TEST_F(ConnectionTest, HowLongCommandsTakeIsKnownByTheScriptThatTheyRun) {
  const std::unique_ptr<Connection> connection = Connected();
  EXPECT_EQ(test::SeriesOf(metrics_, telemetry::kRedisReconnects, {"redis"}), 0)
      << "the first time is none";
  const auto timed = [&](const char* script) {
    return test::SeriesOf(metrics_, telemetry::kRedisSeconds, {"redis", script});
  };
  EXPECT_EQ(timed("other"), std::nullopt);
  const Script script({"local x = 1", LuaText("claim", "return x")});
  Ask(*connection, {"PING"});
  // Not known to the server yet: two trips.
  ASSERT_EQ(Run(script.Run(*connection, {}, Soon()))->integer, 1);
  ASSERT_EQ(Run(script.RunFollowed(*connection, {}, {"PING"}, Soon()))->reply.integer, 1);
  EXPECT_EQ(timed("claim"), 3);
  EXPECT_EQ(timed("other"), 1);

  server_.Pause();
  EXPECT_FALSE(Run(script.Run(*connection, {}, In(std::chrono::milliseconds(30)))).ok());
  EXPECT_EQ(timed("claim"), 4) << "what was waited for in vain is waiting too";
  connection->Stop();
  EXPECT_FALSE(Run(script.Run(*connection, {}, Soon())).ok());
  EXPECT_EQ(timed("claim"), 4) << "nothing was sent";
}

TEST_F(ConnectionTest, ScriptsAreCalledWhatTheirFilesAre) {
  EXPECT_EQ(kClaimLua.name, "claim");
  EXPECT_EQ(kTakeUnresolvedLua.name, "take_unresolved");
}

TEST_F(ConnectionTest, AServerThatDoesNotAnswerAnyMoreIsTakenForDeadUntilItDoes) {
  ConnectionOptions options = Options();
  options.connect_timeout = std::chrono::milliseconds(50);
  options.limits.heartbeat = std::chrono::milliseconds(10);
  options.limits.stall_timeout = std::chrono::milliseconds(60);
  const std::unique_ptr<Connection> connection = Connected(options);

  server_.Pause();  // nothing is sent but the connection's own probe
  ASSERT_TRUE(test::RunUntil(context_, [&] { return !connection->ready(); }));
  // The kernel of a paused server still accepts connections; that is not being ready.
  EXPECT_FALSE(Run(connection->WaitReady(In(std::chrono::milliseconds(200)))).ok());

  server_.Resume();
  EXPECT_TRUE(Run(connection->WaitReady(Soon())).ok());
}

TEST_F(ConnectionTest, NoServerIsSaidWithItsReason) {
  server_.Stop();
  const std::unique_ptr<Connection> connection = Unconnected(Options());
  const absl::Status status = Run(connection->WaitReady(In(std::chrono::milliseconds(100))));
  ExpectStoreUnavailable(status);
}

TEST_F(ConnectionTest, StopEndsWhatIsInFlight) {
  const std::unique_ptr<Connection> connection = Connected();
  server_.Pause();
  const auto running = StartCommand(*connection, {"PING"}, Soon());
  Poll();
  connection->Stop();
  ASSERT_TRUE(Ends(*running));
  ExpectStoreUnavailable(running->reply->status());
  EXPECT_FALSE(connection->ready());
}

TEST_F(ConnectionTest, SelectChoosesTheDatabase) {
  ConnectionOptions options = Options();
  options.database = 3;
  const std::unique_ptr<Connection> third = Connected(options);
  const std::unique_ptr<Connection> first = Connected();
  Ask(*third, {"SET", "k", "v"});
  EXPECT_TRUE(Ask(*first, {"GET", "k"}).is_nil());
}

class PasswordTest : public ConnectionTest {
 protected:
  PasswordTest()
      : ConnectionTest(
            {"--requirepass", "secret", "--user", "app", "on", ">pw", "~*", "&*", "+@all"}) {}
};

TEST_F(PasswordTest, TheDefaultUserLogsInByPassword) {
  ConnectionOptions options = Options();
  options.password = "secret";
  const std::unique_ptr<Connection> connection = Connected(options);
  EXPECT_EQ(Ask(*connection, {"ACL", "WHOAMI"}).text, "default");
}

TEST_F(PasswordTest, AUserLogsInByNameAndPassword) {
  ConnectionOptions options = Options();
  options.user = "app";
  options.password = "pw";
  const std::unique_ptr<Connection> connection = Connected(options);
  EXPECT_EQ(Ask(*connection, {"ACL", "WHOAMI"}).text, "app");
}

class RenewTest : public PasswordTest {
 protected:
  RenewTest() {
    options_.user = "app";
    options_.password = LiveText([this] { return password_; });
  }
  /// Of the user that the tests rotate.
  void SetUser(const std::string& rule) {
    const std::unique_ptr<Connection> admin = Connected(Admin());
    ASSERT_EQ(Ask(*admin, {"ACL", "SETUSER", "app", rule}).text, "OK");
  }
  ConnectionOptions Admin() const {
    ConnectionOptions options = Options();
    options.password = "secret";
    return options;
  }
  /// Numbers of the sessions that the user has at the server.
  std::size_t Sessions() {
    const std::unique_ptr<Connection> admin = Connected(Admin());
    const std::string clients = Ask(*admin, {"CLIENT", "LIST"}).text;
    std::size_t count = 0;
    for (std::size_t at = 0; (at = clients.find("user=app", at)) != std::string::npos; ++at)
      ++count;
    return count;
  }

  std::string password_ = "pw";
  ConnectionOptions options_ = Options();
};

TEST_F(RenewTest, ASessionWithTheNewPasswordTakesOverAndNoCommandIsLost) {
  const std::unique_ptr<Connection> connection = Connected(options_);
  SetUser(">next");
  password_ = "next";
  const auto in_flight = StartCommand(*connection, {"BLPOP", "none", "1"}, Soon());
  Poll();
  connection->Renew();
  ASSERT_TRUE(test::RunUntil(context_, [&] { return connection->generation() == 2; }));
  EXPECT_TRUE(connection->ready());
  EXPECT_FALSE(in_flight->reply.has_value());
  EXPECT_EQ(Ask(*connection, {"ECHO", "x"}).text, "x") << "on the new session, beside it";
  ASSERT_TRUE(Ends(*in_flight));
  ASSERT_TRUE(in_flight->reply->ok()) << in_flight->reply->status();
  EXPECT_TRUE((*in_flight->reply)->is_nil());
  // The old one ends when nothing is left on it.
  EXPECT_TRUE(test::RunUntil(context_, [&] { return Sessions() == 1; }));
  SetUser("<pw");
  EXPECT_EQ(Ask(*connection, {"ECHO", "x"}).text, "x");
  EXPECT_EQ(Counted("unavailable"), 0);
  EXPECT_EQ(test::SeriesOf(metrics_, telemetry::kRedisReconnects, {"redis"}), 0)
      << "nothing was lost";
}

TEST_F(RenewTest, APasswordThatRedisDoesNotTakeLeavesTheSessionAndIsTriedAgain) {
  const telemetry::LogCapture log;
  const std::unique_ptr<Connection> connection = Connected(options_);
  password_ = "next";
  connection->Renew();
  ASSERT_TRUE(test::RunUntil(context_, [&] {
    return std::ranges::any_of(log.lines(), [](const std::string& line) {
      return line.find("redis_connection_not_renewed") != std::string::npos &&
             line.find("WRONGPASS") != std::string::npos && line.find("next") == std::string::npos;
    });
  }));
  EXPECT_EQ(Ask(*connection, {"ECHO", "x"}).text, "x");
  EXPECT_EQ(connection->generation(), 1U);
  EXPECT_GE(test::SeriesOf(metrics_, telemetry::kSecretFileFailures, {"redis"}).value_or(0), 1);
  SetUser(">next");
  ASSERT_TRUE(test::RunUntil(context_, [&] { return connection->generation() == 2; }));
  EXPECT_EQ(Ask(*connection, {"ACL", "WHOAMI"}).text, "app");
}

TEST_F(RenewTest, APasswordThatIsNotTakenIsALineAMinuteHoweverOftenItIsTried) {
  const telemetry::LogCapture log;
  const std::unique_ptr<Connection> connection = Connected(options_);
  const std::unique_ptr<Connection> admin = Connected(Admin());
  // What Redis has refused, it keeps in a list.
  const auto refused = [&] { return Ask(*admin, {"ACL", "LOG"}).elements.size(); };
  for (const char* each : {"next", "next-2", "next-3"}) {
    Ask(*admin, {"ACL", "LOG", "RESET"});
    password_ = each;
    connection->Renew();
    ASSERT_TRUE(test::RunUntil(context_, [&] { return refused() > 0; }));
    EXPECT_EQ(Ask(*connection, {"ECHO", "x"}).text, "x");
  }
  EXPECT_EQ(std::ranges::count_if(log.lines(),
                                  [](const std::string& line) {
                                    return line.find("not_renewed") != std::string::npos;
                                  }),
            1);
}

TEST_F(RenewTest, ASubscriptionIsMadeAnewToo) {
  int subscribed = 0;
  std::vector<std::string> messages;
  options_.subscription = {
      .channels = {"news"},
      .on_message = [&](std::string_view, std::string_view text) { messages.emplace_back(text); },
      .on_subscribed = [&] { ++subscribed; }};
  const std::unique_ptr<Connection> connection = Connected(options_);
  connection->Renew();
  ASSERT_TRUE(test::RunUntil(context_, [&] { return subscribed == 2 && Sessions() == 1; }));
  const std::unique_ptr<Connection> admin = Connected(Admin());
  EXPECT_EQ(Ask(*admin, {"PUBLISH", "news", "here"}).integer, 1);
  EXPECT_TRUE(test::RunUntil(context_, [&] { return !messages.empty(); }));
}

TEST_F(RenewTest, StopEndsARenewalToo) {
  const std::unique_ptr<Connection> connection = Connected(options_);
  server_.Pause();
  connection->Renew();
  Poll();
  connection->Stop();
  server_.Resume();
  EXPECT_TRUE(test::RunUntil(context_, [&] { return Sessions() == 0; }));
  EXPECT_FALSE(connection->ready());
}

TEST_F(PasswordTest, AWrongPasswordIsNotReadyAndSaysWhyWithoutThePassword) {
  ConnectionOptions options = Options();
  options.password = "not-the-one";
  const std::unique_ptr<Connection> connection = Unconnected(options);
  const absl::Status status = Run(connection->WaitReady(In(std::chrono::milliseconds(200))));
  ExpectStoreUnavailable(status);
  EXPECT_NE(status.message().find("WRONGPASS"), std::string::npos) << status;
  EXPECT_EQ(status.message().find("not-the-one"), std::string::npos);
}

}  // namespace
}  // namespace tollbridge::redis
