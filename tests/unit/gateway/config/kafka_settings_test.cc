#include "gateway/config/kafka_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include <string>

#include "adapters/kafka/client.h"
#include "base/telemetry/log.h"

namespace tollbridge::gateway {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Config WithoutABroker() {
  Config config;
  config.kafka.brokers = {"127.0.0.1:1"};
  return config;
}

/// What librdkafka logs of its handles is written before the next test looks at the output.
class KafkaSettingsTest : public testing::Test {
 protected:
  ~KafkaSettingsTest() override {
    EXPECT_EQ(kafka::AwaitHandlesClosed(std::chrono::minutes(1)), 0U);
    telemetry::FlushLog();
  }
};

std::string ProblemOf(const Config& config, const Secrets& secrets = {}) {
  return std::string(KafkaSettings(config, secrets).status().message());
}

TEST_F(KafkaSettingsTest, FewerThanThreeReplicasAreForDevelopmentOnly) {
  Config config = WithoutABroker();
  EXPECT_EQ(ProblemOf(config), "");
  config.kafka.replication = 2;
  EXPECT_THAT(ProblemOf(config), HasSubstr("kafka.replication: must be at least 3 in production"));
  config.process.environment = "development";
  EXPECT_EQ(ProblemOf(config), "");
}

TEST_F(KafkaSettingsTest, WhatIsSecretBelongsIntoAFileAndIsNotRepeated) {
  Config config = WithoutABroker();
  config.kafka.properties = {"sasl.password=hush"};
  EXPECT_THAT(ProblemOf(config),
              AllOf(HasSubstr("kafka.secret_properties_file"), Not(HasSubstr("hush"))));
  Secrets secrets;
  secrets.kafka_properties = {"sasl.password=hush"};
  config.kafka.properties.clear();
  const auto settings = KafkaSettings(config, secrets);
  ASSERT_TRUE(settings.ok()) << settings.status();
  EXPECT_EQ(settings->librdkafka.at("sasl.password"), "hush");
}

TEST_F(KafkaSettingsTest, ASecretThatIsNoPropertyIsNotRepeated) {
  Secrets secrets;
  secrets.kafka_properties = {"security.protocol=plaintext", "U3VwZXJTZWNyZXQ="};
  EXPECT_EQ(ProblemOf(WithoutABroker(), secrets),
            "kafka.secret_properties_file[1]: librdkafka has no such property");
}

TEST_F(KafkaSettingsTest, APropertyIsNameAndValue) {
  Config config = WithoutABroker();
  config.kafka.properties = {"security.protocol=ssl", "=x"};
  EXPECT_THAT(ProblemOf(config), HasSubstr("kafka.properties[1]: must be name=value"));
}

}  // namespace
}  // namespace tollbridge::gateway
