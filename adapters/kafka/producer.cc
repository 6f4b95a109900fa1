#include "adapters/kafka/producer.h"

#include <absl/status/status.h>

#include <array>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>

#include "adapters/kafka/broker.h"
#include "adapters/kafka/completions.h"
#include "adapters/kafka/delivery_report.h"
#include "adapters/kafka/handles.h"
#include "adapters/kafka/produce_meter.h"
#include "adapters/kafka/queue_watcher.h"
#include "base/core/status_macros.h"
#include "base/telemetry/log.h"

namespace tollbridge::kafka {
namespace {

namespace asio = boost::asio;

/// From when somebody was told which client is in use until he hands it his record, at most.
constexpr std::chrono::milliseconds kHandOver{1'000};

Client::Properties OwnProperties(const ProducerSettings& settings) {
  // Not idempotent: see ADR 24.
  return {{"acks", "all"},
          // Java's default partitioner; librdkafka's own would send a key elsewhere than other
          // clients do.
          {"partitioner", "murmur2_random"},
          {"linger.ms", std::to_string(settings.linger.count())},
          {"message.timeout.ms", std::to_string(settings.delivery_timeout.count())},
          // What a topic takes at least (topics.cc), less what a batch needs around a record: what
          // passes here passes there.
          {"message.max.bytes", "1000000"},
          // A topic that is not there is an error, not one of the cluster's default partitions.
          {"allow.auto.create.topics", "false"},
          // While the brokers are away what is produced piles up for delivery_timeout.
          {"queue.buffering.max.kbytes", "65536"}};
}

/// A client and what comes from it: reports of deliveries.
struct Line {
  Line(std::shared_ptr<Client> client_in, const asio::any_io_executor& home,
       const std::shared_ptr<Completions<absl::StatusOr<RecordPlace>>>& completions)
      : client(std::move(client_in)),
        watcher(home, QueuePtr(rd_kafka_queue_get_main(client->get())),
                [this, completions] { OnReadable(*completions); }) {}

  void OnReadable(Completions<absl::StatusOr<RecordPlace>>& completions) {
    while (EventPtr event = watcher.Poll()) {
      switch (rd_kafka_event_type(event.get())) {
        case RD_KAFKA_EVENT_DR:
          while (const rd_kafka_message_t* message = rd_kafka_event_message_next(event.get())) {
            completions.Complete(reinterpret_cast<std::uintptr_t>(message->_private),
                                 ReadReport(message->err, {.partition = message->partition,
                                                           .offset = message->offset}));
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

  const std::shared_ptr<Client> client;
  QueueWatcher watcher;  ///< gives its queue back before the client goes
};

}  // namespace

struct Producer::State : std::enable_shared_from_this<Producer::State> {
  State(ProducerSettings settings_in, asio::any_io_executor home_in)
      : settings(std::move(settings_in)),
        open(settings.open),
        meter(settings.metrics),
        home(std::move(home_in)) {}

  absl::StatusOr<std::unique_ptr<Line>> NewLine(const ProducerSettings& with) const {
    TB_ASSIGN_OR_RETURN(std::shared_ptr<Client> made,
                        Client::Create(Client::Kind::kProducer, with.client, OwnProperties(with),
                                       RD_KAFKA_EVENT_DR | RD_KAFKA_EVENT_ERROR));
    return std::make_unique<Line>(std::move(made), home, completions);
  }

  /// From now on records go this way.
  void Use(std::unique_ptr<Line> next) {
    {
      const std::lock_guard lock(mutex);
      client = next->client;
    }
    if (line != nullptr) Retire(std::move(line));
    line = std::move(next);
  }

  /// Every record has its report by delivery_timeout; somebody may just be handing one over.
  void Retire(std::unique_ptr<Line> old) {
    auto timer = std::make_shared<asio::steady_timer>(home, settings.delivery_timeout + kHandOver);
    retired.push_back(std::move(old));
    timer->async_wait([weak = weak_from_this(), timer](const boost::system::error_code& /*error*/) {
      const auto self = weak.lock();
      if (self != nullptr && !self->retired.empty()) self->retired.pop_front();
    });
  }

  std::shared_ptr<Client> CurrentClient() {
    const std::lock_guard lock(mutex);
    return client;
  }

  std::vector<std::string> Topics() {
    const std::lock_guard lock(mutex);
    return topics;
  }

  Async<RecordPlace> Produce(OutgoingRecord record, BootTime deadline);

  void Close() {
    retired.clear();
    line.reset();
    const std::lock_guard lock(mutex);
    client.reset();
  }

  ProducerSettings settings;  ///< home shard
  const std::shared_ptr<const std::atomic<bool>> open;
  const ProduceMeter meter;
  const asio::any_io_executor home;
  const std::shared_ptr<Completions<absl::StatusOr<RecordPlace>>> completions =
      std::make_shared<Completions<absl::StatusOr<RecordPlace>>>();
  std::mutex mutex;
  // Guarded by mutex:
  std::shared_ptr<Client> client;  ///< gone when the producer was closed
  std::vector<std::string> topics;
  // Home shard:
  std::unique_ptr<Line> line;
  std::deque<std::unique_ptr<Line>> retired;  ///< oldest first
};

absl::StatusOr<std::unique_ptr<Producer>> Producer::Create(const ProducerSettings& settings,
                                                           asio::any_io_executor home) {
  auto state = std::make_shared<State>(settings, std::move(home));
  TB_ASSIGN_OR_RETURN(std::unique_ptr<Line> line, state->NewLine(settings));
  state->Use(std::move(line));
  return std::unique_ptr<Producer>(new Producer(std::move(state)));
}

Producer::Producer(std::shared_ptr<State> state) : state_(std::move(state)) {}

Producer::~Producer() {
  state_->Close();
  state_->completions->CompleteAll(
      [] { return absl::UnavailableError("kafka: the producer was closed"); });
}

void Producer::Prepare(std::vector<std::string> topics) {
  const std::lock_guard lock(state_->mutex);
  state_->topics = std::move(topics);
  RunOnHelperThread([client = state_->client, topics = state_->topics] {
    // Without an answer the first record waits, and no more.
    static_cast<void>(AskBroker(*client, topics, kNewClientLimit));
  });
}

AsyncStatus Producer::Renew(ClientSettings settings) {
  const std::shared_ptr<State> state = state_;
  ProducerSettings renewed = state->settings;
  renewed.client = std::move(settings);
  TB_CO_ASSIGN_OR_RETURN(std::unique_ptr<Line> line, state->NewLine(renewed));
  TB_CO_RETURN_IF_ERROR(
      co_await AwaitBroker(line->client, state->Topics(), BootClock::now() + kNewClientLimit));
  if (state->CurrentClient() == nullptr) {
    co_return absl::UnavailableError("kafka: the producer was closed");
  }
  state->settings = std::move(renewed);
  state->Use(std::move(line));
  co_return absl::OkStatus();
}

std::size_t Producer::waiting() const { return state_->completions->size(); }

std::size_t Producer::clients() const { return 1 + state_->retired.size(); }

Async<RecordPlace> Producer::Produce(OutgoingRecord record, BootTime deadline) {
  const std::shared_ptr<State> state = state_;
  if (state->open != nullptr && !*state->open) {
    state->meter.NoteNotOpen(record.purpose);
    co_return absl::UnavailableError("kafka: it is not known yet whether the topics last");
  }
  const BootTime begun = BootClock::now();
  absl::StatusOr<RecordPlace> place = co_await state->Produce(record, deadline);
  state->meter.Note(record.purpose, begun, deadline, place.status());
  co_return place;
}

Async<RecordPlace> Producer::State::Produce(OutgoingRecord record, BootTime deadline) {
  const asio::any_io_executor shard = co_await asio::this_coro::executor;
  std::shared_ptr<Client> current = CurrentClient();
  if (current == nullptr) co_return absl::UnavailableError("kafka: the producer was closed");

  const auto ticket = completions->Add(shard);
  std::unique_ptr<rd_kafka_headers_t, Deleter<rd_kafka_headers_destroy>> headers(
      rd_kafka_headers_new(record.headers.size()));
  for (const auto& [name, value] : record.headers) {
    rd_kafka_header_add(headers.get(), name.data(), static_cast<ssize_t>(name.size()), value.data(),
                        static_cast<ssize_t>(value.size()));
  }
  std::array<rd_kafka_vu_t, 7> parts{};
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
  parts[6].vtype = RD_KAFKA_VTYPE_PARTITION;
  parts[6].u.i32 = record.partition.value_or(RD_KAFKA_PARTITION_UA);
  const ErrorPtr error(rd_kafka_produceva(current->get(), parts.data(), parts.size()));
  if (error != nullptr) {
    completions->Forget(ticket.number);
    co_return StatusOfProducing(rd_kafka_error_code(error.get()));
  }
  // The record owns them now.
  [[maybe_unused]] rd_kafka_headers_t* const given = headers.release();
  current.reset();  // A producer that is closed does not wait for those who wait here.

  std::optional<absl::StatusOr<RecordPlace>> report =
      co_await Completions<absl::StatusOr<RecordPlace>>::Wait(completions, ticket, deadline);
  if (report.has_value()) co_return *std::move(report);
  co_return absl::UnavailableError("kafka: not acknowledged by the deadline");
}

}  // namespace tollbridge::kafka
