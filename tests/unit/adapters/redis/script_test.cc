#include "adapters/redis/script.h"

#include <gtest/gtest.h>

#include "tests/unit/adapters/redis/redis_fixture.h"

namespace tollbridge::redis {
namespace {

using ScriptTest = RedisTest;

TEST_F(ScriptTest, RunsInOneRoundTripOnceTheServerKnowsIt) {
  const std::unique_ptr<Connection> connection = Connected();
  const Script script({"local x = ARGV[1]", "return x .. ARGV[2]"});
  EXPECT_EQ(Run(script.Run(*connection, {"a", "b"}, Soon()))->text, "ab");
  const std::uint64_t before = connection->commands_sent();
  EXPECT_EQ(Run(script.Run(*connection, {"c", "d"}, Soon()))->text, "cd");
  EXPECT_EQ(connection->commands_sent(), before + 1);
}

TEST_F(ScriptTest, IsLoadedAgainWhenTheServerForgotIt) {
  const std::unique_ptr<Connection> connection = Connected();
  const Script script({"return 7"});
  ASSERT_EQ(Run(script.Run(*connection, {}, Soon()))->integer, 7);
  Ask(*connection, {"SCRIPT", "FLUSH"});
  EXPECT_EQ(Run(script.Run(*connection, {}, Soon()))->integer, 7);
}

TEST_F(ScriptTest, AnErrorInsideIsAnErrorOfTheCall) {
  const std::unique_ptr<Connection> connection = Connected();
  const Script script({"return redis.call('HGET', ARGV[1])"});
  EXPECT_EQ(Run(script.Run(*connection, {"k"}, Soon())).status().code(),
            absl::StatusCode::kInternal);
}

TEST_F(ScriptTest, AServerOutOfMemoryIsUnavailable) {
  const std::unique_ptr<Connection> connection = Connected();
  Ask(*connection, {"CONFIG", "SET", "maxmemory", "1"});
  const Script script({"return redis.call('SET', 'k', 'v')"});
  EXPECT_EQ(Run(script.Run(*connection, {}, Soon())).status().code(),
            absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace tollbridge::redis
