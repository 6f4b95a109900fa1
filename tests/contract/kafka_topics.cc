#include "tests/contract/kafka_topics.h"

#include <gtest/gtest.h>
#include <librdkafka/rdkafka.h>

#include <array>
#include <chrono>
#include <stdexcept>

#include "adapters/kafka/handles.h"
#include "adapters/kafka/offset_notes.h"
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

namespace {

constexpr int kAdminMillis = 15'000;

/// A client for what the product never does.
class Tool {
 public:
  explicit Tool(const std::string& group = {}) {
    rd_kafka_conf_t* const conf = rd_kafka_conf_new();
    std::array<char, 256> error{};
    const std::string brokers = OwnBrokerSettings().bootstrap_servers;
    rd_kafka_conf_set(conf, "bootstrap.servers", brokers.c_str(), error.data(), error.size());
    rd_kafka_conf_set(conf, "log_level", "3", error.data(), error.size());
    if (!group.empty()) {
      rd_kafka_conf_set(conf, "group.id", group.c_str(), error.data(), error.size());
    }
    handle_ = rd_kafka_new(RD_KAFKA_CONSUMER, conf, error.data(), error.size());
    if (handle_ == nullptr) throw std::runtime_error(error.data());
  }
  ~Tool() { rd_kafka_destroy(handle_); }
  Tool(const Tool&) = delete;
  Tool& operator=(const Tool&) = delete;

  rd_kafka_t* get() const { return handle_; }

 private:
  rd_kafka_t* handle_ = nullptr;
};

}  // namespace

void DeleteTopic(const std::string& name) {
  const Tool tool;
  const kafka::QueuePtr queue(rd_kafka_queue_new(tool.get()));
  rd_kafka_DeleteTopic_t* topic = rd_kafka_DeleteTopic_new(name.c_str());
  rd_kafka_DeleteTopics(tool.get(), &topic, 1, nullptr, queue.get());
  rd_kafka_DeleteTopic_destroy(topic);
  const kafka::EventPtr event(rd_kafka_queue_poll(queue.get(), kAdminMillis));
  if (event == nullptr || rd_kafka_event_error(event.get()) != RD_KAFKA_RESP_ERR_NO_ERROR) {
    throw std::runtime_error("the topic was not deleted");
  }
}

void SetGroupOffset(const std::string& group, const std::string& topic, std::int32_t partition,
                    std::int64_t offset, const std::string& metadata) {
  const Tool tool(group);
  const kafka::PartitionsPtr list(rd_kafka_topic_partition_list_new(1));
  kafka::SetOffset(*rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), partition), offset,
                   -1, metadata);
  const rd_kafka_resp_err_t error = rd_kafka_commit(tool.get(), list.get(), 0);
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) throw std::runtime_error(rd_kafka_err2str(error));
}

std::optional<CommittedPlace> CommittedOf(const std::string& group, const std::string& topic,
                                          std::int32_t partition) {
  const Tool tool(group);
  const kafka::PartitionsPtr list(rd_kafka_topic_partition_list_new(1));
  rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), partition);
  const rd_kafka_resp_err_t error = rd_kafka_committed(tool.get(), list.get(), kAdminMillis);
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) throw std::runtime_error(rd_kafka_err2str(error));
  const rd_kafka_topic_partition_t& found = list->elems[0];
  if (found.offset < 0) return std::nullopt;
  return CommittedPlace{.offset = found.offset,
                        .leader_epoch = rd_kafka_topic_partition_get_leader_epoch(&found)};
}

std::optional<std::int64_t> GroupOffset(const std::string& group, const std::string& topic,
                                        std::int32_t partition) {
  const std::optional<CommittedPlace> committed = CommittedOf(group, topic, partition);
  return committed ? std::optional(committed->offset) : std::nullopt;
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
