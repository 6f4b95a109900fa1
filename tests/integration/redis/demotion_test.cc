#include <gmock/gmock.h>

#include "tests/integration/redis/redis_client.h"

namespace tollbridge::redis {
namespace {

using test::RedisServer;
using testing::AllOf;
using testing::HasSubstr;

class DemotionTest : public RedisClientTest {
 protected:
  /// Makes server_ a replica, which leaves its clients connected.
  void Demote() {
    ASSERT_TRUE(Tell(server_, {"REPLICAOF", "127.0.0.1", std::to_string(other_.port())}).ok());
  }
  void Promote() { ASSERT_TRUE(Tell(server_, {"REPLICAOF", "NO", "ONE"}).ok()); }
  /// Health is not asked: that would be at the next multiple of ten years since the machine's
  /// start.
  ConnectionOptions Unhurried() const {
    ConnectionOptions options = To(server_);
    options.limits.heartbeat = std::chrono::days(3'650);
    options.limits.stall_timeout = std::chrono::days(3'650);
    return options;
  }

  RedisServer server_;
  RedisServer other_;
};

TEST_F(DemotionTest, AReplicaIsNotUsed) {
  Demote();
  EXPECT_THAT(WhyRefused(To(server_)),
              AllOf(HasSubstr(server_.address()), HasSubstr("not the primary: its role is slave")));
}

TEST_F(DemotionTest, AWriteThatAReplicaRefusesEndsTheConnectionUntilThereIsAPrimary) {
  const std::unique_ptr<Connection> connection = Connected(Unhurried());
  Demote();
  EXPECT_THAT(Ask(*connection, {"SET", "k", "v"}).text, HasSubstr("READONLY"));
  EXPECT_FALSE(connection->ready());
  EXPECT_THAT(WhyNotReady(*connection), HasSubstr("not the primary"));

  Promote();

  ExpectReady(*connection);
  EXPECT_EQ(Ask(*connection, {"SET", "k", "v"}).text, "OK");
}

TEST_F(DemotionTest, AScriptThatAReplicaRefusesEndsTheConnectionToo) {
  const std::unique_ptr<Connection> connection = Connected(Unhurried());
  Demote();
  const Reply reply = Ask(*connection, {"EVAL", "return redis.call('SET', 'k', 'v')", "0"});
  EXPECT_EQ(reply.type, Reply::Type::kError);
  EXPECT_FALSE(connection->ready());
}

TEST_F(DemotionTest, OtherErrorsLeaveTheConnectionOpen) {
  const std::unique_ptr<Connection> connection = Connected(Unhurried());
  EXPECT_EQ(Ask(*connection, {"EVAL", "return redis.error_reply('READ ONLY')", "0"}).type,
            Reply::Type::kError);
  EXPECT_EQ(Ask(*connection, {"INCR"}).type, Reply::Type::kError);
  EXPECT_TRUE(connection->ready());
  EXPECT_EQ(connection->generation(), 1U);
}

TEST_F(DemotionTest, AnIdleConnectionNoticesThatItsPrimaryWasDemoted) {
  ConnectionOptions options = To(server_);
  options.limits.heartbeat = std::chrono::milliseconds(10);
  const std::unique_ptr<Connection> connection = Connected(options);
  Demote();
  EXPECT_TRUE(Comes([&] { return !connection->ready(); }));
  EXPECT_THAT(WhyNotReady(*connection), HasSubstr("not the primary"));
}

}  // namespace
}  // namespace tollbridge::redis
