#include "adapters/kafka/hint_feed.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "adapters/kafka/broker.h"
#include "adapters/kafka/handles.h"
#include "adapters/kafka/hint_record.h"
#include "adapters/kafka/offset_commits.h"
#include "adapters/kafka/offset_notes.h"
#include "adapters/kafka/queue_watcher.h"
#include "adapters/kafka/share_gauges.h"
#include "base/core/signal.h"
#include "base/core/status_macros.h"
#include "base/telemetry/log.h"

namespace tollbridge::kafka {
namespace {

namespace asio = boost::asio;
using Clock = std::chrono::steady_clock;

/// Records in one answer of Next() at most.
constexpr std::size_t kMostRecords = 500;
/// librdkafka takes a group member for dead whose queue nobody polls for five minutes, and a quiet
/// topic wakes nobody.
constexpr std::chrono::seconds kPollInterval{30};
/// How often it is asked whether a consumer has closed: there is no event for it.
constexpr std::chrono::milliseconds kCloseInterval{2};

Client::Properties OwnProperties(const HintFeedSettings& settings) {
  Client::Properties properties{
      {"group.id", settings.group},
      {"partition.assignment.strategy", "range"},
      {"auto.offset.reset", "earliest"},
      // See OffsetCommits.
      {"enable.auto.commit", "false"},
      {"enable.auto.offset.store", "false"},
      {"allow.auto.create.topics", "false"},
      {"session.timeout.ms", std::to_string(settings.session_timeout.count())},
      // Three may be lost.
      {"heartbeat.interval.ms",
       std::to_string(std::min<std::int64_t>(settings.session_timeout.count() / 4, 1'000))},
      // A topic that is created after the start is found within this time, not five minutes.
      {"topic.metadata.refresh.interval.ms", "10000"},
      {"queued.min.messages", "1000"},
      {"queued.max.messages.kbytes", "4096"}};
  if (!settings.instance_id.empty()) {
    properties.emplace_back("group.instance.id", settings.instance_id);
  }
  return properties;
}

}  // namespace

/// Kept alive by the coroutines that run in it.
class KafkaHintFeed::Consumer : public std::enable_shared_from_this<Consumer> {
 public:
  static absl::StatusOr<std::shared_ptr<Consumer>> Create(const HintFeedSettings& settings,
                                                          const asio::any_io_executor& executor);
  Consumer(HintFeedSettings settings, asio::any_io_executor executor,
           std::shared_ptr<Client> client)
      : settings_(std::move(settings)),
        client_(std::move(client)),
        gauges_(settings_.metrics, settings_.topic),
        wake_(executor),
        poll_timer_(executor),
        group_(executor, QueuePtr(rd_kafka_queue_get_consumer(client_->get())),
               [this] { ServeGroup(); }),
        records_(executor, QueuePtr(rd_kafka_queue_new(client_->get())), [this] { wake_.Fire(); }),
        commits_(std::make_shared<OffsetCommits>(executor, client_->get(), group_.queue(),
                                                 settings_.topic)) {}

  absl::Status Start(ports::HintFeedObserver* observer);
  Async<std::vector<ports::HintRecord>> Next();
  void StoreOffset(std::int32_t partition, std::int64_t next_offset, std::string note);
  void SetPaused(std::int32_t partition, bool paused);
  AsyncStatus Stop();
  void Abandon();
  void ReportShare();
  bool member() const { return member_; }
  bool Owns(std::int32_t partition) const { return !stopped_ && owned_.contains(partition); }
  /// It can never be a member again, as when a newer one has its name.
  bool fenced() const { return fenced_; }
  const std::shared_ptr<Client>& client() const { return client_; }

 private:
  void ServeGroup();
  void Rebalance(rd_kafka_event_t* event);
  void HandleNotes(rd_kafka_event_t* event);
  void TakeShare(const std::map<std::int32_t, std::string>& notes);
  void RefuseShare();
  void RevokeAll();
  void HandleError(rd_kafka_event_t* event);
  std::vector<ports::HintRecord> Take();
  void PollRegularly();
  PartitionsPtr ListOf(std::int32_t partition) const;

  const HintFeedSettings settings_;
  std::shared_ptr<Client> client_;
  ports::HintFeedObserver* observer_ = nullptr;
  ShareGauges gauges_;
  Signal wake_;  ///< Next() should look again
  asio::steady_timer poll_timer_;
  absl::Status trouble_;  ///< what the next Next() answers, once
  bool stopped_ = false;
  bool member_ = false;
  std::set<std::int32_t> owned_;
  bool fenced_ = false;
  /// What the group gives us, until its notes are known.
  PartitionsPtr given_;
  std::intptr_t times_given_ = 0;
  // Last, so that the queues are given back before the handle goes.
  QueueWatcher group_;
  QueueWatcher records_;
  const std::shared_ptr<OffsetCommits> commits_;
};

absl::Status KafkaHintFeed::Consumer::Start(ports::HintFeedObserver* observer) {
  observer_ = observer;
  const PartitionsPtr topics(rd_kafka_topic_partition_list_new(1));
  rd_kafka_topic_partition_list_add(topics.get(), settings_.topic.c_str(), RD_KAFKA_PARTITION_UA);
  const rd_kafka_resp_err_t error = rd_kafka_subscribe(client_->get(), topics.get());
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return absl::InternalError(absl::StrCat("kafka: subscribe: ", rd_kafka_err2str(error)));
  }
  PollRegularly();
  return absl::OkStatus();
}

void KafkaHintFeed::Consumer::PollRegularly() {
  poll_timer_.expires_after(kPollInterval);
  poll_timer_.async_wait([weak = weak_from_this()](const boost::system::error_code& error) {
    const auto self = weak.lock();
    if (error || self == nullptr || self->stopped_) return;
    self->ServeGroup();
    self->PollRegularly();
  });
}

void KafkaHintFeed::Consumer::ServeGroup() {
  while (const EventPtr event = group_.Poll()) {
    switch (rd_kafka_event_type(event.get())) {
      case RD_KAFKA_EVENT_REBALANCE:
        Rebalance(event.get());
        break;
      case RD_KAFKA_EVENT_ERROR:
        HandleError(event.get());
        break;
      case RD_KAFKA_EVENT_OFFSET_COMMIT:
        commits_->HandleAnswer(event.get());
        break;
      case RD_KAFKA_EVENT_LISTCONSUMERGROUPOFFSETS_RESULT:
        HandleNotes(event.get());
        break;
      case RD_KAFKA_EVENT_LISTOFFSETS_RESULT:
        gauges_.TakeEnds(event.get());
        break;
      default:
        break;
    }
  }
}

void KafkaHintFeed::Consumer::Rebalance(rd_kafka_event_t* event) {
  rd_kafka_topic_partition_list_t* const list = rd_kafka_event_topic_partition_list(event);
  std::vector<std::int32_t> partitions;
  for (int i = 0; i < list->cnt; ++i) partitions.push_back(list->elems[i].partition);
  const bool assigned =
      rd_kafka_event_error(event) == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS && !stopped_;
  telemetry::Log(telemetry::Severity::kInfo,
                 assigned ? "hint_partitions_assigned" : "hint_partitions_revoked",
                 {{"count", partitions.size()}});
  ++times_given_;
  if (assigned) {
    given_.reset(rd_kafka_topic_partition_list_copy(list));
    if (partitions.empty()) return TakeShare({});
    return AskForNotes(client_->get(), settings_.group, given_.get(), group_.queue(),
                       reinterpret_cast<void*>(times_given_));
  }
  given_.reset();
  // The observer first: from when it returns nobody stores an offset.
  RevokeAll();
  commits_->Commit();
  commits_->Forget();
  rd_kafka_assign(client_->get(), nullptr);
}

void KafkaHintFeed::Consumer::RevokeAll() {
  member_ = false;
  gauges_.Lost();
  const std::set<std::int32_t> lost = std::exchange(owned_, {});
  if (!lost.empty()) observer_->OnRevoked({lost.begin(), lost.end()});
}

void KafkaHintFeed::Consumer::RefuseShare() {
  if (given_ == nullptr) return;
  given_.reset();
  rd_kafka_assign(client_->get(), nullptr);
}

void KafkaHintFeed::Consumer::HandleNotes(rd_kafka_event_t* event) {
  // The answer to an earlier question is about nothing any more.
  const bool is_of_now = rd_kafka_event_opaque(event) == reinterpret_cast<void*>(times_given_);
  if (is_of_now && given_ != nullptr) TakeShare(TakeNotes(event, given_.get()));
}

void KafkaHintFeed::Consumer::TakeShare(const std::map<std::int32_t, std::string>& notes) {
  const PartitionsPtr given = std::move(given_);
  std::vector<ports::HintShare> shares;
  gauges_.GaveShare(static_cast<std::size_t>(given->cnt));
  for (int i = 0; i < given->cnt; ++i) {
    const std::int32_t partition = given->elems[i].partition;
    ports::HintShare& share = shares.emplace_back(ports::HintShare{.partition = partition});
    // As TakeNotes has it.
    if (given->elems[i].offset >= 0) share.next_offset = given->elems[i].offset;
    if (const auto note = notes.find(partition); note != notes.end()) share.note = note->second;
    owned_.insert(partition);
    gauges_.Gave(partition, share.next_offset);
    // Before the fetching begins, else the first records would come with the group's events.
    const QueuePtr queue(
        rd_kafka_queue_get_partition(client_->get(), settings_.topic.c_str(), partition));
    rd_kafka_queue_forward(queue.get(), records_.queue());
  }
  member_ = true;
  // Pauses ended with the last assignment, whoever had it.
  rd_kafka_resume_partitions(client_->get(), given.get());
  rd_kafka_assign(client_->get(), given.get());
  gauges_.AskForEnds(client_->get(), group_.queue());
  observer_->OnAssigned(shares);
}

void KafkaHintFeed::Consumer::HandleError(rd_kafka_event_t* event) {
  const rd_kafka_resp_err_t error = rd_kafka_event_error(event);
  LogErrorEvent("kafka_consumer_error", event);
  if (rd_kafka_event_error_is_fatal(event) != 0) {
    fenced_ = true;
    RefuseShare();
    RevokeAll();
    trouble_ = absl::InternalError(absl::StrCat("kafka: ", rd_kafka_event_error_string(event)));
  } else if (error == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN) {
    trouble_ = absl::UnavailableError("kafka: no broker can be reached");
  } else {
    return;
  }
  wake_.Fire();
}

std::vector<ports::HintRecord> KafkaHintFeed::Consumer::Take() {
  std::vector<ports::HintRecord> taken;
  while (taken.size() < kMostRecords) {
    const EventPtr event = records_.Poll();
    if (event == nullptr) break;
    if (rd_kafka_event_type(event.get()) == RD_KAFKA_EVENT_ERROR) HandleError(event.get());
    if (rd_kafka_event_type(event.get()) != RD_KAFKA_EVENT_FETCH) continue;
    while (const rd_kafka_message_t* message = rd_kafka_event_message_next(event.get())) {
      if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR) continue;
      taken.push_back(HintRecordOf(*message));
      commits_->NoteLeader(message->partition, message->offset, taken.back().leader_epoch);
      gauges_.Took(message->partition, message->offset + 1);
    }
  }
  return taken;
}

Async<std::vector<ports::HintRecord>> KafkaHintFeed::Consumer::Next() {
  const std::shared_ptr<Consumer> self = shared_from_this();
  while (true) {
    if (stopped_) co_return absl::CancelledError("the hint feed was stopped");
    if (!trouble_.ok()) co_return std::exchange(trouble_, absl::OkStatus());
    std::vector<ports::HintRecord> records = Take();
    if (!records.empty()) co_return records;
    if (!trouble_.ok()) continue;
    co_await wake_.Wait();
    const asio::cancellation_state cancellation = co_await asio::this_coro::cancellation_state;
    if (cancellation.cancelled() != asio::cancellation_type::none) {
      co_return absl::CancelledError("the wait for hints was cancelled");
    }
  }
}

PartitionsPtr KafkaHintFeed::Consumer::ListOf(std::int32_t partition) const {
  PartitionsPtr list(rd_kafka_topic_partition_list_new(1));
  rd_kafka_topic_partition_list_add(list.get(), settings_.topic.c_str(), partition);
  return list;
}

void KafkaHintFeed::Consumer::StoreOffset(std::int32_t partition, std::int64_t next_offset,
                                          std::string note) {
  if (stopped_ || !owned_.contains(partition)) return;
  commits_->Store(partition, next_offset, std::move(note));
}

void KafkaHintFeed::Consumer::SetPaused(std::int32_t partition, bool paused) {
  if (stopped_) return;
  const PartitionsPtr list = ListOf(partition);
  // Records of it that wait in the queue are dropped by librdkafka, and fetched again from where
  // Next() left off.
  static_cast<void>(paused ? rd_kafka_pause_partitions(client_->get(), list.get())
                           : rd_kafka_resume_partitions(client_->get(), list.get()));
}

AsyncStatus KafkaHintFeed::Consumer::Stop() {
  const std::shared_ptr<Consumer> self = shared_from_this();
  if (stopped_) co_return absl::OkStatus();
  commits_->Commit();
  commits_->Stop();
  stopped_ = true;
  wake_.Fire();
  // Their notes may come when we have left.
  RefuseShare();
  const ErrorPtr error(rd_kafka_consumer_close_queue(client_->get(), group_.queue()));
  if (error != nullptr) {
    co_return absl::InternalError(absl::StrCat("kafka: ", rd_kafka_error_string(error.get())));
  }
  asio::steady_timer timer(wake_.executor());
  const Clock::time_point end = Clock::now() + settings_.stop_limit;
  while (rd_kafka_consumer_closed(client_->get()) == 0) {
    if (Clock::now() >= end) {
      co_return absl::UnavailableError("kafka: the group did not confirm that we left in time");
    }
    timer.expires_after(kCloseInterval);
    co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
    ServeGroup();
  }
  co_return absl::OkStatus();
}

void KafkaHintFeed::Consumer::ReportShare() {
  if (!stopped_) gauges_.Report(client_->get(), group_.queue());
}

void KafkaHintFeed::Consumer::Abandon() {
  stopped_ = true;
  gauges_.Lost();
  wake_.Fire();
  poll_timer_.cancel();
  commits_->Stop();
}

absl::StatusOr<std::shared_ptr<KafkaHintFeed::Consumer>> KafkaHintFeed::Consumer::Create(
    const HintFeedSettings& settings, const asio::any_io_executor& executor) {
  TB_ASSIGN_OR_RETURN(
      auto client, Client::Create(Client::Kind::kConsumer, settings.client, OwnProperties(settings),
                                  RD_KAFKA_EVENT_REBALANCE | RD_KAFKA_EVENT_FETCH |
                                      RD_KAFKA_EVENT_ERROR | RD_KAFKA_EVENT_OFFSET_COMMIT));
  // Everything that concerns the group comes by one queue.
  const rd_kafka_resp_err_t error = rd_kafka_poll_set_consumer(client->get());
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return absl::InternalError(absl::StrCat("kafka: ", rd_kafka_err2str(error)));
  }
  return std::make_shared<Consumer>(settings, executor, std::move(client));
}

/// One consumer after the other. Kept alive by the coroutines that run in it.
struct KafkaHintFeed::State {
  HintFeedSettings settings;
  asio::any_io_executor executor;
  std::shared_ptr<Consumer> consumer;
  ports::HintFeedObserver* observer = nullptr;
  bool renewing = false;
  bool stopped = false;
};

absl::StatusOr<std::unique_ptr<KafkaHintFeed>> KafkaHintFeed::Create(
    const HintFeedSettings& settings, asio::any_io_executor executor) {
  TB_ASSIGN_OR_RETURN(auto consumer, Consumer::Create(settings, executor));
  auto state = std::make_shared<State>();
  state->settings = settings;
  state->executor = std::move(executor);
  state->consumer = std::move(consumer);
  if (settings.metrics != nullptr) {
    settings.metrics->OnCollect([weak = std::weak_ptr(state)](telemetry::Metrics& /*metrics*/) {
      if (const auto feed = weak.lock()) feed->consumer->ReportShare();
    });
  }
  return std::unique_ptr<KafkaHintFeed>(new KafkaHintFeed(std::move(state)));
}

KafkaHintFeed::KafkaHintFeed(std::shared_ptr<State> state) : state_(std::move(state)) {}

KafkaHintFeed::~KafkaHintFeed() {
  state_->stopped = true;
  state_->consumer->Abandon();
}

absl::Status KafkaHintFeed::Start(ports::HintFeedObserver* observer) {
  state_->observer = observer;
  return state_->consumer->Start(observer);
}

Async<std::vector<ports::HintRecord>> KafkaHintFeed::Next() {
  const std::shared_ptr<State> state = state_;
  while (true) {
    const std::shared_ptr<Consumer> consumer = state->consumer;
    absl::StatusOr<std::vector<ports::HintRecord>> records = co_await consumer->Next();
    const asio::cancellation_state cancellation = co_await asio::this_coro::cancellation_state;
    const bool over = state->stopped || cancellation.cancelled() != asio::cancellation_type::none;
    if (over || consumer == state->consumer || !absl::IsCancelled(records.status())) {
      co_return records;
    }
    // It was only taken out of use: its successor goes on.
  }
}

AsyncStatus KafkaHintFeed::Renew(ClientSettings settings) {
  const std::shared_ptr<State> state = state_;
  HintFeedSettings renewed = state->settings;
  renewed.client = std::move(settings);
  TB_CO_ASSIGN_OR_RETURN(std::shared_ptr<Consumer> next,
                         Consumer::Create(renewed, state->executor));
  // As long as no broker takes the new client, the old one stays in the group.
  TB_CO_RETURN_IF_ERROR(
      co_await AwaitBroker(next->client(), {}, BootClock::now() + kNewClientLimit));
  if (state->stopped) co_return absl::CancelledError("the hint feed was stopped");
  if (state->consumer->fenced()) {
    co_return absl::FailedPreconditionError("kafka: a newer process has the name in the group");
  }
  state->settings = std::move(renewed);
  const std::shared_ptr<Consumer> old = std::exchange(state->consumer, std::move(next));
  state->renewing = true;
  // However it ends: what was not committed comes again, and the group learns in time.
  static_cast<void>(co_await old->Stop());
  old->Abandon();
  state->renewing = false;
  if (state->stopped) co_return absl::CancelledError("the hint feed was stopped");
  co_return state->consumer->Start(state->observer);
}

void KafkaHintFeed::StoreOffset(std::int32_t partition, std::int64_t next_offset,
                                std::string note) {
  state_->consumer->StoreOffset(partition, next_offset, std::move(note));
}

void KafkaHintFeed::Pause(std::int32_t partition) { state_->consumer->SetPaused(partition, true); }

void KafkaHintFeed::Resume(std::int32_t partition) {
  state_->consumer->SetPaused(partition, false);
}

AsyncStatus KafkaHintFeed::Stop() {
  const std::shared_ptr<State> state = state_;
  state->stopped = true;
  asio::steady_timer timer(state->executor);
  while (state->renewing) {
    timer.expires_after(kCloseInterval);
    co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
  }
  co_return co_await state->consumer->Stop();
}

bool KafkaHintFeed::Owns(std::int32_t partition) const { return state_->consumer->Owns(partition); }

bool KafkaHintFeed::member() const { return state_->consumer->member(); }

}  // namespace tollbridge::kafka
