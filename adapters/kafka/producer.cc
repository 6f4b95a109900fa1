#include "adapters/kafka/producer.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include <array>
#include <boost/asio/this_coro.hpp>
#include <cstdint>
#include <mutex>
#include <optional>

#include "adapters/kafka/completions.h"
#include "adapters/kafka/handles.h"
#include "adapters/kafka/queue_watcher.h"
#include "services/base/status_macros.h"
#include "services/telemetry/log.h"

namespace tollbridge::kafka {
namespace {

namespace asio = boost::asio;

absl::Status StatusOf(rd_kafka_resp_err_t error) {
  switch (error) {
    case RD_KAFKA_RESP_ERR_NO_ERROR:
      return absl::OkStatus();
    case RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE:
    case RD_KAFKA_RESP_ERR_INVALID_MSG_SIZE:
    case RD_KAFKA_RESP_ERR_INVALID_RECORD:
      return absl::InvalidArgumentError(absl::StrCat("kafka: ", rd_kafka_err2str(error)));
    default:
      return absl::UnavailableError(absl::StrCat("kafka: ", rd_kafka_err2str(error)));
  }
}

Client::Properties OwnProperties(const ProducerSettings& settings) {
  // Not idempotent: see ADR 24.
  return {{"acks", "all"},
          // Java's default partitioner; librdkafka's own would send a key elsewhere than other
          // clients do.
          {"partitioner", "murmur2_random"},
          {"linger.ms", std::to_string(settings.linger.count())},
          {"message.timeout.ms", std::to_string(settings.delivery_timeout.count())},
          // A topic that is not there is an error, not one of the cluster's default partitions.
          {"allow.auto.create.topics", "false"},
          // While the brokers are away what is produced piles up for delivery_timeout.
          {"queue.buffering.max.kbytes", "65536"}};
}

}  // namespace

struct Producer::State {
  State(std::shared_ptr<Client> client_in, const asio::any_io_executor& home)
      : client(std::move(client_in)) {
    watcher.emplace(home, QueuePtr(rd_kafka_queue_get_main(client->get())),
                    [this] { OnReadable(); });
  }

  std::shared_ptr<Client> CurrentClient() {
    const std::lock_guard lock(mutex);
    return client;
  }

  void OnReadable() {
    while (EventPtr event = watcher->Poll()) {
      switch (rd_kafka_event_type(event.get())) {
        case RD_KAFKA_EVENT_DR:
          while (const rd_kafka_message_t* message = rd_kafka_event_message_next(event.get())) {
            completions->Complete(reinterpret_cast<std::uintptr_t>(message->_private),
                                  StatusOf(message->err));
          }
          break;
        case RD_KAFKA_EVENT_ERROR:
          LogErrorEvent("kafka_producer_error", event.get());
          break;
        default:
          break;
      }
    }
  }

  const std::shared_ptr<Completions<absl::Status>> completions =
      std::make_shared<Completions<absl::Status>>();
  std::mutex mutex;
  std::shared_ptr<Client> client;       ///< guarded by mutex; gone when the producer was closed
  std::optional<QueueWatcher> watcher;  ///< home shard
};

absl::StatusOr<std::unique_ptr<Producer>> Producer::Create(const ProducerSettings& settings,
                                                           asio::any_io_executor home) {
  TB_ASSIGN_OR_RETURN(
      std::shared_ptr<Client> client,
      Client::Create(Client::Kind::kProducer, settings.client, OwnProperties(settings),
                     RD_KAFKA_EVENT_DR | RD_KAFKA_EVENT_ERROR));
  return std::unique_ptr<Producer>(new Producer(std::make_shared<State>(std::move(client), home)));
}

Producer::Producer(std::shared_ptr<State> state) : state_(std::move(state)) {}

Producer::~Producer() {
  state_->watcher.reset();
  {
    const std::lock_guard lock(state_->mutex);
    state_->client.reset();
  }
  state_->completions->CompleteAll(
      [] { return absl::UnavailableError("kafka: the producer was closed"); });
}

void Producer::Prepare(std::vector<std::string> topics) {
  constexpr int kTimeoutMs = 5'000;
  RunOnHelperThread([client = state_->CurrentClient(), topics = std::move(topics)] {
    for (const std::string& name : topics) {
      rd_kafka_topic_t* const topic = rd_kafka_topic_new(client->get(), name.c_str(), nullptr);
      const struct rd_kafka_metadata* metadata = nullptr;
      // What it answers is of no interest here: librdkafka remembers it.
      rd_kafka_metadata(client->get(), 0, topic, &metadata, kTimeoutMs);
      if (metadata != nullptr) rd_kafka_metadata_destroy(metadata);
      rd_kafka_topic_destroy(topic);
    }
  });
}

std::size_t Producer::waiting() const { return state_->completions->size(); }

AsyncStatus Producer::Produce(OutgoingRecord record, BootTime deadline) {
  const std::shared_ptr<State> state = state_;
  const asio::any_io_executor shard = co_await asio::this_coro::executor;
  std::shared_ptr<Client> client = state->CurrentClient();
  if (client == nullptr) co_return absl::UnavailableError("kafka: the producer was closed");

  const auto ticket = state->completions->Add(shard);
  std::unique_ptr<rd_kafka_headers_t, Deleter<rd_kafka_headers_destroy>> headers(
      rd_kafka_headers_new(record.headers.size()));
  for (const auto& [name, value] : record.headers) {
    rd_kafka_header_add(headers.get(), name.data(), static_cast<ssize_t>(name.size()), value.data(),
                        static_cast<ssize_t>(value.size()));
  }
  std::array<rd_kafka_vu_t, 6> parts{};
  parts[0].vtype = RD_KAFKA_VTYPE_TOPIC;
  parts[0].u.cstr = record.topic.c_str();
  parts[1].vtype = RD_KAFKA_VTYPE_KEY;
  parts[1].u.mem = {const_cast<char*>(record.key.data()), record.key.size()};
  parts[2].vtype = RD_KAFKA_VTYPE_VALUE;
  parts[2].u.mem = {const_cast<char*>(record.value.data()), record.value.size()};
  parts[3].vtype = RD_KAFKA_VTYPE_MSGFLAGS;
  parts[3].u.i = RD_KAFKA_MSG_F_COPY;
  parts[4].vtype = RD_KAFKA_VTYPE_OPAQUE;
  // A number, not a pointer: reports of records that nobody awaits any more need nothing freed.
  parts[4].u.ptr = reinterpret_cast<void*>(ticket.number);
  parts[5].vtype = RD_KAFKA_VTYPE_HEADERS;
  parts[5].u.headers = headers.get();
  const ErrorPtr error(rd_kafka_produceva(client->get(), parts.data(), parts.size()));
  if (error != nullptr) {
    state->completions->Forget(ticket.number);
    co_return StatusOf(rd_kafka_error_code(error.get()));
  }
  static_cast<void>(headers.release());  // The record owns them now.
  client.reset();  // A producer that is closed does not wait for those who wait here.

  std::optional<absl::Status> report =
      co_await Completions<absl::Status>::Wait(state->completions, ticket, deadline);
  if (report.has_value()) co_return *std::move(report);
  co_return absl::UnavailableError("kafka: not acknowledged by the deadline");
}

}  // namespace tollbridge::kafka
