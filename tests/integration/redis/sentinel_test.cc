#include "adapters/redis/sentinel.h"

#include <gmock/gmock.h>

#include <vector>

#include "tests/integration/redis/redis_client.h"

namespace tollbridge::redis {
namespace {

using test::RedisServer;
using testing::AllOf;
using testing::HasSubstr;

class SentinelTest : public RedisClientTest {
 protected:
  static ConnectionOptions Through(std::vector<Endpoint> sentinels) {
    ConnectionOptions options = QuickOptions();
    options.port = 1;  // must not be used
    options.sentinel = {.sentinels = std::move(sentinels), .master = "shop"};
    return options;
  }
  std::string PortOfPrimary() const { return std::to_string(primary_.port()); }

  RedisServer primary_;
};

TEST_F(SentinelTest, ThePrimaryIsFoundByItsName) {
  const RedisServer sentinel = RedisServer::Sentinel(test::Watch("shop", primary_));
  const std::unique_ptr<Connection> connection = Connected(Through({EndpointOf(sentinel)}));
  EXPECT_EQ(PortOf(*connection), PortOfPrimary());
}

TEST_F(SentinelTest, SentinelsThatAreGoneOrSilentArePassedOver) {
  RedisServer gone = RedisServer::Sentinel(test::Watch("shop", primary_));
  RedisServer silent = RedisServer::Sentinel(test::Watch("shop", primary_));
  const RedisServer alive = RedisServer::Sentinel(test::Watch("shop", primary_));
  gone.Stop();
  silent.Pause();
  const std::unique_ptr<Connection> connection =
      Connected(Through({EndpointOf(gone), EndpointOf(silent), EndpointOf(alive)}));
  EXPECT_EQ(PortOf(*connection), PortOfPrimary());
  silent.Resume();
}

TEST_F(SentinelTest, ASentinelThatNamesADeadPrimaryIsNotAskedFirstAgain) {
  RedisServer dead;
  dead.Stop();
  const RedisServer stale = RedisServer::Sentinel(test::Watch("shop", dead));
  const RedisServer right = RedisServer::Sentinel(test::Watch("shop", primary_));
  const std::unique_ptr<Connection> connection =
      Connected(Through({EndpointOf(stale), EndpointOf(right)}));
  EXPECT_EQ(PortOf(*connection), PortOfPrimary());
}

TEST_F(SentinelTest, EachSentinelsRefusalIsTold) {
  const RedisServer other = RedisServer::Sentinel(test::Watch("other-shop", primary_));
  RedisServer gone = RedisServer::Sentinel(test::Watch("shop", primary_));
  gone.Stop();
  EXPECT_THAT(WhyRefused(Through({EndpointOf(other), EndpointOf(gone), EndpointOf(primary_)})),
              AllOf(HasSubstr("no Sentinel names the primary 'shop'"),
                    HasSubstr(other.address() + ": knows no primary called 'shop'"),
                    HasSubstr(gone.address() + ": "),
                    HasSubstr(primary_.address() + ": Redis refused a command of the gateway")));
}

TEST_F(SentinelTest, TheSentinelsHaveAPasswordOfTheirOwn) {
  std::vector<std::string> configuration = test::Watch("shop", primary_);
  configuration.emplace_back("requirepass open-sentinel");
  const RedisServer sentinel = RedisServer::Sentinel(configuration);
  ConnectionOptions options = Through({EndpointOf(sentinel)});
  EXPECT_THAT(WhyRefused(options), AllOf(HasSubstr(sentinel.address()), HasSubstr("NOAUTH")));
  options.sentinel.password = "not-the-one";
  EXPECT_THAT(WhyRefused(options), AllOf(HasSubstr("WRONGPASS"), Not(HasSubstr("not-the-one"))));
  options.sentinel.password = "open-sentinel";
  Connected(options);
}

TEST_F(SentinelTest, AfterAFailoverTheConnectionIsAtTheNewPrimary) {
  const RedisServer replica(test::ReplicaOf(primary_));
  const RedisServer sentinel = RedisServer::Sentinel(test::Watch("shop", primary_));
  const std::unique_ptr<Connection> connection = Connected(Through({EndpointOf(sentinel)}));
  ASSERT_TRUE(ReplicasCome(primary_, 1));
  ASSERT_TRUE(AnswerComes(sentinel, {"SENTINEL", "replicas", "shop"},
                          [](const Reply& replicas) { return !replicas.elements.empty(); }));
  const std::vector<Command> write = {{"SET", "k", "kept"}, {"WAIT", "1", "5000"}};
  const auto written = Run(connection->ExecuteTogether(write, Soon()));
  ASSERT_TRUE(written.ok()) << written.status();
  ASSERT_EQ(written->at(1).integer, 1);

  primary_.Stop();

  ASSERT_TRUE(Comes([&] { return connection->generation() == 2 && connection->ready(); }));
  EXPECT_EQ(PortOf(*connection), std::to_string(replica.port()));
  EXPECT_EQ(Ask(*connection, {"GET", "k"}).text, "kept");
  EXPECT_EQ(Ask(*connection, {"SET", "k", "changed"}).text, "OK");

  // The one that was primary comes back, as a replica in the end: nobody goes there again.
  primary_.Restart();
  const std::unique_ptr<Connection> other = Connected(Through({EndpointOf(sentinel)}));
  EXPECT_EQ(PortOf(*other), std::to_string(replica.port()));
}

}  // namespace
}  // namespace tollbridge::redis
