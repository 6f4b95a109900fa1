#include "gateway/commands/command_trail.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <string>

#include "base/core/uuid.h"
#include "tests/support/mock_kafka.h"
#include "tests/support/topic.h"
#include "tollbridge/operations/v1/operations.pb.h"

namespace tollbridge::gateway {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::SizeIs;

constexpr const char* kTopic = "tollbridge.operations.v1";

class CommandTrailTest : public testing::Test {
 protected:
  CommandTrailTest() {
    kafka_.CreateTopic(kTopic, 2);
    config_.kafka.brokers = {kafka_.bootstrap_servers()};
  }

  test::MockKafka kafka_;
  Config config_;
};

TEST_F(CommandTrailTest, ARecordSaysWhatIsDoneAndWho) {
  const absl::Status told = TellOnTopic(
      config_, {},
      {.name = "dlq replay", .projects = {"shop", "travel"}, .what = "hints of 2\n letters"});
  ASSERT_TRUE(told.ok()) << told;
  test::Topic topic(kafka_.bootstrap_servers(), kTopic);
  ASSERT_THAT(topic.ReadAll(), SizeIs(1));
  operations::v1::OperationRecord record;
  ASSERT_TRUE(record.ParseFromString(topic.records()[0].value));
  EXPECT_EQ(record.operation_id(), "");
  EXPECT_EQ(record.project(), "");
  const operations::v1::PrivilegedAction& action = record.privileged();
  EXPECT_TRUE(Uuid::Parse(action.id()).has_value()) << action.id();
  EXPECT_EQ(topic.records()[0].key, action.id());
  EXPECT_GT(action.time().seconds(), 1'700'000'000);
  EXPECT_EQ(action.who(), UserAndHost());
  EXPECT_EQ(action.command().name(), "dlq replay");
  EXPECT_THAT(action.command().projects(), ElementsAre("shop", "travel"));
  EXPECT_EQ(action.command().what(), "hints of 2  letters") << "on one line";
}

TEST_F(CommandTrailTest, WhoIsTheUserAtTheHost) {
  std::array<char, 256> host{};
  ASSERT_EQ(gethostname(host.data(), host.size() - 1), 0);
  const std::string who = UserAndHost();
  EXPECT_THAT(who, EndsWith("@" + std::string(host.data())));
  EXPECT_NE(who.front(), '@');
}

TEST_F(CommandTrailTest, WhatABrokerDoesNotTakeIsAnError) {
  kafka_.ForbidNextProduce();
  EXPECT_THAT(TellOnTopic(config_, {}, {.name = "dlq replay", .projects = {}, .what = ""}),
              testing::ResultOf([](const absl::Status& status) { return status.ToString(); },
                                HasSubstr("dlq replay cannot be told on " + std::string(kTopic))));
  kafka_.ForbidNextProduce();
  const absl::Status first =
      TellFirst(config_, {}, {.name = "dlq replay", .projects = {}, .what = ""});
  EXPECT_TRUE(absl::IsUnavailable(first)) << first;
  EXPECT_THAT(first.ToString(), HasSubstr("nothing was changed"));
}

}  // namespace
}  // namespace tollbridge::gateway
