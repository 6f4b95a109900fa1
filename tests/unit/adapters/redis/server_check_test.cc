#include "adapters/redis/server_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/redis/keyspace.h"
#include "adapters/redis/script_runner.h"
#include "adapters/redis/server_info.h"
#include "adapters/redis/snapshot_store.h"
#include "adapters/system/system_clock.h"
#include "adapters/system/system_rng.h"
#include "tests/support/process.h"
#include "tests/support/test_keyspace.h"
#include "tests/unit/adapters/redis/passing_executor.h"
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

/// Lets another server answer, but for CONFIG.
class BusyWithSettings final : public PassingExecutor {
 public:
  using PassingExecutor::PassingExecutor;

  Async<Reply> Execute(Command command, BootTime deadline) override {
    if (command.front() != "CONFIG") co_return co_await server().Execute(command, deadline);
    co_return Reply{.type = Reply::Type::kError, .text = "BUSY Redis is busy running a script"};
  }
};

TEST_F(ServerCheckTest, SettingsThatAServerDoesNotTellNowAreNoReasonToRefuseIt) {
  const std::unique_ptr<Connection> connection = Connected();
  BusyWithSettings busy(*connection);
  const absl::Status status = Run(CheckServer(busy, {.strict = true}, Soon())).status();
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("BUSY"));
}

TEST_F(ServerCheckTest, HowMuchMemoryIsUsedIsKnownWhereItMayBeAsked) {
  const std::unique_ptr<Connection> connection = Connected();
  const auto unbounded = Run(ReadMemoryUse(*connection, Soon()));
  ASSERT_TRUE(unbounded.ok()) << unbounded.status();
  EXPECT_GT(unbounded->used_bytes, 100'000);
  EXPECT_EQ(unbounded->max_bytes, 0);
  EXPECT_EQ(unbounded->policy, "noeviction");

  Ask(*connection, {"CONFIG", "SET", "maxmemory", "64mb"});
  const auto bounded = Run(ReadMemoryUse(*connection, Soon()));
  ASSERT_TRUE(bounded.ok()) << bounded.status();
  EXPECT_EQ(bounded->max_bytes, 64 * 1024 * 1024);

  Ask(*connection, {"ACL", "SETUSER", "default", "-info"});
  EXPECT_FALSE(Run(ReadMemoryUse(*connection, Soon())).ok());
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

/// A connection that looks at the layout of the store it comes to.
class StoreLayoutTest : public RedisTest {
 protected:
  std::unique_ptr<Connection> Open() {
    ConnectionOptions options = Options();
    options.epoch_key = EpochKey("tb:");
    auto connection =
        std::make_unique<Connection>(context_.get_executor(), std::move(options), metrics_);
    connection->Start();
    return connection;
  }
};

TEST_F(StoreLayoutTest, AnotherOneIsNotUsedByAnybody) {
  const std::unique_ptr<Connection> first = Connected();
  Ask(*first, {"HSET", "tb:epoch", "id", "11111111-2222-4333-8444-555555555555"});
  const std::unique_ptr<Connection> refused = Open();
  const absl::Status why =
      Run(refused->WaitReady(BootClock::now() + std::chrono::milliseconds(300)));
  EXPECT_THAT(std::string(why.message()), HasSubstr("another version of Tollbridge"));
  Ask(*first, {"HSET", "tb:epoch", "layout", std::string(kLayout)});
  EXPECT_TRUE(Run(Open()->WaitReady(Soon())).ok());
}

TEST_F(StoreLayoutTest, AStoreWithoutAnEpochIsUsed) {
  EXPECT_TRUE(Run(Open()->WaitReady(Soon())).ok());
}

/// What is checked again whenever a connection comes to a server.
TEST_F(ServerCheckTest, AServerWhoseSettingsEndangerOperationsIsNotClaimedOn) {
  const std::unique_ptr<Connection> connection = Connected();
  system::SystemClock clock;
  system::SystemRng rng;
  for (const bool strict : {false, true}) {
    ScriptRunner scripts(*connection, Keyspace("tb:", domain::Projects({})),
                         {.strict_server = strict}, clock, rng);
    const absl::Status learned = Run(scripts.LearnEpoch(Soon()));
    EXPECT_EQ(learned.ok(), !strict) << learned;
    EXPECT_EQ(scripts.knows_epoch(), !strict);
  }
}

/// A primary that has just been promoted: what does not wait for replicas goes on.
TEST_F(ServerCheckTest, OnlyClaimsWantReplicas) {
  const std::unique_ptr<Connection> connection = Connected();
  Ask(*connection, {"CONFIG", "SET", "appendonly", "yes"});
  system::SystemClock clock;
  system::SystemRng rng;
  ScriptRunner scripts(*connection, test::TestKeyspace(),
                       {.min_replicas = 1, .strict_server = true}, clock, rng);
  RedisSnapshotStore snapshots(scripts);
  const ports::FamilyKey key{.project = "shop", .root = Uuid::V4({1})};
  const ports::Context context{.deadline = Soon(), .trace = {}};
  const absl::StatusOr<ports::FamilyState> state = Run(snapshots.Load(key, context));
  ASSERT_TRUE(state.ok()) << state.status();
  EXPECT_FALSE(state->epoch.empty());
  EXPECT_TRUE(Run(snapshots.Pending("shop", context)).ok());
  const absl::Status refused = Run(scripts.LearnForClaims(Soon()));
  EXPECT_TRUE(absl::IsUnavailable(refused)) << refused;
  const test::RedisServer replica(test::ReplicaOf(server_));
  ASSERT_TRUE(test::Eventually([&] { return Run(scripts.LearnForClaims(Soon())).ok(); }));
}

}  // namespace
}  // namespace tollbridge::redis
