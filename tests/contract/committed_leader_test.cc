// With the offset of hints goes the epoch of the leader that took what lies before it: a log that
// has lost it since, as after an unclean election, is told from one that has not.

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adapters/kafka/hint_feed.h"
#include "adapters/kafka/producer.h"
#include "tests/contract/kafka_topics.h"
#include "tests/support/async_test.h"

namespace tollbridge::test {
namespace {

using std::chrono::seconds;

/// Somebody who finishes nothing by itself.
class Idle final : public ports::HintFeedObserver {
 public:
  void OnAssigned(const std::vector<ports::HintShare>& /*partitions*/) override {}
  void OnRevoked(const std::vector<std::int32_t>& /*partitions*/) override {}
};

class CommittedLeaderTest : public testing::Test {
 protected:
  void SetUp() override { CreateTopic(context_, topic_, 1); }

  void Put() {
    const kafka::OutgoingRecord record{kafka::Purpose::kHints, topic_, "key", "value", {}};
    absl::Status put = absl::UnavailableError("not tried");
    // A broker that was just started may not take records yet.
    for (int i = 0; i < 20 && !put.ok(); ++i) {
      put = Await(context_, producer_->Produce(record, BootClock::now() + seconds(15))).status();
    }
    ASSERT_TRUE(put.ok()) << put;
  }
  std::vector<ports::HintRecord> Read(kafka::KafkaHintFeed& feed, std::size_t count) {
    std::vector<ports::HintRecord> read;
    const BootTime end = BootClock::now() + kAwaitLimit;
    while (read.size() < count && BootClock::now() < end) {
      auto more = Await(context_, feed.Next());
      if (more.ok()) read.insert(read.end(), more->begin(), more->end());
    }
    return read;
  }
  bool AwaitCommitted(const CommittedPlace& wanted) {
    const BootTime end = BootClock::now() + kAwaitLimit;
    while (CommittedOf(group_, topic_, 0) != wanted) {
      if (BootClock::now() >= end) return false;
      context_.restart();
      context_.run_for(std::chrono::milliseconds(20));
    }
    return true;
  }

  const std::string topic_ = UniqueName("hints");
  const std::string group_ = "group-of-" + topic_;
  boost::asio::io_context context_;
  std::unique_ptr<kafka::Producer> producer_ =
      kafka::Producer::Create({.client = OwnBrokerSettings()}, context_.get_executor()).value();
};

TEST_F(CommittedLeaderTest, AnOffsetGoesWithTheEpochOfTheRecordInFrontOfIt) {
  Put();
  Put();
  // The partition has another leader's epoch then.
  OwnBroker().Stop();
  OwnBroker().Start();
  Put();
  Idle idle;
  const auto feed = kafka::KafkaHintFeed::Create({.client = OwnBrokerSettings(),
                                                  .topic = topic_,
                                                  .group = group_,
                                                  .session_timeout = seconds(15)},
                                                 context_.get_executor())
                        .value();
  ASSERT_TRUE(feed->Start(&idle).ok());
  const std::vector<ports::HintRecord> records = Read(*feed, 3);
  ASSERT_EQ(records.size(), 3U);
  ASSERT_GE(records[0].leader_epoch, 0);
  ASSERT_GT(records[2].leader_epoch, records[1].leader_epoch);

  // What hangs is the first record itself.
  feed->StoreOffset(0, 0, "");
  EXPECT_TRUE(AwaitCommitted({.offset = 0, .leader_epoch = records[0].leader_epoch}));
  feed->StoreOffset(0, 2, "");
  EXPECT_TRUE(AwaitCommitted({.offset = 2, .leader_epoch = records[1].leader_epoch}));
  feed->StoreOffset(0, 3, "");
  EXPECT_TRUE(AwaitCommitted({.offset = 3, .leader_epoch = records[2].leader_epoch}));
  EXPECT_TRUE(Await(context_, feed->Stop()).ok());
}

}  // namespace
}  // namespace tollbridge::test
