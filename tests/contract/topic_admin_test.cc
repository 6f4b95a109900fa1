#include <gtest/gtest.h>
#include <librdkafka/rdkafka.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "adapters/kafka/topics.h"
#include "tests/contract/kafka_topics.h"
#include "tests/support/async_test.h"

namespace tollbridge::kafka {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using test::Await;

class TopicAdminTest : public testing::Test {
 protected:
  void SetUp() override {
    auto admin = TopicAdmin::Create(test::OwnBrokerSettings(), context_.get_executor());
    ASSERT_TRUE(admin.ok()) << admin.status();
    admin_ = *std::move(admin);
  }
  absl::StatusOr<std::vector<std::string>> Create(std::vector<TopicSpec> specs) {
    return Await(context_, admin_->CreateTopics(std::move(specs), BootClock::now() + seconds(15)));
  }
  /// Checks until there are so many differences: a broker learns of a new topic a little later.
  std::vector<TopicDifference> Check(const TopicSpec& spec, std::size_t expected) {
    const BootTime end = BootClock::now() + seconds(15);
    while (true) {
      auto differences = Await(context_, admin_->CheckTopics({spec}, end));
      EXPECT_TRUE(differences.ok()) << differences.status();
      if (!differences.ok()) return {};
      if (differences->size() == expected || BootClock::now() > end) return *differences;
    }
  }
  static TopicSpec SmallSpec() {
    return {.name = test::UniqueName("admin"),
            .partitions = 3,
            .replication = 1,
            .min_insync_replicas = 1,
            .retention = hours(7 * 24)};
  }

  boost::asio::io_context context_;
  std::unique_ptr<TopicAdmin> admin_;
};

TEST_F(TopicAdminTest, CreatesWhatIsMissingAndLeavesTheRestAsItIs) {
  const TopicSpec first = SmallSpec();
  TopicSpec second = SmallSpec();
  second.retention = std::nullopt;
  auto created = Create({first});
  ASSERT_TRUE(created.ok()) << created.status();
  EXPECT_EQ(*created, std::vector<std::string>{first.name});

  TopicSpec larger = first;
  larger.partitions = 9;
  created = Create({larger, second});
  ASSERT_TRUE(created.ok()) << created.status();
  EXPECT_EQ(*created, std::vector<std::string>{second.name});

  EXPECT_TRUE(Check(first, 0).empty());
  EXPECT_TRUE(Check(second, 0).empty());
}

/// Writes a record to each partition, and asks nobody twice. What was refused, and why.
std::vector<std::string> RefusedAtOnce(const TopicSpec& spec) {
  std::vector<std::string> refused;
  rd_kafka_conf_t* const conf = rd_kafka_conf_new();
  rd_kafka_conf_set(conf, "bootstrap.servers", test::OwnBrokerSettings().bootstrap_servers.c_str(),
                    nullptr, 0);
  rd_kafka_conf_set(conf, "message.send.max.retries", "0", nullptr, 0);
  rd_kafka_conf_set_opaque(conf, &refused);
  rd_kafka_conf_set_dr_msg_cb(conf, [](rd_kafka_t*, const rd_kafka_message_t* message, void* out) {
    if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) return;
    static_cast<std::vector<std::string>*>(out)->push_back(std::to_string(message->partition) +
                                                           ": " + rd_kafka_err2str(message->err));
  });
  rd_kafka_t* const handle = rd_kafka_new(RD_KAFKA_PRODUCER, conf, nullptr, 0);
  for (int i = 0; i < spec.partitions; ++i) {
    rd_kafka_producev(handle, RD_KAFKA_V_TOPIC(spec.name.c_str()), RD_KAFKA_V_PARTITION(i),
                      RD_KAFKA_V_VALUE(const_cast<char*>("x"), 1), RD_KAFKA_V_END);
  }
  rd_kafka_flush(handle, 15'000);
  rd_kafka_destroy(handle);
  return refused;
}

TEST_F(TopicAdminTest, WhatItCreatedTakesRecordsAtOnce) {
  TopicSpec spec = SmallSpec();
  spec.partitions = 48;
  const auto created = Create({spec});
  ASSERT_TRUE(created.ok()) << created.status();
  EXPECT_EQ(RefusedAtOnce(spec), std::vector<std::string>{});
}

TEST_F(TopicAdminTest, TellsEveryDifference) {
  TopicSpec spec = SmallSpec();
  const auto created = Create({spec});
  ASSERT_TRUE(created.ok()) << created.status();
  ASSERT_TRUE(Check(spec, 0).empty());
  spec.partitions = 12;
  spec.replication = 3;
  spec.min_insync_replicas = 2;
  spec.retention = hours(8 * 24);
  const std::vector<TopicDifference> wanted = {
      {spec.name, "partitions", "12", "3"},
      {spec.name, "replication", "at least 3", "1"},
      {spec.name, "min.insync.replicas", "at least 2", "1"},
      {spec.name, "retention.ms", "at least 691200000", "604800000"}};
  EXPECT_EQ(Check(spec, 4), wanted);
}

TEST_F(TopicAdminTest, ATopicThatIsBetterThanAskedForIsNoDifference) {
  TopicSpec spec = SmallSpec();
  ASSERT_TRUE(Create({spec}).ok());
  spec.retention = hours(1);
  EXPECT_TRUE(Check(spec, 0).empty());
}

/// As an operator may have made it by hand.
void CreateByHand(const std::string& name,
                  const std::vector<std::pair<std::string, std::string>>& with) {
  rd_kafka_conf_t* const conf = rd_kafka_conf_new();
  rd_kafka_conf_set(conf, "bootstrap.servers", test::OwnBrokerSettings().bootstrap_servers.c_str(),
                    nullptr, 0);
  rd_kafka_t* const handle = rd_kafka_new(RD_KAFKA_PRODUCER, conf, nullptr, 0);
  rd_kafka_queue_t* const queue = rd_kafka_queue_new(handle);
  rd_kafka_NewTopic_t* topic = rd_kafka_NewTopic_new(name.c_str(), 3, 1, nullptr, 0);
  for (const auto& [property, value] : with) {
    rd_kafka_NewTopic_set_config(topic, property.c_str(), value.c_str());
  }
  rd_kafka_CreateTopics(handle, &topic, 1, nullptr, queue);
  rd_kafka_event_t* const answer = rd_kafka_queue_poll(queue, 15'000);
  EXPECT_EQ(rd_kafka_event_error(answer), RD_KAFKA_RESP_ERR_NO_ERROR);
  rd_kafka_event_destroy(answer);
  rd_kafka_NewTopic_destroy(topic);
  rd_kafka_queue_destroy(queue);
  rd_kafka_destroy(handle);
}

/// librdkafka may believe for a quarter of an hour what it once heard of a topic.
TEST_F(TopicAdminTest, SeesTheLeadersOfATopicThatItOnceSawMissing) {
  ASSERT_TRUE(Create({SmallSpec()}).ok());
  const TopicSpec late = SmallSpec();
  const absl::Status missing =
      Await(context_, admin_->AwaitLeaders({late}, BootClock::now() + seconds(1)));
  EXPECT_TRUE(absl::IsUnavailable(missing)) << missing;
  CreateByHand(late.name, {});
  const absl::Status led =
      Await(context_, admin_->AwaitLeaders({late}, BootClock::now() + seconds(15)));
  EXPECT_TRUE(led.ok()) << led;
}

TEST_F(TopicAdminTest, ATopicThatWouldLoseRecordsIsDifferentWhateverElseItIs) {
  TopicSpec spec = SmallSpec();
  CreateByHand(spec.name, {{"cleanup.policy", "compact"},
                           {"unclean.leader.election.enable", "true"},
                           {"max.message.bytes", "1000"},
                           {"retention.ms", "604800000"}});
  const std::vector<TopicDifference> wanted = {
      {spec.name, "unclean.leader.election.enable", "false", "true"},
      {spec.name, "cleanup.policy", "delete", "compact"},
      {spec.name, "max.message.bytes", "at least 1048576", "1000"}};
  EXPECT_EQ(Check(spec, 3), wanted);
}

TEST_F(TopicAdminTest, WhatIsKeptForEverIsKeptLongEnough) {
  TopicSpec spec = SmallSpec();
  CreateByHand(spec.name, {{"retention.ms", "-1"}});
  EXPECT_TRUE(Check(spec, 0).empty());
}

TEST_F(TopicAdminTest, ATopicThatIsNotThereIsOneDifference) {
  const TopicSpec spec = SmallSpec();
  const std::vector<TopicDifference> wanted = {{spec.name, "exists", "yes", "no"}};
  EXPECT_EQ(Check(spec, 1), wanted);
}

TEST_F(TopicAdminTest, WhatTheClusterCannotDoIsToldWithItsOwnWords) {
  TopicSpec spec = SmallSpec();
  spec.replication = 3;
  const auto created = Create({spec});
  EXPECT_EQ(created.status().code(), absl::StatusCode::kInternal) << created.status();
}

TEST_F(TopicAdminTest, PingTellsWhetherABrokerAnswersByTheDeadline) {
  EXPECT_TRUE(Await(context_, admin_->Ping(BootClock::now() + seconds(10))).ok());
  test::OwnBroker().Pause();
  const BootTime start = BootClock::now();
  const absl::Status silent = Await(context_, admin_->Ping(start + milliseconds(300)));
  test::OwnBroker().Resume();
  EXPECT_TRUE(absl::IsUnavailable(silent)) << silent;
  EXPECT_LT(BootClock::now() - start, milliseconds(800));
  EXPECT_TRUE(Await(context_, admin_->Ping(BootClock::now() + seconds(10))).ok());
}

}  // namespace
}  // namespace tollbridge::kafka
