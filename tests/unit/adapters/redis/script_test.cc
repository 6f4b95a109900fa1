#include "adapters/redis/script.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "adapters/redis/script_arguments.h"
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

TEST_F(ScriptTest, NamesAndValuesOfAllSizesArriveAsTheyAre) {
  const std::unique_ptr<Connection> connection = Connected();
  const Script script({"local arg = cmsgpack.unpack(ARGV[1])",
                       "local count = 0 for _ in pairs(arg) do count = count + 1 end",
                       "return {count, arg[ARGV[2]] or 'not given'}"});
  std::vector<std::pair<std::string, std::string>> given;
  for (const std::size_t size : {1U, 31U, 32U, 255U, 256U, 65'535U, 65'536U, 300'000U}) {
    std::string value(size, 'v');
    value.back() = '\0';
    given.emplace_back("of " + std::to_string(size), std::move(value));
  }
  given.emplace_back("empty", "");
  for (int i = 0; i < 40; ++i) given.emplace_back("one of many " + std::to_string(i), "\xff\n");
  ScriptArguments arguments;
  for (const auto& [name, value] : given) arguments.Add(name, value);
  const std::string packed = std::move(arguments).Pack();
  for (const auto& [name, value] : given) {
    const auto reply = Run(script.Run(*connection, {packed, name}, Soon()));
    ASSERT_TRUE(reply.ok()) << reply.status();
    EXPECT_EQ(reply->elements[0].integer, 48);
    EXPECT_EQ(reply->elements[1].text, value.empty() ? "not given" : value) << name;
  }
  const auto none = Run(script.Run(*connection, {ScriptArguments().Pack(), "of 1"}, Soon()));
  ASSERT_TRUE(none.ok()) << none.status();
  EXPECT_EQ(none->elements[0].integer, 0);
}

}  // namespace
}  // namespace tollbridge::redis
