#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "adapters/kafka/event_log.h"
#include "adapters/kafka/producer.h"
#include "tests/contract/kafka_topics.h"
#include "tests/support/async_test.h"
#include "tests/support/fakes/fake_event_log.h"

namespace tollbridge::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using storage::v1::OutboxEntry;

/// An empty event log. One a test.
class EventLogWorld {
 public:
  virtual ~EventLogWorld() = default;
  virtual ports::EventLog& log() = 0;
  /// The first `count` records as they lie there: key, headers, payload.
  virtual std::vector<OutboxEntry> Read(std::size_t count) = 0;
  virtual void SetReachable(bool reachable) = 0;
  boost::asio::io_context& context() { return context_; }

 private:
  boost::asio::io_context context_;
};

class FakeWorld final : public EventLogWorld {
 public:
  ports::EventLog& log() override { return log_; }
  std::vector<OutboxEntry> Read(std::size_t count) override {
    std::vector<OutboxEntry> records;
    for (std::size_t i = 0; i < count; ++i) {
      OutboxEntry entry = log_.published().at(i);
      // Not part of the record; both are in headers.
      entry.clear_sequence();
      entry.clear_id();
      records.push_back(entry);
    }
    return records;
  }
  void SetReachable(bool reachable) override { log_.SetReachable(reachable); }

 private:
  FakeEventLog log_;
};

class KafkaWorld final : public EventLogWorld {
 public:
  KafkaWorld() {
    CreateTopic(context(), topic_, 3);
    auto producer =
        kafka::Producer::Create({.client = OwnBrokerSettings()}, context().get_executor());
    if (!producer.ok()) throw std::runtime_error(producer.status().ToString());
    producer_ = *std::move(producer);
    log_ = std::make_unique<kafka::KafkaEventLog>(*producer_, topic_, 3);
  }
  ~KafkaWorld() override { SetReachable(true); }

  ports::EventLog& log() override { return *log_; }
  std::vector<OutboxEntry> Read(std::size_t count) override {
    std::vector<OutboxEntry> entries;
    for (const kafka::TailedRecord& record : ReadTopic(topic_, count)) {
      OutboxEntry& entry = entries.emplace_back();
      entry.set_key(record.key);
      entry.set_payload(record.value);
      for (const auto& [name, value] : record.headers) {
        storage::v1::Header& header = *entry.add_headers();
        header.set_name(name);
        header.set_value(value);
      }
    }
    return entries;
  }
  void SetReachable(bool reachable) override {
    KafkaBroker& broker = OwnBroker();
    if (!reachable) {
      broker.Stop();
    } else if (!broker.running()) {
      broker.Start();
    }
  }

 private:
  const std::string topic_ = UniqueName("events");
  std::unique_ptr<kafka::Producer> producer_;
  std::unique_ptr<kafka::KafkaEventLog> log_;
};

struct Param {
  std::string name;
  std::unique_ptr<EventLogWorld> (*make)();
};
void PrintTo(const Param& param, std::ostream* out) { *out << param.name; }

class EventLogContract : public testing::TestWithParam<Param> {
 protected:
  absl::Status Publish(const OutboxEntry& entry, milliseconds time = seconds(15)) {
    const auto place =
        Await(world_->context(),
              world_->log().Publish(entry, {.deadline = BootClock::now() + time, .trace = {}}));
    if (place.ok()) places_.push_back(*place);
    return place.status();
  }
  static OutboxEntry EntryOf(std::uint64_t sequence) {
    OutboxEntry entry;
    entry.set_key("3f2504e0-4f89-41d3-9a0c-0305e82c3301");
    entry.set_payload(std::string("\x00\xff\x0a payload ", 12) + std::to_string(sequence));
    entry.set_sequence(sequence);
    entry.set_id("id-" + std::to_string(sequence));
    for (const auto& [name, value] :
         {std::pair{"ce_type", "tollbridge.payment.created.v1"}, std::pair{"ce_id", "an id"},
          std::pair{"empty", ""}, std::pair{"ce_subject", "caf\xc3\xa9"}}) {
      storage::v1::Header& header = *entry.add_headers();
      header.set_name(name);
      header.set_value(value);
    }
    return entry;
  }
  static OutboxEntry RecordOf(OutboxEntry entry) {
    entry.clear_sequence();
    entry.clear_id();
    return entry;
  }

  std::unique_ptr<EventLogWorld> world_ = GetParam().make();
  std::vector<ports::EventPlace> places_;
};

TEST_P(EventLogContract, AnEventLiesThereByteForByteAsItWasInTheOutbox) {
  const absl::Status published = Publish(EntryOf(1));
  ASSERT_TRUE(published.ok()) << published;
  const std::vector<OutboxEntry> records = world_->Read(1);
  EXPECT_EQ(records[0].SerializeAsString(), RecordOf(EntryOf(1)).SerializeAsString());
}

TEST_P(EventLogContract, EventsOfAKeyComeInTheOrderOfPublishingAndARepeatIsAnExactCopy) {
  for (const std::uint64_t sequence : {1U, 2U, 2U, 3U}) {
    ASSERT_TRUE(Publish(EntryOf(sequence)).ok());
  }
  const std::vector<OutboxEntry> records = world_->Read(4);
  ASSERT_EQ(places_.size(), 4U);
  for (std::size_t i = 0; i < places_.size(); ++i) {
    EXPECT_EQ(places_[i].offset, static_cast<std::int64_t>(i));
    EXPECT_EQ(places_[i].partition, places_[0].partition) << "one key";
  }
  const std::vector<std::uint64_t> wanted = {1, 2, 2, 3};
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_EQ(records[i].SerializeAsString(), RecordOf(EntryOf(wanted[i])).SerializeAsString());
  }
}

TEST_P(EventLogContract, AnEventOfTheGreatestSizeIsTaken) {
  OutboxEntry entry = EntryOf(1);
  entry.set_payload(std::string(512 * 1024, 'x'));
  ASSERT_TRUE(Publish(entry).ok());
  EXPECT_EQ(world_->Read(1)[0].payload(), entry.payload());
}

TEST_P(EventLogContract, UnavailableByTheDeadlineWhileTheLogIsAwayAndPublishedAfterwards) {
  ASSERT_TRUE(Publish(EntryOf(1)).ok());
  world_->SetReachable(false);
  const BootTime start = BootClock::now();
  const absl::Status refused = Publish(EntryOf(2), milliseconds(700));
  EXPECT_TRUE(absl::IsUnavailable(refused)) << refused;
  EXPECT_LT(BootClock::now() - start, milliseconds(1200));

  world_->SetReachable(true);
  // As the reader does: the same bytes again, until it is told that they are there.
  const absl::Status published = Publish(EntryOf(2));
  ASSERT_TRUE(published.ok()) << published;
  const std::vector<OutboxEntry> records = world_->Read(2);
  EXPECT_EQ(records[0].SerializeAsString(), RecordOf(EntryOf(1)).SerializeAsString());
  EXPECT_EQ(records[1].SerializeAsString(), RecordOf(EntryOf(2)).SerializeAsString());
}

TEST(KafkaEventLogTest, WhereAPartitionTakesNothingTwoAreWaitedForAndOthersAreToldAtOnce) {
  KafkaWorld world;
  boost::asio::io_context& context = world.context();
  OutboxEntry entry;
  entry.set_key("a key");
  std::vector<absl::Status> ended;
  const auto publish = [&](milliseconds time) -> boost::asio::awaitable<void> {
    const auto place =
        co_await world.log().Publish(entry, {.deadline = BootClock::now() + time, .trace = {}});
    ended.push_back(place.status());
  };
  const auto start = [&](milliseconds time) {
    boost::asio::co_spawn(context, publish(time), boost::asio::detached);
  };
  const auto run_until = [&](std::size_t count) {
    while (ended.size() < count) {
      context.restart();
      context.run_one();
    }
  };
  world.SetReachable(false);
  start(milliseconds(300));
  run_until(1);
  ASSERT_TRUE(absl::IsUnavailable(ended[0])) << ended[0];

  for (int i = 0; i < 5; ++i) start(seconds(60));
  run_until(4);
  for (std::size_t i = 1; i < 4; ++i) EXPECT_TRUE(absl::IsUnavailable(ended[i])) << ended[i];
  world.SetReachable(true);
  run_until(6);
  // The broker takes them, or librdkafka has given them up before and the next ones are taken.
  while (!ended.back().ok()) {
    start(seconds(60));
    run_until(ended.size() + 1);
  }
  const std::size_t before = ended.size();
  for (int i = 0; i < 5; ++i) start(seconds(60));
  run_until(before + 5);
  for (std::size_t i = before; i < ended.size(); ++i) EXPECT_TRUE(ended[i].ok()) << ended[i];
}

INSTANTIATE_TEST_SUITE_P(OnFake, EventLogContract,
                         testing::Values(Param{"Fake",
                                               []() -> std::unique_ptr<EventLogWorld> {
                                                 return std::make_unique<FakeWorld>();
                                               }}),
                         [](const auto& info) { return info.param.name; });
INSTANTIATE_TEST_SUITE_P(OnKafka, EventLogContract,
                         testing::Values(Param{"Kafka",
                                               []() -> std::unique_ptr<EventLogWorld> {
                                                 return std::make_unique<KafkaWorld>();
                                               }}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace tollbridge::test
