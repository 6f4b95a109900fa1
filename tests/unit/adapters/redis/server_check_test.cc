#include "adapters/redis/server_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/process.h"
#include "tests/unit/adapters/redis/redis_fixture.h"

namespace tollbridge::redis {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using ServerCheckTest = RedisTest;

TEST_F(ServerCheckTest, APersistentServerThatForgetsNothingPasses) {
  const std::unique_ptr<Connection> connection = Connected();
  Ask(*connection, {"CONFIG", "SET", "appendonly", "yes"});
  const auto warnings = Run(CheckServer(*connection, {.strict = true}, Soon()));
  ASSERT_TRUE(warnings.ok()) << warnings.status();
  EXPECT_THAT(*warnings, IsEmpty());
}

TEST_F(ServerCheckTest, SavingNowAndThenCountsAsPersistence) {
  const std::unique_ptr<Connection> connection = Connected();
  Ask(*connection, {"CONFIG", "SET", "save", "3600 1"});
  EXPECT_TRUE(Run(CheckServer(*connection, {.strict = true}, Soon())).ok());
}

TEST_F(ServerCheckTest, WhatEndangersOperationsIsAWarningOrWhenStrictARefusal) {
  const std::unique_ptr<Connection> connection = Connected();
  Ask(*connection, {"CONFIG", "SET", "maxmemory-policy", "allkeys-lru"});

  const auto warnings = Run(CheckServer(*connection, {.strict = false}, Soon()));
  ASSERT_TRUE(warnings.ok()) << warnings.status();
  EXPECT_THAT(*warnings, ElementsAre(HasSubstr("allkeys-lru"), HasSubstr("persistence is off")));

  const absl::Status refused = Run(CheckServer(*connection, {.strict = true}, Soon())).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("allkeys-lru"));
  EXPECT_THAT(std::string(refused.message()), HasSubstr("persistence is off"));
}

TEST_F(ServerCheckTest, SettingsThatMayNotBeReadAreWarnedOf) {
  const std::unique_ptr<Connection> connection = Connected();
  Ask(*connection, {"ACL", "SETUSER", "default", "-config"});
  const auto warnings = Run(CheckServer(*connection, {.strict = false}, Soon()));
  ASSERT_TRUE(warnings.ok()) << warnings.status();
  EXPECT_THAT(*warnings, ElementsAre(HasSubstr("maxmemory-policy"), HasSubstr("appendonly")));
}

TEST_F(ServerCheckTest, FewerReplicasThanClaimsWaitForIsAWarningOrWhenStrictARefusal) {
  const std::unique_ptr<Connection> connection = Connected();
  Ask(*connection, {"CONFIG", "SET", "appendonly", "yes"});
  const auto warnings = Run(CheckServer(*connection, {.min_replicas = 1}, Soon()));
  ASSERT_TRUE(warnings.ok()) << warnings.status();
  EXPECT_THAT(*warnings, ElementsAre(HasSubstr("0 connected replicas and min_replicas is 1")));
  EXPECT_EQ(
      Run(CheckServer(*connection, {.strict = true, .min_replicas = 1}, Soon())).status().code(),
      absl::StatusCode::kFailedPrecondition);

  const test::RedisServer replica(test::ReplicaOf(server_));
  ASSERT_TRUE(test::Eventually(
      [&] { return Ask(*connection, {"ROLE"}).elements.at(2).elements.size() == 1; }));
  EXPECT_TRUE(Run(CheckServer(*connection, {.strict = true, .min_replicas = 1}, Soon())).ok());
}

class ClusterTest : public RedisTest {
 protected:
  ClusterTest() : RedisTest({"--cluster-enabled", "yes"}) {}
};

TEST_F(ClusterTest, AClusterIsRefusedEvenWhenNotStrict) {
  const std::unique_ptr<Connection> connection = Connected();
  EXPECT_EQ(Run(CheckServer(*connection, {.strict = false}, Soon())).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace tollbridge::redis
