#include "gateway/commands/store_status.h"

#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "adapters/redis/keyspace.h"
#include "adapters/redis/script_runner.h"
#include "adapters/system/system_clock.h"
#include "adapters/system/system_rng.h"
#include "gateway/commands/check_online.h"
#include "gateway/commands/findings.h"
#include "gateway/commands/with_redis.h"
#include "gateway/config/adapter_settings.h"
#include "tests/support/process.h"
#include "tests/support/redis_server.h"

namespace tollbridge::gateway {
namespace {

using std::chrono::hours;
using test::RedisServer;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class StoreStatusTest : public testing::Test {
 protected:
  StoreStatusTest() {
    config_.redis.address = redis_.address();
    AddProject("shop", "3b241101-e2bb-4255-8caf-4136c566a961");
  }

  void AddProject(const std::string& name, const std::string& id) {
    config_.projects.push_back({.name = name, .id = id});
  }
  StoreStatus Status() const {
    const auto status = ReadStoreStatus(config_, StoresOf(config_).front(), {});
    EXPECT_TRUE(status.ok()) << status.status();
    return status.value_or(StoreStatus{});
  }
  /// What a gateway does when it has connected.
  void GatewayComes() const {
    const Store store = StoresOf(config_).front();
    const auto learned =
        WithRedis<bool>(config_, store, {}, [&](redis::Connection& connection, BootTime deadline) {
          return Learn(connection, Keys(), store.settings->store, deadline);
        });
    EXPECT_TRUE(learned.ok()) << learned.status();
  }
  void InitStore() const {
    const Store store = StoresOf(config_).front();
    const auto wrote =
        WithRedis<bool>(config_, store, {}, [&](redis::Connection& connection, BootTime deadline) {
          return Init(connection, Keys(), store.settings->store, deadline);
        });
    EXPECT_TRUE(wrote.ok() && *wrote) << wrote.status();
  }
  /// The answer to a command, which often does not matter.
  redis::Reply Send(redis::Command command) const {
    const auto sent =
        WithRedis<redis::Reply>(config_, StoresOf(config_).front(), {},
                                [&](redis::Connection& connection, BootTime deadline) {
                                  return connection.Execute(command, deadline);
                                });
    EXPECT_TRUE(sent.ok()) << sent.status();
    return sent.value_or(redis::Reply{});
  }

  RedisServer redis_{{"--appendonly", "yes"}};
  Config config_;

 private:
  redis::Keyspace Keys() const {
    const Store store = StoresOf(config_).front();
    return {store.settings->key_prefix, KeptIn(store, config_, MakeProjects(config_, {}, ""))};
  }
  static Async<bool> Learn(redis::Connection& connection, redis::Keyspace keys,
                           redis::OperationStoreOptions options, BootTime deadline) {
    system::SystemRng rng;
    system::SystemClock clock;
    redis::ScriptRunner scripts(connection, std::move(keys), options, clock, rng);
    TB_CO_RETURN_IF_ERROR(co_await scripts.LearnEpoch(deadline));
    co_return true;
  }
  static Async<bool> Init(redis::Connection& connection, redis::Keyspace keys,
                          redis::OperationStoreOptions options, BootTime deadline) {
    system::SystemRng rng;
    system::SystemClock clock;
    redis::ScriptRunner scripts(connection, std::move(keys), options, clock, rng);
    co_return co_await scripts.InitializeEpoch(rng.NewUuid(), deadline);
  }
};

TEST_F(StoreStatusTest, AStoreThatWasSetUpIsNotDoubted) {
  InitStore();
  const StoreStatus status = Status();
  EXPECT_FALSE(IsDoubtful(status)) << StoreText(status);
  EXPECT_THAT(StoreText(status),
              AllOf(HasSubstr("at " + redis_.address()), HasSubstr("epoch " + status.epoch),
                    HasSubstr("project shop: not doubted"), HasSubstr("memory: "),
                    HasSubstr("replicas: 0 connected"), Not(HasSubstr("DOUBT"))));
  EXPECT_THAT(boost::json::serialize(StoreJson(status)),
              AllOf(HasSubstr(R"("doubtful":false)"), HasSubstr(R"("project":"shop")"),
                    HasSubstr(R"("used_bytes":)")));
}

TEST_F(StoreStatusTest, AnEmptyRedisIsSaidToBeDoubtedByTheNextGateway) {
  const StoreStatus status = Status();
  EXPECT_TRUE(IsDoubtful(status));
  EXPECT_THAT(StoreText(status), AllOf(HasSubstr("epoch none"), HasSubstr("has lost its memory"),
                                       HasSubstr("The next gateway doubts it for 3d")));
}

TEST_F(StoreStatusTest, LostMemoryIsTheCauseUntilItsDoubtEnds) {
  GatewayComes();
  const StoreStatus status = Status();
  EXPECT_TRUE(IsDoubtful(status));
  EXPECT_EQ(status.doubt.until - status.doubt.since, hours(72));
  EXPECT_THAT(StoreText(status), AllOf(HasSubstr("project shop: DOUBTED since "),
                                       HasSubstr("cause: Redis lost its memory")));
  EXPECT_THAT(boost::json::serialize(StoreJson(status)),
              AllOf(HasSubstr(R"("doubtful":true)"), HasSubstr(R"("until":")"),
                    HasSubstr("lost its memory")));
}

TEST_F(StoreStatusTest, AProjectThatIsListedAMomentAfterTheLossHasNoCauseOfItsOwn) {
  GatewayComes();
  const auto later = Status().doubt.since.time_since_epoch().count() + 40;
  const std::int64_t doubt = 72L * 3'600'000;
  Send({"HSET", "tb:epoch",
        "tb:{3b241101-e2bb-4255-8caf-4136c566a961}:", absl::StrCat(later, " ", later + doubt)});
  EXPECT_THAT(StoreText(Status()), HasSubstr("cause: Redis lost its memory"));
}

TEST_F(StoreStatusTest, ARestartIsSeenBeforeAGatewayComesAndIsTheCauseThen) {
  InitStore();
  redis_.Stop();
  redis_.Restart();
  const StoreStatus before = Status();
  EXPECT_TRUE(IsDoubtful(before));
  EXPECT_THAT(StoreText(before), AllOf(HasSubstr("another process answers"), HasSubstr("for 1h")));
  GatewayComes();
  const StoreStatus after = Status();
  EXPECT_TRUE(after.same_server);
  EXPECT_THAT(StoreText(after), HasSubstr("cause: Redis was restarted\n"));
  // An epoch of a version that did not keep it, or whose cause is another epoch's.
  Send({"HSET", "tb:epoch", "cause", "another-epoch memory_lost"});
  EXPECT_THAT(StoreText(Status()), HasSubstr("cause: Redis was restarted or failed over\n"));
}

TEST_F(StoreStatusTest, TheCauseIsKnownAlsoAfterTheSettingsWereChanged) {
  GatewayComes();
  config_.redis.store.memory_lost_doubt = hours(5);
  EXPECT_THAT(StoreText(Status()), HasSubstr("cause: Redis lost its memory"));
}

TEST_F(StoreStatusTest, ARestartInADoubtKeepsTheEndOfThatDoubt) {
  GatewayComes();
  const WallTime end = Status().doubt.until;
  redis_.Stop();
  redis_.Restart();
  GatewayComes();
  EXPECT_EQ(Status().doubt.until, end);
  EXPECT_THAT(
      StoreText(Status()),
      HasSubstr("cause: Redis was restarted, while it was doubted already; the earlier doubt "
                "lasts longer: Redis lost its memory"));
  redis_.Stop();
  redis_.Restart();
  GatewayComes();
  EXPECT_THAT(StoreText(Status()), HasSubstr("lasts longer: Redis lost its memory"))
      << "also after the next one";
}

TEST_F(StoreStatusTest, ANewProjectIsDoubtedAndTheOthersAreNot) {
  InitStore();
  AddProject("stall", "3b241101-e2bb-4255-8caf-4136c566a962");
  EXPECT_THAT(StoreText(Status()), AllOf(HasSubstr("project shop: not doubted"),
                                         HasSubstr("project stall: not on the store's list")));
  EXPECT_TRUE(IsDoubtful(Status()));
  const auto now = Status().now.time_since_epoch().count();
  Send({"HSET", "tb:epoch",
        "tb:{3b241101-e2bb-4255-8caf-4136c566a962}:", absl::StrCat(now, " ", now + 3'600'000)});
  EXPECT_THAT(StoreText(Status()),
              AllOf(HasSubstr("project shop: not doubted"), HasSubstr("project stall: DOUBTED"),
                    HasSubstr("cause: the project is new to this store")));
}

TEST_F(StoreStatusTest, KeysOfAnotherVersionAreNamed) {
  InitStore();
  Send({"HSET", "tb:epoch", "layout", "1"});
  EXPECT_THAT(ReadStoreStatus(config_, StoresOf(config_).front(), {}).status().ToString(),
              HasSubstr("keys of another version"));
}

TEST_F(StoreStatusTest, ARedisThatIsAwayIsAnError) {
  redis_.Stop();
  EXPECT_FALSE(ReadStoreStatus(config_, StoresOf(config_).front(), {}).ok());
}

/// `check-config --online` looks as a gateway does.
class StoreCheckTest : public StoreStatusTest {
 protected:
  Findings Check(const Config& config) const {
    Findings findings;
    CheckOnline(config, {.redis = true}, {}, &findings);
    return findings;
  }
  Config Through(const RedisServer& sentinel, const std::string& name) const {
    Config config = config_;
    config.redis.sentinels = {sentinel.address()};
    config.redis.connection.sentinel.master = name;
    return config;
  }
  int Connections() const {
    const std::string stats = Send({"INFO", "stats"}).text;
    const std::string name = "total_connections_received:";
    return std::stoi(stats.substr(stats.find(name) + name.size()));
  }
};

TEST_F(StoreCheckTest, OneConnectionServesAllThatIsAsked) {
  InitStore();
  const int before = Connections();
  const Findings found = Check(config_);
  EXPECT_THAT(found.errors, testing::IsEmpty());
  EXPECT_THAT(found.well, testing::Contains(HasSubstr("not doubted")));
  EXPECT_EQ(Connections(), before + 2) << "that of the check, and of the one who counts";
}

TEST_F(StoreCheckTest, TellsWhatTheSentinelsAnswered) {
  const RedisServer sentinel = RedisServer::Sentinel(test::Watch("payments", redis_));
  EXPECT_THAT(Check(Through(sentinel, "payments")).errors, testing::IsEmpty());
  EXPECT_THAT(Check(Through(sentinel, "paiments")).errors,
              testing::ElementsAre(
                  AllOf(HasSubstr("no Sentinel names the primary 'paiments'"),
                        HasSubstr(sentinel.address() + ": knows no primary called 'paiments'"))));
}

TEST_F(StoreCheckTest, ReplicasThatAreMissingAreRefusedInProductionAndToldInDevelopment) {
  const auto is_missing = HasSubstr("min_replicas is 1");
  config_.redis.store.min_replicas = 1;
  EXPECT_THAT(Check(config_).errors, testing::ElementsAre(is_missing));
  config_.process.environment = "development";
  EXPECT_THAT(Check(config_).errors, testing::IsEmpty());
  EXPECT_THAT(Check(config_).warnings, testing::Contains(is_missing));

  const RedisServer replica(test::ReplicaOf(redis_));
  EXPECT_TRUE(test::Eventually([&] {
    const std::vector<std::string> warnings = Check(config_).warnings;
    return std::ranges::none_of(warnings, [](const std::string& each) {
      return each.find("min_replicas") != std::string::npos;
    });
  }));
}

}  // namespace
}  // namespace tollbridge::gateway
