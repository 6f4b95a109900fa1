#include "adapters/kafka/producer.h"

#include <gtest/gtest.h>

#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "adapters/kafka/event_tail.h"
#include "base/core/shard.h"
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

class ProducerTest : public testing::Test {
 protected:
  ProducerTest() { broker_.CreateTopic(topic_, 3); }

  ClientSettings Settings() {
    return {.bootstrap_servers = broker_.bootstrap_servers(), .librdkafka = {}};
  }
  std::unique_ptr<Producer> MakeProducer(milliseconds delivery_timeout = seconds(10)) {
    auto producer = Producer::Create(
        {.client = Settings(), .delivery_timeout = delivery_timeout, .metrics = &metrics_},
        context_.get_executor());
    EXPECT_TRUE(producer.ok()) << producer.status();
    return *std::move(producer);
  }
  absl::Status Produce(Producer& producer, const std::string& value,
                       milliseconds time = seconds(10)) {
    const OutgoingRecord record{Purpose::kHints, topic_, "key", value, {}};
    return Await(context_, producer.Produce(record, BootClock::now() + time)).status();
  }
  std::vector<TailedRecord> ReadAll(std::size_t count) {
    auto tail = EventTail::Open(Settings(), topic_, true, seconds(10));
    EXPECT_TRUE(tail.ok()) << tail.status();
    std::vector<TailedRecord> records;
    const auto end = std::chrono::steady_clock::now() + seconds(10);
    while (records.size() < count && std::chrono::steady_clock::now() < end) {
      auto next = (*tail)->Next(milliseconds(100));
      if (next.ok() && next->has_value()) records.push_back(**std::move(next));
    }
    return records;
  }

  std::optional<double> Failures(const std::string& reason, const std::string& purpose = "hints") {
    return test::SeriesOf(metrics_, telemetry::kProduceFailed, {purpose, reason});
  }

  const std::string topic_ = "records";
  telemetry::Metrics metrics_;
  test::MockKafka broker_;
  boost::asio::io_context context_;
};

TEST_F(ProducerTest, ProduceEndsWhenTheBrokerHasAcknowledged) {
  const auto producer = MakeProducer();
  const std::vector<RecordHeader> headers = {{"name", "value"}, {"name", "again"}};
  const std::string binary("\x00\x01", 2);
  const OutgoingRecord record{Purpose::kEvents, topic_, "key", binary, headers};
  const auto produced = Await(context_, producer->Produce(record, BootClock::now() + seconds(10)));
  ASSERT_TRUE(produced.ok()) << produced.status();
  EXPECT_EQ(test::SeriesOf(metrics_, telemetry::kProduceSeconds, {"events"}), 1);
  EXPECT_EQ(test::SeriesOf(metrics_, telemetry::kProduceSeconds, {"hints"}), 0);
  EXPECT_EQ(producer->waiting(), 0U);
  const auto records = ReadAll(1);
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].key, "key");
  EXPECT_EQ((RecordPlace{records[0].partition, records[0].offset}), *produced);
  EXPECT_EQ(records[0].value, binary);
  EXPECT_EQ(records[0].headers, headers);
}

// A partition that gets its leader just then: the first request comes too early, the next ones do
// not. Kafka takes them whatever their sequence, and an idempotent librdkafka would take the first
// for delivered (ADR 24).
TEST_F(ProducerTest, WhatWasRefusedIsNotTakenForDeliveredWithWhatCameAfterIt) {
  auto producer = Producer::Create({.client = {.bootstrap_servers = broker_.bootstrap_servers(),
                                               .librdkafka = {{"batch.num.messages", "1"}}}},
                                   context_.get_executor());
  ASSERT_TRUE(producer.ok()) << producer.status();
  broker_.RefuseNextProduce();
  broker_.SetRoundTripMillis(50);  // so that all are under way before the first answer
  std::map<std::string, absl::Status> ended;
  const auto produce = [&](std::string value) -> boost::asio::awaitable<void> {
    const OutgoingRecord record{Purpose::kHints, topic_, "key", value, {}};
    const absl::StatusOr<RecordPlace> place =
        co_await (*producer)->Produce(record, BootClock::now() + seconds(10));
    ended[value] = place.status();
  };
  for (const char* value : {"first", "second", "third"}) {
    boost::asio::co_spawn(context_, produce(value), boost::asio::detached);
  }
  ASSERT_TRUE(RunUntil(context_, [&] { return ended.size() == 3; }));
  for (const auto& [value, status] : ended) EXPECT_TRUE(status.ok()) << value << ": " << status;
  std::set<std::string> arrived;
  for (const TailedRecord& record : ReadAll(3)) arrived.insert(record.value);
  EXPECT_EQ(arrived, (std::set<std::string>{"first", "second", "third"}));
}

TEST_F(ProducerTest, NothingIsProducedUntilItIsOpen) {
  const auto open = std::make_shared<std::atomic<bool>>(false);
  auto producer = Producer::Create({.client = Settings(), .open = open, .metrics = &metrics_},
                                   context_.get_executor());
  ASSERT_TRUE(producer.ok()) << producer.status();
  EXPECT_TRUE(absl::IsUnavailable(Produce(**producer, "early")));
  EXPECT_EQ(Failures("not_open"), 1);
  *open = true;
  EXPECT_TRUE(Produce(**producer, "later").ok());
  EXPECT_EQ(ReadAll(1).at(0).value, "later");
}

TEST_F(ProducerTest, ATopicThatIsNotThereIsNotMade) {
  const auto producer = MakeProducer(seconds(1));
  const std::string nowhere = "nowhere";
  const OutgoingRecord record{Purpose::kHints, nowhere, "key", "value", {}};
  const absl::Status refused =
      Await(context_, producer->Produce(record, BootClock::now() + seconds(5))).status();
  EXPECT_TRUE(absl::IsUnavailable(refused)) << refused;
  EXPECT_EQ(Failures("unavailable"), 1);
  EXPECT_TRUE(
      absl::IsNotFound(EventTail::Open(Settings(), nowhere, true, milliseconds(500)).status()));
}

TEST_F(ProducerTest, ADeliveryReportAfterTheDeadlineHarmsNobody) {
  const auto producer = MakeProducer();
  ASSERT_TRUE(Produce(*producer, "first").ok());
  broker_.SetRoundTripMillis(300);
  EXPECT_TRUE(absl::IsUnavailable(Produce(*producer, "late", milliseconds(30))));
  EXPECT_EQ(producer->waiting(), 0U);
  EXPECT_EQ(Failures("late"), 1);
  ASSERT_TRUE(Produce(*producer, "next").ok());
  EXPECT_EQ(test::SeriesOf(metrics_, telemetry::kProduceSeconds, {"hints"}), 2)
      << "those that were acknowledged to who waited";
  EXPECT_EQ(ReadAll(3).size(), 3U) << "it did arrive, after all";
}

TEST_F(ProducerTest, ARecordIsGivenUpAfterTheDeliveryTimeout) {
  const auto producer = MakeProducer(milliseconds(400));
  broker_.SetUp(false);
  const BootTime start = BootClock::now();
  const absl::Status produced = Produce(*producer, "value", seconds(15));
  EXPECT_TRUE(absl::IsUnavailable(produced)) << produced;
  EXPECT_LT(BootClock::now() - start, seconds(5));
}

TEST_F(ProducerTest, ARecordThatNoBrokerTakesIsAnInvalidArgument) {
  const auto producer = MakeProducer();
  const absl::Status produced = Produce(*producer, std::string(2'000'000, 'x'));
  EXPECT_EQ(produced.code(), absl::StatusCode::kInvalidArgument) << produced;
  EXPECT_EQ(Failures("too_large"), 1);
  EXPECT_EQ(Failures("too_large", "events"), 0);
}

TEST_F(ProducerTest, DestroyingItEndsTheWait) {
  auto producer = MakeProducer();
  broker_.SetUp(false);
  absl::Status waiting;
  bool ended = false;
  const auto wait = [&]() -> boost::asio::awaitable<void> {
    const OutgoingRecord record{Purpose::kHints, topic_, "key", "value", {}};
    const absl::StatusOr<RecordPlace> place =
        co_await producer->Produce(record, BootClock::now() + seconds(15));
    waiting = place.status();
    ended = true;
  };
  boost::asio::co_spawn(context_, wait(), boost::asio::detached);
  ASSERT_TRUE(RunUntil(context_, [&] { return producer->waiting() == 1; }));
  const BootTime start = BootClock::now();
  producer.reset();
  EXPECT_LT(BootClock::now() - start, milliseconds(300)) << "librdkafka's own end takes a second";
  ASSERT_TRUE(RunUntil(context_, [&] { return ended; }));
  EXPECT_TRUE(absl::IsUnavailable(waiting)) << waiting;
}

TEST_F(ProducerTest, ServesAllShardsAndAnswersEachOnItsOwn) {
  constexpr int kShards = 3;
  constexpr int kEach = 200;
  ShardPool shards(kShards);
  auto producer = Producer::Create({.client = Settings()}, shards.at(0).executor());
  ASSERT_TRUE(producer.ok());
  std::atomic<int> delivered = 0;
  std::atomic<int> ended = 0;
  std::atomic<int> elsewhere = 0;
  const auto produce = [&](Shard& shard, std::string value) -> boost::asio::awaitable<void> {
    const OutgoingRecord record{Purpose::kHints, topic_, value, value, {}};
    const absl::StatusOr<RecordPlace> produced =
        co_await (*producer)->Produce(record, BootClock::now() + seconds(15));
    if (!shard.context().get_executor().running_in_this_thread()) ++elsewhere;
    if (produced.ok()) ++delivered;
    if (++ended == kShards * kEach) boost::asio::post(context_, [] {});
  };
  for (int i = 0; i < kShards * kEach; ++i) {
    Shard& shard = shards.at(static_cast<std::size_t>(i % kShards));
    boost::asio::co_spawn(shard.context(), produce(shard, std::to_string(i)),
                          boost::asio::detached);
  }
  const auto work = boost::asio::make_work_guard(context_);
  shards.Start();
  EXPECT_TRUE(RunUntil(context_, [&] { return ended == kShards * kEach; }));
  shards.Stop();
  producer->reset();
  EXPECT_EQ(delivered, kShards * kEach);
  EXPECT_EQ(elsewhere, 0);
  std::map<std::string, int> values;
  for (const TailedRecord& record : ReadAll(kShards * kEach)) ++values[record.value];
  EXPECT_EQ(values.size(), static_cast<std::size_t>(kShards * kEach));
}

}  // namespace
}  // namespace tollbridge::kafka
