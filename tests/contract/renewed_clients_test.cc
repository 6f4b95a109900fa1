// Clients of Kafka that are replaced while they work: nobody who uses them notices.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "adapters/kafka/hint_feed.h"
#include "adapters/kafka/producer.h"
#include "tests/contract/kafka_topics.h"
#include "tests/support/async_test.h"
#include "tests/support/held_port.h"

namespace tollbridge::kafka {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::Await;
using test::RunUntil;
using testing::ElementsAre;
using testing::SizeIs;

constexpr int kPartitions = 4;

class RenewedClientsTest : public testing::Test {
 protected:
  RenewedClientsTest() { test::CreateTopic(context_, topic_, kPartitions); }

  std::unique_ptr<Producer> MakeProducer(milliseconds delivery_timeout = seconds(10)) {
    auto producer = Producer::Create(
        {.client = test::OwnBrokerSettings(), .delivery_timeout = delivery_timeout},
        context_.get_executor());
    if (!producer.ok()) throw std::runtime_error(producer.status().ToString());
    (*producer)->Prepare({topic_});
    return *std::move(producer);
  }
  absl::Status Produce(Producer& producer, const std::string& key, const std::string& value) {
    return Await(context_, producer.Produce({.topic = topic_, .key = key, .value = value},
                                            BootClock::now() + seconds(10)))
        .status();
  }

  boost::asio::io_context context_;
  const std::string topic_ = test::UniqueName("renewed");
};

TEST_F(RenewedClientsTest, AProducerFailsNoRecordWhileItIsRenewed) {
  constexpr int kWriters = 8;
  const auto producer = MakeProducer(seconds(1));
  bool enough = false;
  int running = kWriters;
  int written = 0;
  std::vector<absl::Status> failed;
  const auto write = [&](int writer) -> boost::asio::awaitable<void> {
    const std::string key = std::to_string(writer);
    int number = 0;
    while (!enough) {
      const std::string value = key + "/" + std::to_string(number++);
      const absl::StatusOr<RecordPlace> place = co_await producer->Produce(
          {.topic = topic_, .key = key, .value = value}, BootClock::now() + seconds(10));
      if (place.ok()) {
        ++written;
      } else {
        failed.push_back(place.status());
      }
    }
    --running;
  };
  for (int i = 0; i < kWriters; ++i) {
    boost::asio::co_spawn(context_, write(i), boost::asio::detached);
  }
  for (int renewals = 0; renewals < 3; ++renewals) {
    const int before = written;
    ASSERT_TRUE(Await(context_, producer->Renew(test::OwnBrokerSettings())).ok());
    ASSERT_TRUE(RunUntil(context_, [&] { return written >= before + 200; }));
  }
  EXPECT_GT(producer->clients(), 1U);
  ASSERT_TRUE(RunUntil(context_, [&] { return producer->clients() == 1; }));
  enough = true;
  ASSERT_TRUE(RunUntil(context_, [&] { return running == 0; }));
  EXPECT_THAT(failed, SizeIs(0)) << failed.front();

  std::map<std::string, int> seen;
  std::map<std::string, int> last;
  for (const TailedRecord& record : test::ReadTopic(topic_, static_cast<std::size_t>(written))) {
    ++seen[record.value];
    const int number = std::stoi(record.value.substr(record.value.find('/') + 1));
    // Each was acknowledged before the next one was produced.
    EXPECT_EQ(number, last.contains(record.key) ? last[record.key] + 1 : 0);
    last[record.key] = number;
  }
  EXPECT_THAT(seen, SizeIs(written));
}

TEST_F(RenewedClientsTest, AProducerKeepsAClientThatWorksUntilTheNewOneDoes) {
  const auto producer = MakeProducer();
  const test::HeldPort nobody;
  const absl::Status nobody_there = Await(
      context_, producer->Renew({.bootstrap_servers = "127.0.0.1:" + std::to_string(nobody.port()),
                                 .librdkafka = {}}));
  EXPECT_TRUE(absl::IsUnavailable(nobody_there)) << nobody_there;
  EXPECT_TRUE(Produce(*producer, "key", "after a broker that is not there").ok());

  ClientSettings unusable = test::OwnBrokerSettings();
  unusable.librdkafka = {{"security.protocol", "ssl"}, {"ssl.ca.location", "/nowhere/ca.pem"}};
  const absl::Status no_file = Await(context_, producer->Renew(unusable));
  EXPECT_TRUE(absl::IsInvalidArgument(no_file)) << no_file;
  EXPECT_TRUE(Produce(*producer, "key", "after a file that is not there").ok());
}

/// Reads a feed as the reader does, and stores what it has read.
class FeedReading final : public ports::HintFeedObserver {
 public:
  FeedReading(boost::asio::io_context& context, const std::string& topic,
              const std::string& instance_id = "")
      : context_(context),
        feed_(test::StartFeed(context_,
                              {.topic = topic,
                               .group = "group-of-" + topic,
                               .instance_id = instance_id,
                               .session_timeout = seconds(3)},
                              *this)) {
    boost::asio::co_spawn(context_, Read(), boost::asio::detached);
  }
  ~FeedReading() override {
    static_cast<void>(Await(context_, feed_->Stop()));
    static_cast<void>(RunUntil(context_, [&] { return ended_; }));
  }
  FeedReading(const FeedReading&) = delete;
  FeedReading& operator=(const FeedReading&) = delete;

  void OnAssigned(const std::vector<ports::HintShare>&) override {}
  void OnRevoked(const std::vector<std::int32_t>& partitions) override {
    revoked_.emplace_back(partitions.begin(), partitions.end());
  }

  KafkaHintFeed& feed() { return *feed_; }
  bool ended() const { return ended_; }
  const std::vector<std::string>& values() const { return values_; }
  const std::vector<std::set<std::int32_t>>& revoked() const { return revoked_; }

 private:
  boost::asio::awaitable<void> Read() {
    while (true) {
      const absl::StatusOr<std::vector<ports::HintRecord>> next = co_await feed_->Next();
      if (absl::IsCancelled(next.status())) break;
      if (!next.ok()) continue;
      for (const ports::HintRecord& record : *next) {
        values_.push_back(record.value);
        feed_->StoreOffset(record.partition, record.offset + 1, "");
      }
    }
    ended_ = true;
  }

  boost::asio::io_context& context_;
  std::unique_ptr<KafkaHintFeed> feed_;
  std::vector<std::string> values_;
  std::vector<std::set<std::int32_t>> revoked_;
  bool ended_ = false;
};

TEST_F(RenewedClientsTest, AFeedGoesOnBehindWhatItHasStored) {
  const auto producer = MakeProducer();
  FeedReading reading(context_, topic_);
  ASSERT_TRUE(Produce(*producer, "key", "before").ok());
  ASSERT_TRUE(RunUntil(context_, [&] { return reading.values().size() == 1; }));
  ASSERT_TRUE(Await(context_, reading.feed().Renew(test::OwnBrokerSettings())).ok());
  EXPECT_THAT(reading.revoked(), ElementsAre(SizeIs(kPartitions)));
  ASSERT_TRUE(Produce(*producer, "key", "after").ok());
  ASSERT_TRUE(RunUntil(context_, [&] { return reading.values().size() >= 2; }));
  EXPECT_THAT(reading.values(), ElementsAre("before", "after"));
  EXPECT_FALSE(reading.ended());
  EXPECT_TRUE(reading.feed().member());
}

TEST_F(RenewedClientsTest, AFeedWithANameOfItsOwnLeavesTheOthersAlone) {
  FeedReading stays(context_, topic_, "stays");
  ASSERT_TRUE(RunUntil(context_, [&] { return stays.feed().member(); }));
  FeedReading renewed(context_, topic_, "renewed");
  ASSERT_TRUE(RunUntil(context_, [&] {
    return stays.revoked().size() == 1 && stays.feed().member() && renewed.feed().member();
  }));
  ASSERT_TRUE(Await(context_, renewed.feed().Renew(test::OwnBrokerSettings())).ok());
  ASSERT_TRUE(RunUntil(context_, [&] { return renewed.feed().member(); }));
  EXPECT_TRUE(stays.feed().member());
  EXPECT_THAT(stays.revoked(), SizeIs(1));
}

TEST_F(RenewedClientsTest, AFeedKeepsItsPlaceUntilABrokerTakesTheNewClient) {
  const auto producer = MakeProducer();
  FeedReading reading(context_, topic_);
  ASSERT_TRUE(Produce(*producer, "key", "before").ok());
  ASSERT_TRUE(RunUntil(context_, [&] { return reading.values().size() == 1; }));
  const test::HeldPort nobody;
  const absl::Status refused =
      Await(context_,
            reading.feed().Renew({.bootstrap_servers = "127.0.0.1:" + std::to_string(nobody.port()),
                                  .librdkafka = {}}));
  EXPECT_TRUE(absl::IsUnavailable(refused)) << refused;
  EXPECT_THAT(reading.revoked(), SizeIs(0));
  ASSERT_TRUE(Produce(*producer, "key", "after").ok());
  ASSERT_TRUE(RunUntil(context_, [&] { return reading.values().size() >= 2; }));
  EXPECT_THAT(reading.values(), ElementsAre("before", "after"));
}

TEST_F(RenewedClientsTest, AFeedWhoseNameANewerOneHasIsNotRevived) {
  FeedReading older(context_, topic_, "same");
  ASSERT_TRUE(RunUntil(context_, [&] { return older.feed().member(); }));
  FeedReading newer(context_, topic_, "same");
  ASSERT_TRUE(RunUntil(context_, [&] { return newer.feed().member() && !older.feed().member(); }));
  const absl::Status refused = Await(context_, older.feed().Renew(test::OwnBrokerSettings()));
  EXPECT_TRUE(absl::IsFailedPrecondition(refused)) << refused;
  EXPECT_TRUE(newer.feed().member());
}

TEST_F(RenewedClientsTest, AFeedThatIsStoppedWhileItIsRenewedIsStopped) {
  FeedReading reading(context_, topic_);
  ASSERT_TRUE(RunUntil(context_, [&] { return reading.feed().member(); }));
  std::optional<absl::Status> renewed;
  boost::asio::co_spawn(
      context_,
      [](KafkaHintFeed& feed, std::optional<absl::Status>& ended) -> boost::asio::awaitable<void> {
        ended = co_await feed.Renew(test::OwnBrokerSettings());
      }(reading.feed(), renewed),
      boost::asio::detached);
  // Also when it has not begun to leave.
  ASSERT_TRUE(Await(context_, reading.feed().Stop()).ok());
  EXPECT_TRUE(RunUntil(context_, [&] { return renewed.has_value() && reading.ended(); }));
  EXPECT_TRUE(absl::IsCancelled(*renewed)) << *renewed;
  EXPECT_FALSE(reading.feed().member());
}

}  // namespace
}  // namespace tollbridge::kafka
