#include "gateway/wiring/topic_gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/telemetry/log.h"
#include "gateway/config/topic_specs.h"

namespace tollbridge::gateway {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

using Differences = std::vector<kafka::TopicDifference>;

Config ConfigIn(const std::string& environment, std::vector<std::string> roles = {"events"}) {
  Config config;
  config.process.environment = environment;
  config.process.roles = std::move(roles);
  config.projects.push_back({.name = "shop"});
  return config;
}

kafka::TopicDifference Of(const std::string& property) { return {"t", property, "good", "bad"}; }

class TopicGateTest : public testing::Test {
 protected:
  telemetry::LogCapture capture_;
};

TEST_F(TopicGateTest, InProductionItIsShutUntilTheTopicsAreKnownToLast) {
  TopicGate gate(ConfigIn("production"));
  EXPECT_FALSE(*gate.open());
  EXPECT_TRUE(gate.Judge(absl::UnavailableError("no broker")).ok());
  EXPECT_FALSE(*gate.open());
  EXPECT_FALSE(gate.settled());
  EXPECT_TRUE(gate.Judge(Differences{}).ok());
  EXPECT_TRUE(*gate.open());
  EXPECT_TRUE(gate.settled());
}

TEST_F(TopicGateTest, InProductionWhatWouldLoseIsRefusedByName) {
  for (const char* property : {"replication", "min.insync.replicas", "cleanup.policy",
                               "max.message.bytes", "unclean.leader.election.enable"}) {
    TopicGate gate(ConfigIn("production"));
    const absl::Status judged = gate.Judge(Differences{Of("partitions"), Of(property)});
    EXPECT_TRUE(absl::IsFailedPrecondition(judged)) << property;
    EXPECT_THAT(std::string(judged.message()),
                AllOf(HasSubstr(std::string("t: ") + property + " should be good and is bad"),
                      Not(HasSubstr("partitions"))));
    EXPECT_FALSE(*gate.open());
    EXPECT_TRUE(gate.Judge(Differences{}).ok()) << "the topic was mended";
    EXPECT_TRUE(*gate.open());
  }
}

TEST_F(TopicGateTest, WhatLosesNothingIsAWarning) {
  TopicGate gate(ConfigIn("production"));
  EXPECT_TRUE(gate.Judge(Differences{Of("retention.ms"), Of("partitions")}).ok());
  EXPECT_TRUE(*gate.open());
  EXPECT_THAT(capture_.lines(),
              ElementsAre(AllOf(HasSubstr("kafka_topic_setting"), HasSubstr("retention.ms"),
                                HasSubstr("partitions"))));
}

TEST_F(TopicGateTest, ATopicThatIsNotThereYetIsLookedForAgain) {
  TopicGate gate(ConfigIn("production"));
  EXPECT_TRUE(gate.Judge(Differences{Of("exists")}).ok());
  EXPECT_FALSE(*gate.open());
  EXPECT_FALSE(gate.settled());
}

TEST_F(TopicGateTest, TopicsThatMayNotBeLookedAtAreRefusedInProduction) {
  TopicGate gate(ConfigIn("production"));
  EXPECT_TRUE(absl::IsFailedPrecondition(gate.Judge(absl::PermissionDeniedError("not for you"))));
  TopicGate lenient(ConfigIn("development"));
  EXPECT_TRUE(lenient.Judge(absl::PermissionDeniedError("not for you")).ok());
  EXPECT_TRUE(lenient.settled());
}

TEST_F(TopicGateTest, OutsideProductionItIsOpenAndADifferenceIsAWarningOnce) {
  TopicGate gate(ConfigIn("development"));
  EXPECT_TRUE(*gate.open());
  EXPECT_TRUE(gate.Judge(absl::UnavailableError("no broker")).ok());
  EXPECT_TRUE(gate.Judge(absl::UnavailableError("no broker")).ok());
  EXPECT_FALSE(gate.settled());
  EXPECT_TRUE(gate.Judge(Differences{Of("cleanup.policy")}).ok());
  EXPECT_TRUE(gate.settled());
  EXPECT_THAT(capture_.lines(), ElementsAre(HasSubstr("kafka_topics_not_checked"),
                                            HasSubstr("cleanup.policy should be good")));
}

TEST_F(TopicGateTest, LooksAtTheTopicsOfItsRolesOnly) {
  const auto names = [](std::vector<std::string> roles) {
    std::vector<std::string> found;
    for (const auto& spec : TopicSpecsOfRoles(ConfigIn("production", std::move(roles)))) {
      found.push_back(spec.name);
    }
    return found;
  };
  EXPECT_THAT(names({"rpc"}), IsEmpty());
  EXPECT_THAT(names({"webhooks"}), ElementsAre("tollbridge.hints.v1"));
  EXPECT_THAT(names({"events"}), ElementsAre("tollbridge.hints.v1", "tollbridge.events.v1",
                                             "tollbridge.hints.dlq.v1"));
  EXPECT_THAT(names({"reconcile"}), ElementsAre("tollbridge.hints.v1", "tollbridge.operations.v1"));
  Config several = ConfigIn("production");
  several.projects.push_back({.name = "mall", .events_topic = "mall.events"});
  several.kafka.test_events_topic = "tests.events";
  std::vector<std::string> found;
  for (const auto& spec : TopicSpecsOfRoles(several)) found.push_back(spec.name);
  EXPECT_THAT(found, ElementsAre("tollbridge.hints.v1", "mall.events", "tests.events",
                                 "tollbridge.events.v1", "tollbridge.hints.dlq.v1"));
  EXPECT_TRUE(*TopicGate(ConfigIn("production", {"rpc"})).open());
}

}  // namespace
}  // namespace tollbridge::gateway
