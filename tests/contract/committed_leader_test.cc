// With the offset of hints goes the epoch of the leader that took what lies before it: a log that
// has lost it since, as after an unclean election, is told from one that has not.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "adapters/kafka/hint_feed.h"
#include "adapters/kafka/producer.h"
#include "base/core/must_go_on.h"
#include "base/telemetry/log.h"
#include "tests/contract/kafka_topics.h"
#include "tests/support/async_test.h"
#include "tests/support/tcp_proxy.h"
#include "tests/support/temp_folder.h"

namespace tollbridge::test {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;
using testing::Each;
using testing::ElementsAre;

/// Somebody who finishes nothing by itself.
class Idle final : public ports::HintFeedObserver {
 public:
  void OnAssigned(const std::vector<ports::HintShare>& /*partitions*/) override {}
  void OnRevoked(const std::vector<std::int32_t>& /*partitions*/) override {}
};

class CommittedLeaderTest : public testing::Test {
 protected:
  void SetUp() override { CreateTopic(context_, topic_, 1); }

  void Put(const std::string& value = "value") {
    const kafka::OutgoingRecord record{kafka::Purpose::kHints, topic_, "key", value, {}};
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
  std::unique_ptr<kafka::KafkaHintFeed> StartFeed(
      const kafka::ClientSettings& client = OwnBrokerSettings()) {
    auto feed =
        kafka::KafkaHintFeed::Create(
            {.client = client, .topic = topic_, .group = group_, .session_timeout = seconds(15)},
            context_.get_executor())
            .value();
    EXPECT_TRUE(feed->Start(&idle_).ok());
    return feed;
  }
  /// The partition has another leader's epoch then.
  static void NextEpoch() {
    OwnBroker().Stop();
    OwnBroker().Start();
  }
  void RenewProducer() {
    producer_ =
        kafka::Producer::Create({.client = OwnBrokerSettings()}, context_.get_executor()).value();
  }
  /// Whether it came by the limit.
  template <typename Condition>
  bool RunUntil(const Condition& condition) {
    const BootTime end = BootClock::now() + kAwaitLimit;
    while (!condition()) {
      if (BootClock::now() >= end) return false;
      context_.restart();
      context_.run_for(std::chrono::milliseconds(20));
    }
    return true;
  }
  bool AwaitCommitted(const CommittedPlace& wanted) {
    return RunUntil([&] { return CommittedOf(group_, topic_, 0) == wanted; });
  }

  const std::string topic_ = UniqueName("hints");
  const std::string group_ = "group-of-" + topic_;
  boost::asio::io_context context_;
  Idle idle_;
  std::unique_ptr<kafka::Producer> producer_ =
      kafka::Producer::Create({.client = OwnBrokerSettings()}, context_.get_executor()).value();
};

TEST_F(CommittedLeaderTest, AnOffsetGoesWithTheEpochOfTheRecordInFrontOfIt) {
  Put();
  Put();
  NextEpoch();
  Put();
  const auto feed = StartFeed();
  const std::vector<ports::HintRecord> records = Read(*feed, 3);
  ASSERT_EQ(records.size(), 3U);
  ASSERT_GE(records[0].leader_epoch, 0);
  ASSERT_GT(records[2].leader_epoch, records[1].leader_epoch);

  // What hangs is the first record itself: nothing lies in front of it.
  feed->StoreOffset(0, 0, "");
  EXPECT_TRUE(AwaitCommitted({.offset = 0, .leader_epoch = -1}));
  feed->StoreOffset(0, 2, "");
  EXPECT_TRUE(AwaitCommitted({.offset = 2, .leader_epoch = records[1].leader_epoch}));
  feed->StoreOffset(0, 3, "");
  EXPECT_TRUE(AwaitCommitted({.offset = 3, .leader_epoch = records[2].leader_epoch}));
  EXPECT_TRUE(Await(context_, feed->Stop()).ok());
}

/// Where the broker has the partition on its disk.
fs::path FolderOf(const std::string& topic) {
  const fs::path open = "/proc/" + std::to_string(OwnBroker().pid()) + "/fd";
  for (const auto& each : fs::directory_iterator(open)) {
    std::error_code closed_meanwhile;
    const fs::path file = fs::read_symlink(each.path(), closed_meanwhile);
    if (file.parent_path().filename() == topic + "-0") return file.parent_path();
  }
  throw std::runtime_error("the broker has no file of " + topic);
}

std::vector<std::string> ValuesOf(const std::vector<ports::HintRecord>& records) {
  std::vector<std::string> values;
  for (const ports::HintRecord& record : records) values.push_back(record.value);
  return values;
}

TEST_F(CommittedLeaderTest, ReadsOnBehindTheOffset) {
  Put("first");
  NextEpoch();
  Put("second");
  auto feed = StartFeed();
  ASSERT_EQ(Read(*feed, 2).size(), 2U);
  feed->StoreOffset(0, 2, "");
  EXPECT_TRUE(Await(context_, feed->Stop()).ok());
  feed = StartFeed();
  NextEpoch();
  Put("third");
  EXPECT_THAT(ValuesOf(Read(*feed, 1)), ElementsAre("third"));
  EXPECT_TRUE(Await(context_, feed->Stop()).ok());
}

/// A log of six records, which a reader has finished, that has lost the last four since.
class LostEndTest : public CommittedLeaderTest {
 protected:
  void SetUp() override {
    CommittedLeaderTest::SetUp();
    Put("kept");
    Put("kept");
    const fs::path folder = FolderOf(topic_);
    const TempFolder backup;
    OwnBroker().ShutDown();
    fs::copy(folder, backup.PathOf("log"), fs::copy_options::recursive);
    OwnBroker().Start();
    for (int i = 0; i < 4; ++i) Put("lost");
    const auto feed = StartFeed();
    ASSERT_EQ(Read(*feed, 6).size(), 6U);
    feed->StoreOffset(0, 6, "");
    EXPECT_TRUE(Await(context_, feed->Stop()).ok());
    OwnBroker().ShutDown();
    fs::remove_all(folder);
    fs::copy(backup.PathOf("log"), folder, fs::copy_options::recursive);
    OwnBroker().Start();
    RenewProducer();
  }

  void ExpectAllRead(std::size_t others) {
    for (std::size_t i = 0; i < others; ++i) Put("other");
    const auto feed = StartFeed();
    std::vector<std::string> wanted(2, "kept");
    wanted.resize(2 + others, "other");
    EXPECT_EQ(ValuesOf(Read(*feed, wanted.size())), wanted);
    EXPECT_TRUE(Await(context_, feed->Stop()).ok());
  }
};

TEST_F(LostEndTest, ThatGrewPastTheOffsetIsReadFromItsBeginning) { ExpectAllRead(6); }
TEST_F(LostEndTest, ThatGrewToTheOffsetIsReadFromItsBeginning) { ExpectAllRead(4); }
/// Nothing comes that would tell.
TEST_F(LostEndTest, ThatGrewToTheRecordInFrontIsReadFromItsBeginning) { ExpectAllRead(3); }
TEST_F(LostEndTest, ThatDidNotGrowIsReadFromItsBeginning) { ExpectAllRead(0); }

TEST_F(CommittedLeaderTest, AReaderGoesOnWithATopicThatIsMadeAnew) {
  Put();
  NextEpoch();
  NextEpoch();
  Put();
  Put();
  const auto feed = StartFeed();
  const std::vector<ports::HintRecord> before = Read(*feed, 3);
  ASSERT_EQ(before.size(), 3U);
  feed->StoreOffset(0, 3, "");
  EXPECT_TRUE(AwaitCommitted({.offset = 3, .leader_epoch = before[2].leader_epoch}));
  DeleteTopic(topic_);
  CreateTopic(context_, topic_, 1);
  RenewProducer();
  for (int i = 0; i < 6; ++i) Put("new");
  const std::vector<std::string> values = ValuesOf(Read(*feed, 6));
  EXPECT_EQ(values.size(), 6U);
  EXPECT_THAT(values, Each("new"));
  EXPECT_TRUE(Await(context_, feed->Stop()).ok());
}

/// Takes what comes until the feed is stopped.
boost::asio::awaitable<void> TakeAll(kafka::KafkaHintFeed& feed, std::vector<std::string>& values) {
  while (true) {
    const auto records = co_await feed.Next();
    if (absl::IsCancelled(records.status())) co_return;
    if (!records.ok()) continue;
    for (const ports::HintRecord& record : *records) values.push_back(record.value);
  }
}

TEST_F(CommittedLeaderTest, NewSettingsComeInBetweenTriesToComeBackByTheOldOnes) {
  const std::string brokers = OwnBrokerSettings().bootstrap_servers;
  TcpProxy way;
  way.SetUpstream(static_cast<std::uint16_t>(std::stoi(brokers.substr(brokers.rfind(':') + 1))));
  Put("old");
  const auto feed = StartFeed({.bootstrap_servers = way.address(), .librdkafka = {}});
  std::vector<std::string> values;
  boost::asio::co_spawn(context_, TakeAll(*feed, values), MustGoOn{});
  ASSERT_TRUE(RunUntil([&] { return values.size() == 1; }));
  {
    // As where the old password is refused from now on.
    way.SetUpstream(0);
    const telemetry::LogCapture log;
    DeleteTopic(topic_);
    ASSERT_TRUE(RunUntil([&] {
      return std::ranges::any_of(log.lines(), [](const std::string& line) {
        return line.find("hint_topic_gone_still") != std::string::npos;
      });
    }));
  }
  const absl::Status renewed = Await(context_, feed->Renew(OwnBrokerSettings()));
  EXPECT_TRUE(renewed.ok()) << renewed;
  CreateTopic(context_, topic_, 1);
  RenewProducer();
  Put("new");
  EXPECT_TRUE(RunUntil([&] { return values.size() == 2; }));
  EXPECT_THAT(values, ElementsAre("old", "new"));
  EXPECT_TRUE(Await(context_, feed->Stop()).ok());
}

}  // namespace
}  // namespace tollbridge::test
