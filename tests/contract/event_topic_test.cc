// The topic of events for who looks at all of it, on the real broker.

#include "adapters/kafka/event_topic.h"

#include <gtest/gtest.h>
#include <librdkafka/rdkafka.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "adapters/kafka/client.h"
#include "adapters/kafka/event_log.h"
#include "adapters/kafka/event_tail.h"
#include "adapters/kafka/handles.h"
#include "adapters/kafka/producer.h"
#include "base/core/uuid.h"
#include "tests/contract/kafka_topics.h"
#include "tests/support/async_test.h"
#include "tollbridge/storage/v1/storage.pb.h"

namespace tollbridge::kafka {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using test::Await;

constexpr int kPartitions = 3;

class EventTopicTest : public testing::Test {
 protected:
  void SetUp() override {
    test::CreateTopic(context_, topic_, kPartitions);
    auto producer =
        Producer::Create({.client = test::OwnBrokerSettings()}, context_.get_executor());
    ASSERT_TRUE(producer.ok()) << producer.status();
    producer_ = *std::move(producer);
  }
  void Publish(const std::string& key, const std::string& value) { Publish(topic_, key, value); }
  void Publish(const std::string& topic, const std::string& key, const std::string& value) {
    KafkaEventLog log(*producer_, topic, kPartitions);
    storage::v1::OutboxEntry entry;
    entry.set_key(key);
    entry.set_payload(value);
    storage::v1::Header& header = *entry.add_headers();
    header.set_name("content-type");
    header.set_value("application/protobuf");
    storage::v1::Header& type = *entry.add_headers();
    type.set_name("ce_type");
    type.set_value("some.type");
    const ports::Context context{.deadline = BootClock::now() + seconds(15), .trace = {}};
    const auto place = Await(context_, log.Publish(entry, context));
    ASSERT_TRUE(place.ok()) << place.status();
    places_[key] = place->partition;
  }
  /// As a broker does with what was kept for long enough.
  void RemoveBefore(std::int32_t partition, std::int64_t offset) {
    const auto admin = Client::Create(Client::Kind::kProducer, test::OwnBrokerSettings(), {}, 0);
    ASSERT_TRUE(admin.ok()) << admin.status();
    const PartitionsPtr before(rd_kafka_topic_partition_list_new(1));
    rd_kafka_topic_partition_list_add(before.get(), topic_.c_str(), partition)->offset = offset;
    rd_kafka_DeleteRecords_t* request = rd_kafka_DeleteRecords_new(before.get());
    const QueuePtr queue(rd_kafka_queue_new((*admin)->get()));
    rd_kafka_DeleteRecords((*admin)->get(), &request, 1, nullptr, queue.get());
    rd_kafka_DeleteRecords_destroy(request);
    const EventPtr event(rd_kafka_queue_poll(queue.get(), 15'000));
    ASSERT_NE(event, nullptr);
    ASSERT_EQ(rd_kafka_event_error(event.get()), RD_KAFKA_RESP_ERR_NO_ERROR);
    const rd_kafka_topic_partition_list_t* const removed =
        rd_kafka_DeleteRecords_result_offsets(rd_kafka_event_DeleteRecords_result(event.get()));
    ASSERT_EQ(removed->elems[0].err, RD_KAFKA_RESP_ERR_NO_ERROR);
  }
  KafkaEventTopic Make() const {
    return {test::OwnBrokerSettings(), {topic_}, context_.get_executor()};
  }

  mutable boost::asio::io_context context_{1};
  const std::string topic_ = test::UniqueName("event-topic");
  std::unique_ptr<Producer> producer_;
  std::map<std::string, std::int32_t> places_;
};

TEST_F(EventTopicTest, AllThatItHoldsComesInOrderPerPartition) {
  for (int i = 0; i < 30; ++i) {
    Publish(Uuid::V4({static_cast<std::uint8_t>(i)}).ToString(), "value " + std::to_string(i));
  }
  KafkaEventTopic topic = Make();
  const auto partitions = topic.Look();
  ASSERT_TRUE(partitions.ok()) << partitions.status();
  ASSERT_EQ(partitions->size(), static_cast<std::size_t>(kPartitions));
  std::int64_t held = 0;
  for (const ports::EventPartition& each : *partitions) {
    EXPECT_EQ(each.first, 0);
    held += each.end;
    ASSERT_TRUE(each.first_written.has_value());
    EXPECT_LT(std::chrono::system_clock::now() - *each.first_written, minutes(10));
  }
  EXPECT_EQ(held, 30);
  std::map<std::int32_t, std::int64_t> next;
  std::size_t count = 0;
  const absl::Status read = Await(context_, topic.Read([&](const ports::EventRecord& record) {
    EXPECT_EQ(record.offset, next[record.partition]++);
    EXPECT_EQ(record.content_type, "application/protobuf");
    EXPECT_EQ(record.type, "some.type");
    EXPECT_TRUE(record.value.starts_with("value "));
    ++count;
  }));
  EXPECT_TRUE(read.ok()) << read;
  EXPECT_EQ(count, 30U);
}

TEST_F(EventTopicTest, AKeyLiesWhereTheProducerPutsIt) {
  for (int i = 0; i < 20; ++i) Publish(Uuid::V4({static_cast<std::uint8_t>(i)}).ToString(), "v");
  KafkaEventTopic topic = Make();
  ASSERT_TRUE(topic.Look().ok());
  for (const auto& [key, partition] : places_) {
    EXPECT_EQ(topic.PartitionsOf(key), std::vector{static_cast<std::size_t>(partition)}) << key;
  }
}

TEST_F(EventTopicTest, SeveralTopicsAreAsOne) {
  const std::string other = test::UniqueName("event-topic");
  test::CreateTopic(context_, other, 2);
  Publish(topic_, "a", "of the first");
  Publish(other, "a", "of the second");
  const auto place = static_cast<std::size_t>(places_["a"]);
  KafkaEventTopic topic(test::OwnBrokerSettings(), {topic_, other}, context_.get_executor());

  const auto partitions = topic.Look();
  ASSERT_TRUE(partitions.ok()) << partitions.status();
  ASSERT_EQ(partitions->size(), static_cast<std::size_t>(kPartitions) + 2);
  EXPECT_EQ(partitions->back().topic, other);
  EXPECT_EQ(partitions->back().number, 1);
  const std::vector<std::size_t> of_key = topic.PartitionsOf("a");
  ASSERT_EQ(of_key.size(), 2U);
  EXPECT_EQ(of_key[1], kPartitions + place);
  std::map<std::string, std::size_t> read;
  const absl::Status all = Await(context_, topic.Read([&](const ports::EventRecord& record) {
    read[record.value] = static_cast<std::size_t>(record.partition);
  }));
  EXPECT_TRUE(all.ok()) << all;
  EXPECT_EQ(read, (std::map<std::string, std::size_t>{{"of the first", of_key[0]},
                                                      {"of the second", of_key[1]}}));
}

TEST_F(EventTopicTest, AnEmptyTopicIsReadToItsEnd) {
  KafkaEventTopic topic = Make();
  const auto partitions = topic.Look();
  ASSERT_TRUE(partitions.ok());
  EXPECT_FALSE(partitions->front().first_written.has_value());
  EXPECT_TRUE(Await(context_, topic.Read([](const ports::EventRecord&) { FAIL(); })).ok());
}

/// Their time of keeping ends while the topic is read: those behind them are still there.
TEST_F(EventTopicTest, WhatIsRemovedDuringTheReadTakesNoOtherWithIt) {
  constexpr std::int64_t kRecords = 20;
  for (std::int64_t i = 0; i < kRecords; ++i) Publish("a", std::string(900'000, 'v'));
  const auto tail = EventTail::Open(test::OwnBrokerSettings(), topic_, true, seconds(15));
  ASSERT_TRUE(tail.ok()) << tail.status();
  // More than is fetched ahead.
  RemoveBefore(places_["a"], kRecords - 2);
  std::int64_t last = -1;
  const BootTime end = BootClock::now() + seconds(30);
  while (!(*tail)->AtEnd() && BootClock::now() < end) {
    const auto record = (*tail)->Next(std::chrono::milliseconds(50));
    ASSERT_TRUE(record.ok()) << record.status();
    if (record->has_value()) last = (*record)->offset;
  }
  EXPECT_EQ(last, kRecords - 1);
}

TEST_F(EventTopicTest, OthersOfTheExecutorRunMeanwhile) {
  Publish("a", "first");
  KafkaEventTopic topic = Make();
  bool ran = false;
  boost::asio::post(context_, [&] { ran = true; });
  EXPECT_TRUE(Await(context_, topic.Read([](const ports::EventRecord&) {})).ok());
  EXPECT_TRUE(ran);
}

}  // namespace
}  // namespace tollbridge::kafka
