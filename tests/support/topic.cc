#include "tests/support/topic.h"

#include <librdkafka/rdkafka.h>

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>

#include "tests/support/process.h"

namespace tollbridge::test {
namespace {

constexpr int kAskLimitMs = 60'000;
constexpr int kPollMs = 50;
constexpr int kMostConsumers = 2;

using Settings = std::vector<std::pair<std::string, std::string>>;

rd_kafka_t* NewHandle(rd_kafka_type_t type, const Settings& settings) {
  std::array<char, 512> problem{};
  rd_kafka_conf_t* const conf = rd_kafka_conf_new();
  for (const auto& [name, value] : settings) {
    if (rd_kafka_conf_set(conf, name.c_str(), value.c_str(), problem.data(), problem.size()) !=
        RD_KAFKA_CONF_OK) {
      throw std::runtime_error(problem.data());
    }
  }
  // An outage that a test makes is no news.
  rd_kafka_conf_set_log_cb(conf, [](const rd_kafka_t*, int, const char*, const char*) {});
  rd_kafka_t* const handle = rd_kafka_new(type, conf, problem.data(), problem.size());
  if (handle == nullptr) throw std::runtime_error(problem.data());
  return handle;
}

TopicRecord Copy(const rd_kafka_message_t& message) {
  TopicRecord record;
  record.partition = message.partition;
  record.offset = message.offset;
  rd_kafka_timestamp_type_t type = RD_KAFKA_TIMESTAMP_NOT_AVAILABLE;
  record.time = rd_kafka_message_timestamp(&message, &type);
  if (message.key != nullptr) {
    record.key.assign(static_cast<const char*>(message.key), message.key_len);
  }
  if (message.payload != nullptr) {
    record.value.assign(static_cast<const char*>(message.payload), message.len);
  }
  rd_kafka_headers_t* headers = nullptr;
  if (rd_kafka_message_headers(&message, &headers) == RD_KAFKA_RESP_ERR_NO_ERROR) {
    const char* name = nullptr;
    const void* value = nullptr;
    std::size_t size = 0;
    for (std::size_t i = 0;
         rd_kafka_header_get_all(headers, i, &name, &value, &size) == RD_KAFKA_RESP_ERR_NO_ERROR;
         ++i) {
      record.headers.emplace_back(name, std::string(static_cast<const char*>(value), size));
    }
  }
  return record;
}

int CountPartitions(rd_kafka_t* handle, const std::string& name) {
  rd_kafka_topic_t* const topic = rd_kafka_topic_new(handle, name.c_str(), nullptr);
  const rd_kafka_metadata_t* metadata = nullptr;
  const rd_kafka_resp_err_t error = rd_kafka_metadata(handle, 0, topic, &metadata, kAskLimitMs);
  rd_kafka_topic_destroy(topic);
  int count = 0;
  if (error == RD_KAFKA_RESP_ERR_NO_ERROR) {
    if (metadata->topic_cnt == 1) count = metadata->topics[0].partition_cnt;
    rd_kafka_metadata_destroy(metadata);
  }
  if (count == 0) throw std::runtime_error("the broker does not know the topic " + name);
  return count;
}

/// Where the records of a partition begin and end; nullopt: no broker says it within the limit, or
/// one does not know now.
std::optional<std::pair<std::int64_t, std::int64_t>> BoundsOf(rd_kafka_t* handle,
                                                              const std::string& name,
                                                              int partition, int limit_ms) {
  std::int64_t low = 0;
  std::int64_t high = 0;
  if (rd_kafka_query_watermark_offsets(handle, name.c_str(), partition, &low, &high, limit_ms) !=
      RD_KAFKA_RESP_ERR_NO_ERROR) {
    return std::nullopt;
  }
  return std::pair(low, high);
}

}  // namespace

std::string TopicRecord::header(std::string_view name) const {
  for (const auto& [candidate, content] : headers) {
    if (candidate == name) return content;
  }
  return "";
}

class Topic::Consumer {
 public:
  /// `next`: by partition, where to begin; those that it does not name, at the beginning.
  Consumer(const std::string& brokers, std::string name,
           const std::map<std::int32_t, std::int64_t>& next)
      : name_(std::move(name)),
        handle_(NewHandle(RD_KAFKA_CONSUMER, {{"bootstrap.servers", brokers},
                                              {"group.id", "not-joined"},
                                              {"enable.auto.commit", "false"},
                                              {"reconnect.backoff.max.ms", "500"},
                                              {"fetch.wait.max.ms", "50"}})) {
    rd_kafka_poll_set_consumer(handle_);
    partitions_ = CountPartitions(handle_, name_);
    rd_kafka_topic_partition_list_t* const list = rd_kafka_topic_partition_list_new(partitions_);
    for (int i = 0; i < partitions_; ++i) {
      const auto from = next.find(i);
      rd_kafka_topic_partition_list_add(list, name_.c_str(), i)->offset =
          from == next.end() ? 0 : from->second;
    }
    rd_kafka_assign(handle_, list);
    rd_kafka_topic_partition_list_destroy(list);
  }
  ~Consumer() {
    rd_kafka_consumer_close(handle_);
    rd_kafka_destroy(handle_);
  }
  Consumer(const Consumer&) = delete;
  Consumer& operator=(const Consumer&) = delete;

  std::optional<TopicRecord> Next() {
    rd_kafka_message_t* const message = rd_kafka_consumer_poll(handle_, kPollMs);
    std::optional<TopicRecord> record;
    if (message == nullptr) return record;
    if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) record = Copy(*message);
    rd_kafka_message_destroy(message);
    return record;
  }

  /// How many records the topic holds now.
  std::int64_t Count() {
    std::int64_t count = 0;
    for (int i = 0; i < partitions_; ++i) {
      std::optional<std::pair<std::int64_t, std::int64_t>> bounds;
      // It fails at once for a partition that changes its leader just now.
      const bool told = Eventually([&] {
        bounds = BoundsOf(handle_, name_, i, kAskLimitMs);
        return bounds.has_value();
      });
      if (!told) throw std::runtime_error("the end of the topic cannot be asked for: " + name_);
      count += bounds->second - bounds->first;
    }
    return count;
  }

 private:
  std::string name_;
  rd_kafka_t* handle_;
  int partitions_ = 0;
};

Topic::Topic(const std::string& brokers, std::string name)
    : brokers_(brokers),
      name_(std::move(name)),
      consumer_(std::make_unique<Consumer>(brokers_, name_, next_)) {}

Topic::~Topic() = default;

bool Topic::ReadUntil(const std::function<bool(const std::vector<TopicRecord>&)>& enough,
                      std::chrono::milliseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!enough(records_)) {
    if (std::chrono::steady_clock::now() >= end) return false;
    ReadOne();
  }
  return true;
}

void Topic::ReadOne() {
  std::optional<TopicRecord> record = consumer_->Next();
  if (!record) return;
  next_[record->partition] = record->offset + 1;
  const bool is_heartbeat = record->header("ce_type") == "tollbridge.heartbeat.v1";
  (is_heartbeat ? heartbeats_ : records_).push_back(*std::move(record));
}

const std::vector<TopicRecord>& Topic::ReadAll() {
  const auto count = static_cast<std::size_t>(consumer_->Count());
  const auto all = [&](const std::vector<TopicRecord>& records) {
    return records.size() + heartbeats_.size() >= count;
  };
  // A consumer that was there while its broker was killed may stand still: then another goes on.
  for (int tries = 0; !ReadUntil(all); ++tries) {
    if (tries == kMostConsumers) throw std::runtime_error("the topic cannot be read to its end");
    consumer_ = std::make_unique<Consumer>(brokers_, name_, next_);
  }
  return records_;
}

/// Of the group, which it never joins.
class GroupLag::Asker {
 public:
  Asker(const std::string& brokers, std::string topic, const std::string& group)
      : topic_(std::move(topic)),
        handle_(NewHandle(RD_KAFKA_CONSUMER, {{"bootstrap.servers", brokers},
                                              {"group.id", group},
                                              {"enable.auto.commit", "false"},
                                              {"reconnect.backoff.max.ms", "500"}})),
        partitions_(CountPartitions(handle_, topic_)),
        list_(rd_kafka_topic_partition_list_new(partitions_)) {
    for (int i = 0; i < partitions_; ++i) {
      rd_kafka_topic_partition_list_add(list_, topic_.c_str(), i);
    }
  }
  ~Asker() {
    rd_kafka_topic_partition_list_destroy(list_);
    rd_kafka_destroy(handle_);
  }
  Asker(const Asker&) = delete;
  Asker& operator=(const Asker&) = delete;

  std::optional<std::vector<std::int64_t>> Now(int limit_ms) {
    if (rd_kafka_committed(handle_, list_, limit_ms) != RD_KAFKA_RESP_ERR_NO_ERROR) {
      return std::nullopt;
    }
    std::vector<std::int64_t> behind;
    for (int i = 0; i < partitions_; ++i) {
      const auto bounds = BoundsOf(handle_, topic_, i, limit_ms);
      if (!bounds) return std::nullopt;
      behind.push_back(bounds->second - std::max(bounds->first, list_->elems[i].offset));
    }
    return behind;
  }

 private:
  std::string topic_;
  rd_kafka_t* handle_;
  int partitions_;
  rd_kafka_topic_partition_list_t* list_;
};

GroupLag::GroupLag(const std::string& brokers, std::string topic, const std::string& group)
    : asker_(std::make_unique<Asker>(brokers, std::move(topic), group)) {}

GroupLag::~GroupLag() = default;

std::optional<std::vector<std::int64_t>> GroupLag::Now(std::chrono::milliseconds limit) {
  return asker_->Now(static_cast<int>(limit.count()));
}

void ProduceTo(const std::string& brokers, const std::string& topic, const std::string& key,
               const std::string& value) {
  rd_kafka_t* const handle = NewHandle(
      RD_KAFKA_PRODUCER, {{"bootstrap.servers", brokers}, {"message.timeout.ms", "10000"}});
  const rd_kafka_resp_err_t error = rd_kafka_producev(
      handle, RD_KAFKA_V_TOPIC(topic.c_str()), RD_KAFKA_V_KEY(key.data(), key.size()),
      RD_KAFKA_V_VALUE(const_cast<char*>(value.data()), value.size()),
      RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_END);
  const rd_kafka_resp_err_t flushed =
      error == RD_KAFKA_RESP_ERR_NO_ERROR ? rd_kafka_flush(handle, kAskLimitMs) : error;
  rd_kafka_destroy(handle);
  if (flushed != RD_KAFKA_RESP_ERR_NO_ERROR) throw std::runtime_error(rd_kafka_err2str(flushed));
}

}  // namespace tollbridge::test
