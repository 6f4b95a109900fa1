#include "gateway/config/topic_specs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tollbridge::gateway {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;

Config TwoProjects() {
  Config config;
  config.projects.push_back({.name = "shop"});
  config.projects.push_back({.name = "mall"});
  return config;
}

TEST(TopicSpecsTest, EachProjectGoesToTheTopicThatIsNamedForIt) {
  Config config = TwoProjects();
  config.kafka.test_events_topic = "tests";
  config.projects[1].events_topic = "mall.events";
  auto topics = EventTopics(config);
  EXPECT_EQ(topics["shop"].events.name, "tollbridge.events.v1");
  EXPECT_EQ(topics["shop"].test_orders.name, "tests");
  EXPECT_EQ(topics["mall"].events.name, "mall.events");
  EXPECT_EQ(topics["mall"].test_orders.name, "tests");
  config.projects[1].test_events_topic = "mall.tests";
  config.kafka.test_events_topic.clear();
  topics = EventTopics(config);
  EXPECT_EQ(topics["shop"].test_orders.name, "tollbridge.events.v1");
  EXPECT_EQ(topics["mall"].test_orders.name, "mall.tests");
  EXPECT_THAT(EventTopicNames(config),
              ElementsAre("mall.events", "mall.tests", "tollbridge.events.v1"));
}

TEST(TopicSpecsTest, AMarkTellsTopicsApartAndIsNothingForTheDefault) {
  Config config = TwoProjects();
  config.projects[0].events_topic = "a";
  config.projects[1].events_topic = "b";
  auto topics = EventTopics(config);
  EXPECT_EQ(topics["shop"].events.mark.size(), 4U);
  EXPECT_NE(topics["shop"].events.mark, topics["mall"].events.mark);
  // The first bytes of `printf a | sha256sum`.
  EXPECT_EQ(topics["shop"].events.mark, "\xca\x97\x81\x12");
  EXPECT_EQ(EventTopics(TwoProjects())["shop"].events.mark, "");
}

TEST(TopicSpecsTest, EachOfThemIsMadeAndCheckedAlike) {
  Config config = TwoProjects();
  config.projects[1].events_topic = "mall.events";
  std::vector<std::string> names;
  for (const kafka::TopicSpec& spec : TopicSpecs(config)) {
    names.push_back(spec.name);
    EXPECT_EQ(spec.partitions, config.kafka.partitions);
    EXPECT_EQ(spec.min_insync_replicas, 2);
    EXPECT_EQ(spec.retention.has_value(), spec.name == "tollbridge.hints.v1");
  }
  EXPECT_THAT(names, ElementsAre("tollbridge.hints.v1", "mall.events", "tollbridge.events.v1",
                                 "tollbridge.hints.dlq.v1", "tollbridge.operations.v1"));
}

TEST(TopicProblemsTest, TestOrdersAreNeverAmongRealOnes) {
  Config config = TwoProjects();
  EXPECT_THAT(TopicProblems(config), IsEmpty());
  config.kafka.test_events_topic = "tests";
  config.projects[0].events_topic = "shop.events";
  config.projects[1].events_topic = "shop.events";
  EXPECT_THAT(TopicProblems(config), IsEmpty());
  config.projects[1].test_events_topic = "shop.events";
  EXPECT_THAT(TopicProblems(config),
              ElementsAre("projects[1].test_events_topic: is a topic of orders that are no test "
                          "orders"));
}

TEST(TopicProblemsTest, EventsGoToNoTopicOfSomethingElseAndNamesAreKafkas) {
  Config config = TwoProjects();
  config.projects[0].events_topic = "tollbridge.hints.v1";
  config.projects[0].test_events_topic = "tollbridge.operations.v1";
  config.projects[1].events_topic = "mall/events";
  config.kafka.hints_topic = "tollbridge.hints.v1";
  EXPECT_THAT(TopicProblems(config),
              ElementsAre("projects[0].events_topic: is the topic of something else",
                          StartsWith("projects[1].events_topic: must be 1 to 249 letters"),
                          "projects[0].test_events_topic: is the topic of something else"));
  for (const std::string& name : {std::string(), std::string(".."), std::string(250, 'x')}) {
    Config named = TwoProjects();
    named.kafka.events_topic = name;
    EXPECT_THAT(TopicProblems(named), ElementsAre(StartsWith("kafka.events_topic: must be")));
  }
}

}  // namespace
}  // namespace tollbridge::gateway
