#include "adapters/kafka/event_tail.h"

#include <absl/strings/str_cat.h>
#include <librdkafka/rdkafka.h>

#include <algorithm>
#include <cstddef>
#include <thread>

#include "adapters/kafka/handles.h"
#include "base/core/status_macros.h"

namespace tollbridge::kafka {
namespace {

using MessagePtr = std::unique_ptr<rd_kafka_message_t, Deleter<rd_kafka_message_destroy>>;

struct MetadataDeleter {
  void operator()(const struct rd_kafka_metadata* metadata) const {
    rd_kafka_metadata_destroy(metadata);
  }
};

constexpr std::chrono::milliseconds kRetryInterval{20};

absl::Status Unreachable(rd_kafka_resp_err_t error) {
  return absl::UnavailableError(absl::StrCat("Kafka: ", rd_kafka_err2str(error)));
}

absl::StatusOr<int> CountPartitions(rd_kafka_t* handle, const std::string& topic, int timeout_ms) {
  const struct rd_kafka_metadata* raw = nullptr;
  rd_kafka_topic_t* wanted = rd_kafka_topic_new(handle, topic.c_str(), nullptr);
  const rd_kafka_resp_err_t error = rd_kafka_metadata(handle, 0, wanted, &raw, timeout_ms);
  rd_kafka_topic_destroy(wanted);
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) return Unreachable(error);
  const std::unique_ptr<const struct rd_kafka_metadata, MetadataDeleter> metadata(raw);
  if (metadata->topic_cnt != 1 || metadata->topics[0].partition_cnt == 0) {
    return absl::NotFoundError(absl::StrCat("Kafka has no topic ", topic));
  }
  return metadata->topics[0].partition_cnt;
}

/// The first offset of a partition and the one after its last. A partition that has just been
/// created may have no leader for a moment.
absl::Status QueryOffsets(rd_kafka_t* handle, const std::string& topic, int partition,
                          std::chrono::steady_clock::time_point end, std::int64_t* low,
                          std::int64_t* high) {
  while (true) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    const rd_kafka_resp_err_t error =
        rd_kafka_query_watermark_offsets(handle, topic.c_str(), partition, low, high,
                                         static_cast<int>(std::max<std::int64_t>(left.count(), 1)));
    if (error == RD_KAFKA_RESP_ERR_NO_ERROR) return absl::OkStatus();
    const bool passing = error == RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION ||
                         error == RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE ||
                         error == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART;
    if (!passing || left.count() <= kRetryInterval.count()) return Unreachable(error);
    std::this_thread::sleep_for(kRetryInterval);
  }
}

TailedRecord ToRecord(const rd_kafka_message_t& message) {
  TailedRecord record;
  record.partition = message.partition;
  record.offset = message.offset;
  rd_kafka_timestamp_type_t kind = RD_KAFKA_TIMESTAMP_NOT_AVAILABLE;
  const std::int64_t written = rd_kafka_message_timestamp(&message, &kind);
  if (written > 0) record.written = WallTime(std::chrono::milliseconds(written));
  record.key.assign(static_cast<const char*>(message.key), message.key_len);
  record.value.assign(static_cast<const char*>(message.payload), message.len);
  rd_kafka_headers_t* headers = nullptr;
  if (rd_kafka_message_headers(&message, &headers) != RD_KAFKA_RESP_ERR_NO_ERROR) return record;
  const char* name = nullptr;
  const void* value = nullptr;
  std::size_t size = 0;
  for (std::size_t i = 0;
       rd_kafka_header_get_all(headers, i, &name, &value, &size) == RD_KAFKA_RESP_ERR_NO_ERROR;
       ++i) {
    record.headers.emplace_back(name, std::string(static_cast<const char*>(value), size));
  }
  return record;
}

}  // namespace

std::string TailedRecord::Header(std::string_view name) const {
  const auto found = std::ranges::find(headers, name, &std::pair<std::string, std::string>::first);
  return found == headers.end() ? std::string() : found->second;
}

EventTail::~EventTail() {
  // Leaves no group, since it is in none; without it librdkafka would wait for one.
  rd_kafka_consumer_close(client_->get());
}

absl::StatusOr<std::unique_ptr<EventTail>> EventTail::Open(const ClientSettings& settings,
                                                           const std::string& topic,
                                                           bool from_beginning,
                                                           std::chrono::milliseconds timeout) {
  return Open(settings, topic, from_beginning, std::nullopt, timeout);
}

absl::StatusOr<std::unique_ptr<EventTail>> EventTail::OpenAtKey(const ClientSettings& settings,
                                                                const std::string& topic,
                                                                const std::string& key,
                                                                std::chrono::milliseconds timeout) {
  return Open(settings, topic, true, key, timeout);
}

absl::StatusOr<std::unique_ptr<EventTail>> EventTail::Open(const ClientSettings& settings,
                                                           const std::string& topic,
                                                           bool from_beginning,
                                                           const std::optional<std::string>& key,
                                                           std::chrono::milliseconds timeout) {
  // librdkafka wants the name of a group even where none is joined. What people look at is read
  // once: little of it is fetched ahead.
  const Client::Properties own = {{"group.id", "tollbridge-tail"},
                                  {"enable.auto.commit", "false"},
                                  {"enable.partition.eof", "true"},
                                  {"queued.max.messages.kbytes", "4096"},
                                  // Records whose time of keeping ends while they are read are
                                  // passed over, and not all behind them with them.
                                  {"auto.offset.reset", from_beginning ? "earliest" : "latest"},
                                  {"allow.auto.create.topics", "false"}};
  TB_ASSIGN_OR_RETURN(std::unique_ptr<Client> client,
                      Client::Create(Client::Kind::kConsumer, settings, own, 0));
  const int timeout_ms = static_cast<int>(timeout.count());
  TB_ASSIGN_OR_RETURN(const int partitions, CountPartitions(client->get(), topic, timeout_ms));
  const auto end = std::chrono::steady_clock::now() + timeout;
  std::optional<int> only;
  if (key) only = PartitionOfKey(*key, partitions);
  std::vector<Range> ranges(static_cast<std::size_t>(partitions));
  std::vector<RecordPlace> from;
  std::set<std::int32_t> unread;
  for (int partition = 0; partition < partitions; ++partition) {
    if (only && partition != *only) continue;
    Range& range = ranges[static_cast<std::size_t>(partition)];
    TB_RETURN_IF_ERROR(QueryOffsets(client->get(), topic, partition, end, &range.low, &range.high));
    from.push_back({.partition = partition, .offset = from_beginning ? range.low : range.high});
    if (from_beginning && range.low < range.high) unread.insert(partition);
  }
  std::unique_ptr<EventTail> tail(new EventTail(std::move(client), topic, std::move(ranges)));
  tail->open_partitions_ = std::move(unread);
  TB_RETURN_IF_ERROR(tail->Assign(from));
  return tail;
}

absl::Status EventTail::Assign(const std::vector<RecordPlace>& from) {
  const PartitionsPtr assignment(rd_kafka_topic_partition_list_new(static_cast<int>(from.size())));
  for (const RecordPlace& place : from) {
    rd_kafka_topic_partition_list_add(assignment.get(), topic_.c_str(), place.partition)->offset =
        place.offset;
  }
  const rd_kafka_resp_err_t error = rd_kafka_assign(client_->get(), assignment.get());
  return error == RD_KAFKA_RESP_ERR_NO_ERROR ? absl::OkStatus() : Unreachable(error);
}

absl::StatusOr<std::optional<TailedRecord>> EventTail::Next(std::chrono::milliseconds timeout) {
  const MessagePtr message(
      rd_kafka_consumer_poll(client_->get(), static_cast<int>(timeout.count())));
  if (!message) return std::nullopt;
  if (message->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) open_partitions_.erase(message->partition);
  // Brokers come and go; librdkafka goes on by itself.
  if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR) return std::nullopt;
  if (message->offset + 1 >= ranges_[static_cast<std::size_t>(message->partition)].high) {
    open_partitions_.erase(message->partition);
  }
  return ToRecord(*message);
}

absl::StatusOr<TailedRecord> EventTail::ReadAt(const RecordPlace& place,
                                               std::chrono::milliseconds timeout) {
  const absl::Status none = absl::NotFoundError(
      absl::StrCat(topic_, " has no record ", place.partition, ":", place.offset));
  if (place.partition < 0 || static_cast<std::size_t>(place.partition) >= ranges_.size()) {
    return none;
  }
  const Range& range = ranges_[static_cast<std::size_t>(place.partition)];
  if (place.offset < range.low || place.offset >= range.high) return none;
  TB_RETURN_IF_ERROR(Assign({place}));
  const auto end = std::chrono::steady_clock::now() + timeout;
  while (true) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    if (left.count() <= 0) return Unreachable(RD_KAFKA_RESP_ERR__TIMED_OUT);
    const MessagePtr message(
        rd_kafka_consumer_poll(client_->get(), static_cast<int>(left.count())));
    if (!message || message->partition != place.partition) continue;
    if (message->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) return none;
    if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR) continue;
    // Compaction may have taken it: the next one comes in its place.
    if (message->offset != place.offset) return none;
    return ToRecord(*message);
  }
}

}  // namespace tollbridge::kafka
