#include "adapters/kafka/heartbeat_log.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <librdkafka/rdkafka.h>

#include <algorithm>
#include <array>
#include <boost/asio/this_coro.hpp>
#include <chrono>
#include <functional>
#include <optional>
#include <utility>

#include "adapters/kafka/broker.h"
#include "adapters/kafka/completions.h"
#include "adapters/kafka/handles.h"
#include "base/core/status_macros.h"
#include "tollbridge/storage/v1/storage.pb.h"

namespace tollbridge::kafka {
namespace {

using ports::HintsProgress;

using OptionsPtr = std::unique_ptr<rd_kafka_AdminOptions_t, Deleter<rd_kafka_AdminOptions_destroy>>;

/// What a helper thread may take at most, whatever the deadline of those who wait for it: at its
/// end the process waits for those (AwaitHandlesClosed).
constexpr std::chrono::milliseconds kLongestQuestion{2'000};

/// What is left of the time that one question may take.
class Patience {
 public:
  explicit Patience(BootTime deadline)
      : end_(std::min(deadline, BootClock::now() + kLongestQuestion)) {}
  int Left() const {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end_ - BootClock::now());
    return static_cast<int>(std::max<std::int64_t>(left.count(), 1));
  }

 private:
  BootTime end_;
};

/// Nobody else takes the errors of a handle that reads nothing; they are in its log as well.
void DropErrors(rd_kafka_t* handle) {
  const QueuePtr queue(rd_kafka_queue_get_main(handle));
  while (EventPtr(rd_kafka_queue_poll(queue.get(), 0)) != nullptr) {
  }
}

absl::StatusOr<std::int32_t> Count(rd_kafka_t* handle, const std::string& name, int limit) {
  rd_kafka_topic_t* const topic = rd_kafka_topic_new(handle, name.c_str(), nullptr);
  const struct rd_kafka_metadata* metadata = nullptr;
  const rd_kafka_resp_err_t error = rd_kafka_metadata(handle, 0, topic, &metadata, limit);
  rd_kafka_topic_destroy(topic);
  std::int32_t count = 0;
  if (metadata != nullptr) {
    if (metadata->topic_cnt == 1) count = metadata->topics[0].partition_cnt;
    rd_kafka_metadata_destroy(metadata);
  }
  TB_RETURN_IF_ERROR(StatusOfAnswer(error, nullptr));
  if (count == 0) return absl::UnavailableError(absl::StrCat("kafka: there is no topic ", name));
  return count;
}

PartitionsPtr AllOf(const std::string& topic, std::int32_t count, std::int64_t offset) {
  PartitionsPtr list(rd_kafka_topic_partition_list_new(count));
  for (std::int32_t i = 0; i < count; ++i) {
    rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), i)->offset = offset;
  }
  return list;
}

/// The group's offsets; negative where it has none.
absl::StatusOr<std::vector<std::int64_t>> Committed(rd_kafka_t* handle, const std::string& topic,
                                                    std::int32_t count, int limit) {
  const PartitionsPtr list = AllOf(topic, count, RD_KAFKA_OFFSET_INVALID);
  TB_RETURN_IF_ERROR(StatusOfAnswer(rd_kafka_committed(handle, list.get(), limit), nullptr));
  std::vector<std::int64_t> offsets;
  for (std::int32_t i = 0; i < count; ++i) {
    TB_RETURN_IF_ERROR(StatusOfAnswer(list->elems[i].err, nullptr));
    offsets.push_back(list->elems[i].offset);
  }
  return offsets;
}

/// The first or last offsets, as `which` says (RD_KAFKA_OFFSET_SPEC_*).
absl::StatusOr<std::vector<std::int64_t>> Offsets(rd_kafka_t* handle, const std::string& topic,
                                                  std::int32_t count, std::int64_t which,
                                                  int limit) {
  const QueuePtr queue(rd_kafka_queue_new(handle));
  const OptionsPtr options(rd_kafka_AdminOptions_new(handle, RD_KAFKA_ADMIN_OP_LISTOFFSETS));
  std::array<char, 1> unused{};
  rd_kafka_AdminOptions_set_request_timeout(options.get(), limit, unused.data(), unused.size());
  const PartitionsPtr list = AllOf(topic, count, which);
  rd_kafka_ListOffsets(handle, list.get(), options.get(), queue.get());
  // It ends by itself, at the timeout at the latest.
  const EventPtr event(rd_kafka_queue_poll(queue.get(), -1));
  TB_RETURN_IF_ERROR(
      StatusOfAnswer(rd_kafka_event_error(event.get()), rd_kafka_event_error_string(event.get())));
  std::size_t found = 0;
  const auto* const* infos =
      rd_kafka_ListOffsets_result_infos(rd_kafka_event_ListOffsets_result(event.get()), &found);
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(count), -1);
  for (std::size_t i = 0; i < found; ++i) {
    const rd_kafka_topic_partition_t* const each =
        rd_kafka_ListOffsetsResultInfo_topic_partition(infos[i]);
    TB_RETURN_IF_ERROR(StatusOfAnswer(each->err, nullptr));
    offsets.at(static_cast<std::size_t>(each->partition)) = each->offset;
  }
  if (std::ranges::find(offsets, -1) != offsets.end()) {
    return absl::UnavailableError("kafka: not every partition told its offsets");
  }
  return offsets;
}

absl::StatusOr<std::vector<HintsProgress>> LookNow(const Client& client,
                                                   const HeartbeatLogSettings& settings,
                                                   const Patience& patience) {
  rd_kafka_t* const handle = client.get();
  const std::string& topic = settings.hints_topic;
  DropErrors(handle);
  TB_ASSIGN_OR_RETURN(const std::int32_t count, Count(handle, topic, patience.Left()));
  TB_ASSIGN_OR_RETURN(const auto committed, Committed(handle, topic, count, patience.Left()));
  // What is no longer kept nobody will read.
  TB_ASSIGN_OR_RETURN(const auto firsts, Offsets(handle, topic, count,
                                                 RD_KAFKA_OFFSET_SPEC_EARLIEST, patience.Left()));
  TB_ASSIGN_OR_RETURN(const auto ends,
                      Offsets(handle, topic, count, RD_KAFKA_OFFSET_SPEC_LATEST, patience.Left()));
  std::vector<HintsProgress> look;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    look.push_back({.finished = std::max(committed[i], firsts[i]), .end = ends[i]});
  }
  return look;
}

/// Asks on a helper thread, and waits for the answer.
template <typename T>
Async<T> Ask(std::function<absl::StatusOr<T>()> question, BootTime deadline) {
  const boost::asio::any_io_executor shard = co_await boost::asio::this_coro::executor;
  const auto answers = std::make_shared<Completions<absl::StatusOr<T>>>();
  const auto ticket = answers->Add(shard);
  RunOnHelperThread([question = std::move(question), answers, number = ticket.number] {
    answers->Complete(number, question());
  });
  std::optional<absl::StatusOr<T>> answer =
      co_await Completions<absl::StatusOr<T>>::Wait(answers, ticket, deadline);
  if (answer.has_value()) co_return *std::move(answer);
  co_return absl::UnavailableError("kafka: no answer by the deadline");
}

absl::StatusOr<std::shared_ptr<Client>> MakeClient(const HeartbeatLogSettings& settings) {
  TB_ASSIGN_OR_RETURN(std::shared_ptr<Client> client,
                      Client::Create(Client::Kind::kConsumer, settings.client,
                                     {{"group.id", settings.group},
                                      {"enable.auto.commit", "false"},
                                      {"allow.auto.create.topics", "false"}},
                                     0));
  return client;
}

}  // namespace

absl::StatusOr<std::unique_ptr<KafkaHeartbeatLog>> KafkaHeartbeatLog::Create(
    const HeartbeatLogSettings& settings, Producer& producer) {
  TB_ASSIGN_OR_RETURN(std::shared_ptr<Client> client, MakeClient(settings));
  return std::unique_ptr<KafkaHeartbeatLog>(
      new KafkaHeartbeatLog(settings, producer, std::move(client)));
}

Async<std::vector<HintsProgress>> KafkaHeartbeatLog::Look(const ports::Context& context) {
  return Ask<std::vector<HintsProgress>>(
      [client = client_, settings = settings_, patience = Patience(context.deadline)] {
        return LookNow(*client, settings, patience);
      },
      context.deadline);
}

Async<std::int32_t> KafkaHeartbeatLog::CountPartitions(const std::string& topic,
                                                       const ports::Context& context) {
  return Ask<std::int32_t>(
      [client = client_, topic, patience = Patience(context.deadline)] {
        return Count(client->get(), topic, patience.Left());
      },
      context.deadline);
}

AsyncStatus KafkaHeartbeatLog::Append(const storage::v1::OutboxEntry& heartbeat,
                                      std::int32_t partition, const ports::Context& context) {
  std::vector<RecordHeader> headers;
  for (const storage::v1::Header& header : heartbeat.headers()) {
    headers.emplace_back(header.name(), header.value());
  }
  const OutgoingRecord record{.purpose = Purpose::kHeartbeats,
                              .topic = heartbeat.topic(),
                              .key = {},
                              .value = heartbeat.payload(),
                              .headers = headers,
                              .partition = partition};
  const absl::StatusOr<RecordPlace> place = co_await producer_.Produce(record, context.deadline);
  co_return place.status();
}

AsyncStatus KafkaHeartbeatLog::Renew(ClientSettings settings) {
  HeartbeatLogSettings renewed = settings_;
  renewed.client = std::move(settings);
  TB_CO_ASSIGN_OR_RETURN(std::shared_ptr<Client> next, MakeClient(renewed));
  TB_CO_RETURN_IF_ERROR(co_await AwaitBroker(next, {}, BootClock::now() + kNewClientLimit));
  settings_ = std::move(renewed);
  client_ = std::move(next);
  co_return absl::OkStatus();
}

}  // namespace tollbridge::kafka
