#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "adapters/kafka/hint_feed.h"
#include "adapters/kafka/hint_log.h"
#include "adapters/kafka/producer.h"
#include "adapters/kafka/topics.h"
#include "base/telemetry/metric_definitions.h"
#include "base/telemetry/metrics.h"
#include "tests/support/async_test.h"
#include "tests/support/mock_kafka.h"
#include "tests/support/series.h"

namespace tollbridge::kafka {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::Await;
using test::RunUntil;

/// The demo runs on librdkafka's mock cluster: what it needs of the adapter must work there too.
class OnMockCluster : public testing::Test {
 protected:
  OnMockCluster() { broker_.CreateTopic("hints", 4); }
  ClientSettings Settings() {
    return {.bootstrap_servers = broker_.bootstrap_servers(), .librdkafka = {}};
  }
  HintFeedSettings FeedSettings(const std::string& instance_id = "") {
    return {.client = Settings(),
            .topic = "hints",
            .group = "group",
            .instance_id = instance_id,
            .session_timeout = seconds(15)};
  }
  struct Deaf final : ports::HintFeedObserver {
    void OnAssigned(const std::vector<ports::HintShare>& partitions) override {
      assigned += partitions.size();
    }
    void OnRevoked(const std::vector<std::int32_t>& partitions) override {
      revoked += partitions.size();
    }
    std::size_t assigned = 0;
    std::size_t revoked = 0;
  };

  /// As RunUntil, for what the broker knows: that wakes nobody here.
  template <typename Condition>
  bool RunUntilBroker(Condition condition) {
    const BootTime end = BootClock::now() + test::kAwaitLimit;
    while (!condition() && BootClock::now() < end) {
      context_.restart();
      context_.run_for(milliseconds(2));
    }
    return condition();
  }
  bool OffsetsAreAskedFor() {
    return RunUntilBroker([&] { return broker_.OffsetsAreAskedFor(); });
  }

  test::MockKafka broker_;
  boost::asio::io_context context_;
  Deaf observer_;
};

TEST_F(OnMockCluster, HintsAreWrittenAndReadAndTheFeedIsStopped) {
  const auto producer = Producer::Create({.client = Settings()}, context_.get_executor());
  ASSERT_TRUE(producer.ok());
  KafkaHintLog log(**producer, "hints");
  events::v1::Hint hint;
  hint.set_project("shop");
  hint.set_order_id("order");
  for (int i = 0; i < 5; ++i) {
    const ports::Context with{.deadline = BootClock::now() + seconds(10), .trace = {}};
    ASSERT_TRUE(Await(context_, log.Append(hint, with)).ok());
  }
  auto feed = KafkaHintFeed::Create(FeedSettings(), context_.get_executor());
  ASSERT_TRUE(feed.ok());
  ASSERT_TRUE((*feed)->Start(&observer_).ok());
  std::vector<ports::HintRecord> records;
  while (records.size() < 5) {
    const auto next = Await(context_, (*feed)->Next());
    ASSERT_TRUE(next.ok()) << next.status();
    records.insert(records.end(), next->begin(), next->end());
  }
  EXPECT_EQ(records.front().key, "shop:order");
  EXPECT_EQ(records.back().offset, 4);
  (*feed)->StoreOffset(records.back().partition, 5, "");
  const absl::Status stopped = Await(context_, (*feed)->Stop());
  EXPECT_TRUE(stopped.ok()) << stopped;
  EXPECT_EQ(observer_.revoked, 4U);
}

TEST_F(OnMockCluster, StopIsBoundedWhenTheBrokerIsAway) {
  auto feed = KafkaHintFeed::Create({.client = Settings(),
                                     .topic = "hints",
                                     .group = "group",
                                     .session_timeout = seconds(15),
                                     .stop_limit = milliseconds(500)},
                                    context_.get_executor());
  ASSERT_TRUE(feed.ok());
  ASSERT_TRUE((*feed)->Start(&observer_).ok());
  broker_.SetUp(false);
  ASSERT_TRUE(absl::IsUnavailable(Await(context_, (*feed)->Next()).status()));
  const BootTime start = BootClock::now();
  const absl::Status stopped = Await(context_, (*feed)->Stop());
  EXPECT_TRUE(stopped.ok() || absl::IsUnavailable(stopped)) << stopped;
  EXPECT_LT(BootClock::now() - start, milliseconds(1500));
  EXPECT_TRUE(absl::IsCancelled(Await(context_, (*feed)->Next()).status()));
}

// What was committed of them is asked for first.
TEST_F(OnMockCluster, PartitionsThatAreGivenWhileItStopsAreNeitherWaitedForNorTaken) {
  for (const std::string name : {"", "name"}) {
    Deaf observer;
    auto feed = KafkaHintFeed::Create({.client = Settings(),
                                       .topic = "hints",
                                       .group = "group" + name,
                                       .instance_id = name,
                                       .session_timeout = seconds(15),
                                       .stop_limit = milliseconds(2'500)},
                                      context_.get_executor());
    ASSERT_TRUE(feed.ok());
    broker_.DelayNextOffsets(1'500);
    ASSERT_TRUE((*feed)->Start(&observer).ok());
    ASSERT_TRUE(OffsetsAreAskedFor());
    const absl::Status stopped = Await(context_, (*feed)->Stop());
    EXPECT_TRUE(stopped.ok()) << stopped;
    EXPECT_EQ(observer.assigned, 0U) << "it has not waited";
    // The answer comes all the same.
    EXPECT_FALSE(RunUntil(context_, [&] { return (*feed)->member(); }, seconds(2)));
    EXPECT_EQ(observer.assigned, 0U);
    EXPECT_EQ(observer.revoked, 0U);
    broker_.ForgetRequests();
  }
}

TEST_F(OnMockCluster, AMemberThatIsFencedWhileItAsksTakesNoPartitions) {
  auto feed = KafkaHintFeed::Create(FeedSettings("name"), context_.get_executor());
  ASSERT_TRUE(feed.ok());
  broker_.DelayNextOffsets(2'500);
  ASSERT_TRUE((*feed)->Start(&observer_).ok());
  ASSERT_TRUE(OffsetsAreAskedFor());
  broker_.FenceNextHeartbeat();
  ASSERT_TRUE(absl::IsInternal(Await(context_, (*feed)->Next()).status()));
  // The answer comes, or the limit of the question.
  EXPECT_FALSE(RunUntil(context_, [&] { return (*feed)->member(); }, seconds(3)));
  EXPECT_EQ(observer_.assigned, 0U);
}

TEST_F(OnMockCluster, AMemberThatIsFencedTellsThatItsPartitionsAreLost) {
  auto feed = KafkaHintFeed::Create(FeedSettings("name"), context_.get_executor());
  ASSERT_TRUE(feed.ok());
  ASSERT_TRUE((*feed)->Start(&observer_).ok());
  ASSERT_TRUE(RunUntil(context_, [&] { return (*feed)->member(); }));
  broker_.FenceNextHeartbeat();
  ASSERT_TRUE(absl::IsInternal(Await(context_, (*feed)->Next()).status()));
  EXPECT_TRUE(RunUntil(context_, [&] { return observer_.revoked == 4; }));
  EXPECT_FALSE((*feed)->member());
}

TEST_F(OnMockCluster, AnOffsetThatTheBrokerDidNotTakeIsCommittedAgain) {
  auto feed = KafkaHintFeed::Create(FeedSettings(), context_.get_executor());
  ASSERT_TRUE(feed.ok());
  ASSERT_TRUE((*feed)->Start(&observer_).ok());
  ASSERT_TRUE(RunUntil(context_, [&] { return (*feed)->member(); }));
  broker_.RefuseNextCommit();
  (*feed)->StoreOffset(0, 1, "");
  EXPECT_TRUE(RunUntilBroker([&] { return broker_.CountCommits() == 2; }));
  // Once it is taken it is not sent any more.
  context_.run_for(milliseconds(1'500));
  EXPECT_EQ(broker_.CountCommits(), 2U);
}

class TellsItsShare : public OnMockCluster {
 protected:
  void Append(int count) {
    for (int i = 0; i < count; ++i) {
      const ports::Context with{.deadline = BootClock::now() + seconds(10), .trace = {}};
      events::v1::Hint hint;
      hint.set_order_id("order");
      ASSERT_TRUE(Await(context_, log_.Append(hint, with)).ok());
    }
  }
  /// Of all partitions, at a scrape; nullopt when none is shown.
  std::optional<double> Lag() {
    metrics_.RunCollectors();
    std::optional<double> sum;
    for (const char* partition : {"0", "1", "2", "3"}) {
      const auto lag = test::SeriesOf(metrics_, telemetry::kConsumerLag, {partition});
      if (lag) sum = sum.value_or(0) + *lag;
    }
    return sum;
  }
  std::optional<double> Assigned() {
    return test::SeriesOf(metrics_, telemetry::kAssignedPartitions);
  }

  telemetry::Metrics metrics_;
  std::unique_ptr<Producer> producer_ =
      *Producer::Create({.client = Settings()}, context_.get_executor());
  KafkaHintLog log_{*producer_, "hints"};
};

TEST_F(TellsItsShare, WhatTheReaderHasAndHowFarItIsBehind) {
  HintFeedSettings settings = FeedSettings();
  settings.metrics = &metrics_;
  auto feed = *KafkaHintFeed::Create(settings, context_.get_executor());
  EXPECT_EQ(Assigned(), 0);
  ASSERT_TRUE(feed->Start(&observer_).ok());
  ASSERT_TRUE(RunUntil(context_, [&] { return feed->member(); }));
  EXPECT_EQ(Assigned(), 4);
  EXPECT_EQ(test::SeriesOf(metrics_, telemetry::kRebalances), 1);
  EXPECT_TRUE(RunUntilBroker([&] { return Lag() == 0; })) << "an empty topic";

  Append(2);
  std::size_t taken = 0;
  std::int32_t partition = 0;
  while (taken < 2) {
    const auto next = Await(context_, feed->Next());
    ASSERT_TRUE(next.ok()) << next.status();
    taken += next->size();
    partition = next->back().partition;
  }
  EXPECT_TRUE(RunUntilBroker([&] { return Lag() == 0; })) << *Lag();

  // Nothing is fetched of it: the client alone would not learn that it goes on.
  feed->Pause(partition);
  Append(3);
  EXPECT_TRUE(RunUntilBroker([&] { return Lag() == 3; })) << *Lag();

  ASSERT_TRUE(Await(context_, feed->Stop()).ok());
  EXPECT_EQ(Lag(), std::nullopt) << "another reader's from now on";
  EXPECT_EQ(Assigned(), 0);
  feed.reset();
  EXPECT_EQ(Lag(), std::nullopt);
}

TEST_F(OnMockCluster, ACheckSaysThatNobodyTellsOfTheTopics) {
  auto admin = TopicAdmin::Create(Settings(), context_.get_executor());
  ASSERT_TRUE(admin.ok()) << admin.status();
  const BootTime deadline = BootClock::now() + test::kAwaitLimit;
  const auto checked =
      Await(context_, (*admin)->CheckTopics({{.name = "hints", .partitions = 4}}, deadline));
  EXPECT_TRUE(absl::IsUnimplemented(checked.status())) << checked.status();
  broker_.SetUp(false);
  const auto away = Await(context_, (*admin)->CheckTopics({{.name = "hints", .partitions = 4}},
                                                          BootClock::now() + seconds(1)));
  EXPECT_TRUE(absl::IsUnavailable(away.status())) << away.status();
}

TEST_F(OnMockCluster, PingAnswers) {
  const auto admin = TopicAdmin::Create(Settings(), context_.get_executor());
  ASSERT_TRUE(admin.ok());
  const absl::Status answered = Await(context_, (*admin)->Ping(BootClock::now() + seconds(10)));
  EXPECT_TRUE(answered.ok()) << answered;
}

}  // namespace
}  // namespace tollbridge::kafka
