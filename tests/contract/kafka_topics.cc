#include "tests/contract/kafka_topics.h"

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>

#include "adapters/kafka/topics.h"
#include "tests/support/async_test.h"

namespace tollbridge::test {
namespace {

constexpr std::chrono::seconds kReadLimit{20};

/// librdkafka's handles go before the process does.
class HandlesClosed : public testing::Environment {
 public:
  void TearDown() override { EXPECT_EQ(kafka::AwaitHandlesClosed(std::chrono::minutes(1)), 0U); }
};

const testing::Environment* const handles_closed =
    testing::AddGlobalTestEnvironment(new HandlesClosed);

}  // namespace

KafkaBroker& OwnBroker() {
  static KafkaBroker broker;
  return broker;
}

kafka::ClientSettings OwnBrokerSettings() {
  KafkaBroker& broker = OwnBroker();
  if (!broker.running()) broker.Start();
  return {.bootstrap_servers = broker.address().brokers, .librdkafka = {}};
}

std::string UniqueName(const std::string& prefix) {
  static int last = 0;
  return prefix + "-" + std::to_string(++last);
}

void CreateTopic(boost::asio::io_context& context, const std::string& name, int partitions) {
  auto admin = kafka::TopicAdmin::Create(OwnBrokerSettings(), context.get_executor());
  if (!admin.ok()) throw std::runtime_error(admin.status().ToString());
  const kafka::TopicSpec spec{.name = name,
                              .partitions = partitions,
                              .replication = 1,
                              .min_insync_replicas = 1,
                              .retention = std::nullopt};
  const auto created =
      Await(context, (*admin)->CreateTopics({spec}, BootClock::now() + std::chrono::seconds(15)));
  if (!created.ok()) throw std::runtime_error(created.status().ToString());
}

std::unique_ptr<kafka::KafkaHintFeed> StartFeed(boost::asio::io_context& context,
                                                kafka::HintFeedSettings settings,
                                                ports::HintFeedObserver& observer) {
  settings.client = OwnBrokerSettings();
  auto feed = kafka::KafkaHintFeed::Create(settings, context.get_executor());
  if (!feed.ok()) throw std::runtime_error(feed.status().ToString());
  const absl::Status started = (*feed)->Start(&observer);
  if (!started.ok()) throw std::runtime_error(started.ToString());
  return *std::move(feed);
}

std::vector<kafka::TailedRecord> ReadTopic(const std::string& name, std::size_t count) {
  auto tail = kafka::EventTail::Open(OwnBrokerSettings(), name, true, kReadLimit);
  if (!tail.ok()) throw std::runtime_error(tail.status().ToString());
  std::vector<kafka::TailedRecord> records;
  const BootTime end = BootClock::now() + kReadLimit;
  while (records.size() < count) {
    if (BootClock::now() >= end) throw std::runtime_error("the records did not come");
    auto record = (*tail)->Next(std::chrono::milliseconds(200));
    if (!record.ok()) throw std::runtime_error(record.status().ToString());
    if (record->has_value()) records.push_back(**std::move(record));
  }
  return records;
}

}  // namespace tollbridge::test
