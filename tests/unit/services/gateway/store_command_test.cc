#include "services/gateway/store_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/process.h"
#include "tests/support/redis_server.h"

namespace tollbridge::gateway {
namespace {

using test::RedisServer;
using testing::AllOf;
using testing::HasSubstr;

Config Through(const RedisServer& sentinel, const std::string& name) {
  Config config;
  config.redis.sentinels = {sentinel.address()};
  config.redis.sentinel_master = name;
  return config;
}

class StoreCommandTest : public testing::Test {
 protected:
  RedisServer redis_{{"--appendonly", "yes"}};
  RedisServer sentinel_ = RedisServer::Sentinel(test::Watch("payments", redis_));
};

TEST_F(StoreCommandTest, TheStoreIsInitializedOnceWhereTheSentinelsSay) {
  EXPECT_EQ(*InitStore(Through(sentinel_, "payments"), {}), true);
  Config fixed;
  fixed.redis.address = redis_.address();
  EXPECT_EQ(*InitStore(fixed, {}), false);
}

TEST_F(StoreCommandTest, TheCheckTellsWhatTheSentinelsAnswered) {
  EXPECT_TRUE(CheckStore(Through(sentinel_, "payments"), {}).ok());
  EXPECT_THAT(CheckStore(Through(sentinel_, "paiments"), {}).status().ToString(),
              AllOf(HasSubstr("no Sentinel names the primary 'paiments'"),
                    HasSubstr(sentinel_.address() + ": knows no primary called 'paiments'")));
}

TEST_F(StoreCommandTest, ReplicasThatAreMissingAreRefusedInProductionAndToldInDevelopment) {
  Config config = Through(sentinel_, "payments");
  config.redis.min_replicas = 1;
  EXPECT_THAT(CheckStore(config, {}).status().ToString(), HasSubstr("min_replicas is 1"));
  config.process.environment = "development";
  const auto warnings = CheckStore(config, {});
  ASSERT_TRUE(warnings.ok()) << warnings.status();
  EXPECT_THAT(*warnings, testing::ElementsAre(HasSubstr("min_replicas is 1")));

  const RedisServer replica(test::ReplicaOf(redis_));
  EXPECT_TRUE(test::Eventually([&] {
    const auto now = CheckStore(config, {});
    return now.ok() && now->empty();
  }));
}

}  // namespace
}  // namespace tollbridge::gateway
