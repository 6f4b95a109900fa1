#include "adapters/kafka/event_tail.h"

#include <absl/strings/str_cat.h>
#include <librdkafka/rdkafka.h>

#include <algorithm>
#include <thread>

#include "adapters/kafka/handles.h"
#include "services/base/status_macros.h"

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

EventTail::EventTail(std::unique_ptr<Client> client) : client_(std::move(client)) {}

EventTail::~EventTail() {
  // Leaves no group, since it is in none; without it librdkafka would wait for one.
  rd_kafka_consumer_close(client_->get());
}

absl::StatusOr<std::unique_ptr<EventTail>> EventTail::Open(const ClientSettings& settings,
                                                           const std::string& topic,
                                                           bool from_beginning,
                                                           std::chrono::milliseconds timeout) {
  // librdkafka wants the name of a group even where none is joined.
  const Client::Properties own = {{"group.id", "tollbridge-tail"},
                                  {"enable.auto.commit", "false"},
                                  {"allow.auto.create.topics", "false"}};
  TB_ASSIGN_OR_RETURN(std::unique_ptr<Client> client,
                      Client::Create(Client::Kind::kConsumer, settings, own, 0));
  const int timeout_ms = static_cast<int>(timeout.count());
  TB_ASSIGN_OR_RETURN(const int partitions, CountPartitions(client->get(), topic, timeout_ms));
  const auto end = std::chrono::steady_clock::now() + timeout;
  const PartitionsPtr assignment(rd_kafka_topic_partition_list_new(partitions));
  for (int partition = 0; partition < partitions; ++partition) {
    std::int64_t low = 0;
    std::int64_t high = 0;
    TB_RETURN_IF_ERROR(QueryOffsets(client->get(), topic, partition, end, &low, &high));
    rd_kafka_topic_partition_list_add(assignment.get(), topic.c_str(), partition)->offset =
        from_beginning ? low : high;
  }
  if (const rd_kafka_resp_err_t error = rd_kafka_assign(client->get(), assignment.get());
      error != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return Unreachable(error);
  }
  return std::unique_ptr<EventTail>(new EventTail(std::move(client)));
}

absl::StatusOr<std::optional<TailedRecord>> EventTail::Next(std::chrono::milliseconds timeout) {
  const MessagePtr message(
      rd_kafka_consumer_poll(client_->get(), static_cast<int>(timeout.count())));
  if (!message) return std::nullopt;
  if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) return ToRecord(*message);
  // Brokers come and go; librdkafka goes on by itself.
  return std::nullopt;
}

}  // namespace tollbridge::kafka
