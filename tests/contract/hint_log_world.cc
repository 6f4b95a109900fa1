#include "tests/contract/hint_log_world.h"

#include <absl/strings/numbers.h>
#include <absl/time/time.h>

#include <map>
#include <stdexcept>

#include "adapters/kafka/dead_letter_log.h"
#include "adapters/kafka/heartbeat_log.h"
#include "adapters/kafka/hint_feed.h"
#include "adapters/kafka/hint_log.h"
#include "adapters/kafka/producer.h"
#include "tests/contract/kafka_topics.h"
#include "tests/support/async_test.h"
#include "tests/support/fakes/fake_heartbeat_log.h"
#include "tests/support/fakes/fake_hint_log.h"

namespace tollbridge::test {
namespace {

class FakeWorld final : public HintLogWorld {
 public:
  boost::asio::io_context& context() override { return context_; }
  ports::HintLog& log() override { return log_; }
  ports::DeadLetterLog& dead_letters() override { return letters_; }
  std::unique_ptr<ports::HintFeed> MakeFeed() override {
    return std::make_unique<FakeHintFeed>(topic_, context_.get_executor());
  }
  ports::HeartbeatLog& heartbeats() override { return heartbeats_; }
  const std::string& events_topic() const override { return events_topic_; }
  std::vector<WrittenHeartbeat> ReadHeartbeats(std::size_t count) override {
    std::vector<WrittenHeartbeat> read;
    for (const auto& [partition, entry] : heartbeats_.written()) {
      read.push_back({.partition = partition,
                      .has_key = !entry.key().empty(),
                      .headers = {},
                      .value = entry.payload()});
      for (const auto& header : entry.headers()) {
        read.back().headers.emplace_back(header.name(), header.value());
      }
    }
    if (read.size() < count) throw std::runtime_error("no such heartbeats");
    return read;
  }
  void PutRaw(const std::string& key, const std::string& value) override { topic_.Put(key, value); }
  std::vector<ports::DeadLetter> ReadDeadLetters(std::size_t count) override {
    if (letters_.letters().size() < count) throw std::runtime_error("no such dead letters");
    return {letters_.letters().begin(),
            letters_.letters().begin() + static_cast<std::ptrdiff_t>(count)};
  }
  void SetReachable(bool reachable) override {
    topic_.SetReachable(reachable);
    letters_.SetReachable(reachable);
  }
  std::optional<std::int64_t> CommittedOffset(std::int32_t partition) override {
    return topic_.stored_offset(partition);
  }
  void MakeTopicAnew() override { topic_.MakeAnew(); }
  void SetOffset(std::int32_t partition, std::int64_t offset, const std::string& note) override {
    topic_.SetOffset(partition, offset, note);
  }

 private:
  boost::asio::io_context context_;
  FakeHintTopic topic_{kPartitions};
  FakeHintLog log_{topic_};
  FakeDeadLetterLog letters_;
  const std::string events_topic_ = "events";
  FakeHeartbeatLog heartbeats_{topic_, {{events_topic_, kEventPartitions}}};
};

template <typename T>
T ValueOrThrow(absl::StatusOr<T> result) {
  if (!result.ok()) throw std::runtime_error(result.status().ToString());
  return *std::move(result);
}

/// The letter as its record's headers tell it.
ports::DeadLetter LetterOf(const kafka::TailedRecord& record, const std::string& hints_topic) {
  const std::map<std::string, std::string> headers(record.headers.begin(), record.headers.end());
  if (headers.at("original_topic") != hints_topic) throw std::runtime_error("original_topic");
  ports::DeadLetter letter;
  letter.record.key = record.key;
  letter.record.value = record.value;
  letter.cause = headers.at("cause");
  bool read = absl::SimpleAtoi(headers.at("tries"), &letter.tries) &&
              absl::SimpleAtoi(headers.at("original_partition"), &letter.record.partition) &&
              absl::SimpleAtoi(headers.at("original_offset"), &letter.record.offset);
  for (const auto& [name, time] : {std::pair{"first_failure", &letter.first_failure},
                                   std::pair{"last_failure", &letter.last_failure}}) {
    absl::Time parsed;
    read = read && absl::ParseTime(absl::RFC3339_full, headers.at(name), &parsed, nullptr);
    *time = WallTime(ports::Millis(absl::ToUnixMillis(parsed)));
  }
  if (headers.contains("cut")) {
    letter.cut_from.emplace();
    letter.cut_from->value_sha256 = headers.at("value_sha256");
    read = read && absl::SimpleAtoi(headers.at("value_bytes"), &letter.cut_from->value_bytes);
  }
  if (!read) throw std::runtime_error("a header of the dead letter cannot be read");
  if (headers.contains("traceparent")) {
    const auto state = headers.find("tracestate");
    letter.record.trace =
        telemetry::TraceContext::FromHeaders(headers.at("traceparent"),
                                             state == headers.end() ? "" : state->second)
            .value();
  }
  return letter;
}

class KafkaWorld final : public HintLogWorld {
 public:
  KafkaWorld() {
    CreateTopic(context_, topic_, kPartitions);
    CreateTopic(context_, letters_topic_, 1);
    CreateTopic(context_, events_topic_, kEventPartitions);
  }
  ~KafkaWorld() override { SetReachable(true); }

  boost::asio::io_context& context() override { return context_; }
  ports::HintLog& log() override { return log_; }
  ports::DeadLetterLog& dead_letters() override { return letters_; }
  std::unique_ptr<ports::HintFeed> MakeFeed() override {
    return ValueOrThrow(kafka::KafkaHintFeed::Create({.client = OwnBrokerSettings(),
                                                      .topic = topic_,
                                                      .group = group_,
                                                      .session_timeout = std::chrono::seconds(15)},
                                                     context_.get_executor()));
  }
  ports::HeartbeatLog& heartbeats() override { return *heartbeats_; }
  const std::string& events_topic() const override { return events_topic_; }
  std::vector<WrittenHeartbeat> ReadHeartbeats(std::size_t count) override {
    std::vector<WrittenHeartbeat> read;
    for (kafka::TailedRecord& record : ReadTopic(events_topic_, count)) {
      read.push_back({.partition = record.partition,
                      .has_key = !record.key.empty(),
                      .headers = std::move(record.headers),
                      .value = std::move(record.value)});
    }
    return read;
  }
  void PutRaw(const std::string& key, const std::string& value) override {
    const kafka::OutgoingRecord record{kafka::Purpose::kHints, topic_, key, value, {}};
    const absl::Status put =
        Await(context_, producer_->Produce(record, BootClock::now() + std::chrono::seconds(15)))
            .status();
    if (!put.ok()) throw std::runtime_error(put.ToString());
  }
  std::vector<ports::DeadLetter> ReadDeadLetters(std::size_t count) override {
    std::vector<ports::DeadLetter> letters;
    for (const kafka::TailedRecord& record : ReadTopic(letters_topic_, count)) {
      letters.push_back(LetterOf(record, topic_));
    }
    return letters;
  }
  std::optional<std::int64_t> CommittedOffset(std::int32_t partition) override {
    return GroupOffset(group_, topic_, partition);
  }
  void MakeTopicAnew() override {
    DeleteTopic(topic_);
    CreateTopic(context_, topic_, kPartitions);
  }
  void SetOffset(std::int32_t partition, std::int64_t offset, const std::string& note) override {
    SetGroupOffset(group_, topic_, partition, offset, note);
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
  boost::asio::io_context context_;
  const std::string topic_ = UniqueName("hints");
  const std::string letters_topic_ = UniqueName("dead-letters");
  const std::string events_topic_ = UniqueName("events");
  const std::string group_ = "group-of-" + topic_;
  const std::unique_ptr<kafka::Producer> producer_ = ValueOrThrow(
      kafka::Producer::Create({.client = OwnBrokerSettings()}, context_.get_executor()));
  kafka::KafkaHintLog log_{*producer_, topic_};
  kafka::KafkaDeadLetterLog letters_{*producer_, letters_topic_, topic_};
  const std::unique_ptr<kafka::KafkaHeartbeatLog> heartbeats_ =
      ValueOrThrow(kafka::KafkaHeartbeatLog::Create(
          {.client = OwnBrokerSettings(), .hints_topic = topic_, .group = group_}, *producer_));
};

}  // namespace

std::unique_ptr<HintLogWorld> MakeFakeHintLogWorld() { return std::make_unique<FakeWorld>(); }

std::unique_ptr<HintLogWorld> MakeKafkaHintLogWorld() { return std::make_unique<KafkaWorld>(); }

}  // namespace tollbridge::test
