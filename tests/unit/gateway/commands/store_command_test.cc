#include "gateway/commands/store_command.h"

#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gateway/commands/command_trail.h"
#include "tests/support/mock_kafka.h"
#include "tests/support/redis_server.h"
#include "tests/support/topic.h"
#include "tollbridge/operations/v1/operations.pb.h"

namespace tollbridge::gateway {
namespace {

using test::RedisServer;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

Config Through(const RedisServer& sentinel, const std::string& name) {
  Config config;
  config.redis.sentinels = {sentinel.address()};
  config.redis.connection.sentinel.master = name;
  return config;
}

class StoreCommandTest : public testing::Test {
 protected:
  StoreCommandTest() { kafka_.CreateTopic("tollbridge.operations.v1", 1); }

  Config WithKafka(Config config) const {
    config.kafka.brokers = {kafka_.bootstrap_servers()};
    return config;
  }
  Config OfProject(const std::string& name) const {
    Config config;
    config.redis.address = redis_.address();
    AddProject(name, &config);
    return WithKafka(config);
  }
  static void AddProject(const std::string& name, Config* config) {
    constexpr std::string_view kIds = "3b241101-e2bb-4255-8caf-4136c566a96";
    config->projects.push_back(
        {.name = name, .id = absl::StrCat(std::string(kIds), name.size() % 10)});
  }
  /// Puts a record of an operation on Kafka.
  void Tell(const std::string& project) const {
    operations::v1::OperationRecord record;
    record.set_operation_id("id");
    record.set_rpc("tollbridge.payments.v1.Payments/CreateOrder");
    record.set_project(project);
    Write(record.SerializeAsString());
  }
  void Write(const std::string& value) const {
    test::ProduceTo(kafka_.bootstrap_servers(), "tollbridge.operations.v1", "id", value);
  }

  /// What the topic tells of the command line so far.
  std::vector<operations::v1::PrivilegedAction> Told() const {
    test::Topic topic(kafka_.bootstrap_servers(), "tollbridge.operations.v1");
    std::vector<operations::v1::PrivilegedAction> told;
    for (const test::TopicRecord& record : topic.ReadAll()) {
      operations::v1::OperationRecord parsed;
      EXPECT_TRUE(parsed.ParseFromString(record.value));
      if (!parsed.has_privileged()) continue;
      EXPECT_EQ(record.key, parsed.privileged().id());
      told.push_back(parsed.privileged());
    }
    return told;
  }

  test::MockKafka kafka_;
  RedisServer redis_{{"--appendonly", "yes"}};
  RedisServer sentinel_ = RedisServer::Sentinel(test::Watch("payments", redis_));
};

TEST_F(StoreCommandTest, TheStoreIsInitializedOnceWhereTheSentinelsSay) {
  EXPECT_EQ(*InitStore(WithKafka(Through(sentinel_, "payments")), {}), true);
  Config fixed;
  fixed.redis.address = redis_.address();
  EXPECT_EQ(*InitStore(fixed, {}), false);
}

TEST_F(StoreCommandTest, AStoreThatHasForgottenOperationsIsLeftAlone) {
  Tell("shop");
  const absl::Status status = InitStore(OfProject("shop"), {}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("tollbridge.operations.v1 has records of the project shop, as 0:0"));
  // Nothing was written: to another project it is new.
  EXPECT_EQ(*InitStore(OfProject("another-shop"), {}), true);
}

TEST_F(StoreCommandTest, OperationsOfOtherProjectsAreNoHindrance) {
  Tell("another-shop");
  EXPECT_EQ(*InitStore(OfProject("shop"), {}), true);
}

TEST_F(StoreCommandTest, AProjectThatIsNewIsPutOnTheListAndAnotherIsNotAskedAbout) {
  EXPECT_EQ(*InitStore(OfProject("shop"), {}), true);
  Tell("shop");
  Config config = OfProject("shop");
  AddProject("stall", &config);
  EXPECT_EQ(*InitStore(config, {}, "shop"), false) << "is on the list";
  EXPECT_EQ(InitStore(config, {}, "market").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(*InitStore(config, {}, "stall"), true);
  EXPECT_EQ(*InitStore(config, {}), false);
}

TEST_F(StoreCommandTest, AProjectWithAPastIsNotPutOntoTheListOfAnotherStore) {
  const RedisServer other({"--appendonly", "yes"});
  const auto kept_in = [&](const std::string& store) {
    Config config = OfProject("shop");
    config.redis = {};
    for (const auto& [name, address] :
         {std::pair{"first", redis_.address()}, std::pair{"second", other.address()}}) {
      config.stores.push_back({.name = name, .redis = {.address = address}});
    }
    config.projects.front().store = store;
    return config;
  };
  EXPECT_EQ(*InitStore(kept_in("first"), {}), true);
  Tell("shop");
  EXPECT_EQ(*InitStore(kept_in("first"), {}), false);
  EXPECT_THAT(InitStore(kept_in("second"), {}).status().ToString(),
              HasSubstr("has records of the project shop"));
}

TEST_F(StoreCommandTest, WhatIsWrittenIsToldWithWhoDoesItAndNothingElseIs) {
  Config config = OfProject("shop");
  AddProject("stall", &config);
  EXPECT_EQ(*InitStore(config, {}, "stall"), true);
  ASSERT_THAT(Told(), SizeIs(1));
  const operations::v1::PrivilegedAction action = Told()[0];
  EXPECT_EQ(action.who(), UserAndHost());
  EXPECT_TRUE(action.has_time());
  EXPECT_EQ(action.command().name(), "init-store");
  EXPECT_THAT(action.command().projects(), ElementsAre("stall"));

  EXPECT_EQ(*InitStore(config, {}, "stall"), false);
  EXPECT_THAT(Told(), SizeIs(1)) << "the store was ready";
  Tell("shop");
  EXPECT_FALSE(InitStore(config, {}).ok());
  EXPECT_THAT(Told(), SizeIs(1)) << "nothing was going to be written";
}

TEST_F(StoreCommandTest, WhatCannotBeToldIsNotWritten) {
  kafka_.ForbidNextProduce();
  const absl::Status status = InitStore(OfProject("shop"), {}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("init-store cannot be told on tollbridge.operations.v1"),
                    HasSubstr("nothing was changed")));
  EXPECT_EQ(*InitStore(OfProject("shop"), {}), true) << "it had written nothing";
}

/// As `topics create` leaves one before there is any store.
TEST_F(StoreCommandTest, RecordsOfPrivilegedActionsAreNoHindrance) {
  operations::v1::OperationRecord record;
  record.mutable_privileged()->set_id("0b6f2d1e-6a3b-4c7d-8a55-0d6d2f4f9c11");
  record.mutable_privileged()->mutable_command()->set_name("topics create");
  Write(record.SerializeAsString());
  record.set_project("shop");
  record.mutable_privileged()->mutable_refused_call()->set_permission("operations.resolve");
  Write(record.SerializeAsString());
  EXPECT_EQ(*InitStore(OfProject("shop"), {}), true);

  record.mutable_privileged()->clear_action();
  Write(record.SerializeAsString());
  EXPECT_THAT(InitStore(OfProject("another-shop"), {}).status().ToString(),
              HasSubstr("a record that is none of an operation"));
}

TEST_F(StoreCommandTest, WithoutReadableRecordsOfOperationsNothingIsWritten) {
  // Noise, nothing, and what other messages are to this one: fields that it does not know.
  for (const std::string& value :
       {std::string("\xff\xff"), std::string(), std::string("\x82\x01\x02hi")}) {
    kafka_.CreateTopic("other." + std::to_string(value.size()), 1);
    Config config = OfProject("shop");
    config.kafka.operations_topic = "other." + std::to_string(value.size());
    test::ProduceTo(kafka_.bootstrap_servers(), config.kafka.operations_topic, "id", value);
    const absl::Status unreadable = InitStore(config, {}).status();
    EXPECT_THAT(std::string(unreadable.message()),
                HasSubstr("a record that is none of an operation, 0:0"));
  }
  Config elsewhere = OfProject("shop");
  elsewhere.kafka.operations_topic = "nothing.here";
  const absl::Status missing = InitStore(elsewhere, {}).status();
  EXPECT_EQ(missing.code(), absl::StatusCode::kNotFound) << missing;
}

}  // namespace
}  // namespace tollbridge::gateway
