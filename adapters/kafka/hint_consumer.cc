#include "adapters/kafka/hint_consumer.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <optional>
#include <string_view>
#include <utility>

#include "adapters/kafka/hint_record.h"
#include "adapters/kafka/offset_notes.h"
#include "base/core/boot_clock.h"
#include "base/core/status_macros.h"
#include "base/telemetry/log.h"

namespace tollbridge::kafka {
namespace {

namespace asio = boost::asio;
using Clock = std::chrono::steady_clock;

/// Records in one answer of Next() at most.
constexpr std::size_t kMostRecords = 500;
/// librdkafka takes a group member for dead whose queue nobody polls for the rebalance timeout, and
/// a quiet topic wakes nobody: it is polled so many times in it.
constexpr int kPollsInTime = 4;
/// How often it is asked whether a consumer has closed: there is no event for it.
constexpr std::chrono::milliseconds kCloseInterval{2};

std::chrono::milliseconds RebalanceTimeout(const HintFeedSettings& settings) {
  return std::max(settings.rebalance_timeout, settings.session_timeout);
}

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
      {"max.poll.interval.ms", std::to_string(RebalanceTimeout(settings).count())},
      // A topic that is created after the start is found within this time, not five minutes.
      {"topic.metadata.refresh.interval.ms", "10000"},
      {"queued.min.messages", "1000"},
      {"queued.max.messages.kbytes", "4096"}};
  if (!settings.instance_id.empty()) {
    properties.emplace_back("group.instance.id", settings.instance_id);
  }
  return properties;
}

/// How often the group is asked for its notes before partitions are read without.
constexpr int kMostAsked = 3;

bool IsGone(rd_kafka_resp_err_t error) {
  return error == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART ||
         error == RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC || error == RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION;
}

}  // namespace

absl::StatusOr<std::shared_ptr<HintConsumer>> HintConsumer::Create(
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
  return std::make_shared<HintConsumer>(settings, executor, std::move(client));
}

HintConsumer::HintConsumer(HintFeedSettings settings, const asio::any_io_executor& executor,
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

absl::Status HintConsumer::Start(ports::HintFeedObserver* observer,
                                 std::function<void()> topic_gone) {
  observer_ = observer;
  topic_gone_ = std::move(topic_gone);
  const PartitionsPtr topics(rd_kafka_topic_partition_list_new(1));
  rd_kafka_topic_partition_list_add(topics.get(), settings_.topic.c_str(), RD_KAFKA_PARTITION_UA);
  const rd_kafka_resp_err_t error = rd_kafka_subscribe(client_->get(), topics.get());
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return absl::InternalError(absl::StrCat("kafka: subscribe: ", rd_kafka_err2str(error)));
  }
  PollRegularly();
  return absl::OkStatus();
}

void HintConsumer::PollRegularly() {
  poll_timer_.expires_after(RebalanceTimeout(settings_) / kPollsInTime);
  poll_timer_.async_wait([weak = weak_from_this()](const boost::system::error_code& error) {
    const auto self = weak.lock();
    if (error || self == nullptr || self->stopped_) return;
    self->ServeGroup();
    self->PollRegularly();
  });
}

void HintConsumer::ServeGroup() {
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
        for (const auto& [partition, end] : gauges_.TakeEnds(event.get())) {
          if (start_check_.LookAtEnd(partition, end) != StartCheck::Verdict::kRestart) continue;
          ReadFromTheBeginning(partition);
        }
        break;
      default:
        break;
    }
  }
}

void HintConsumer::Rebalance(rd_kafka_event_t* event) {
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
    times_asked_ = 0;
    return AskForShare();
  }
  given_.reset();
  // The observer first: from when it returns nobody stores an offset.
  RevokeAll();
  commits_->Commit();
  commits_->Forget();
  rd_kafka_assign(client_->get(), nullptr);
}

void HintConsumer::RevokeAll() {
  member_ = false;
  gauges_.Lost();
  start_check_.Forget();
  held_.clear();
  last_taken_.clear();
  const std::set<std::int32_t> lost = std::exchange(owned_, {});
  if (!lost.empty()) observer_->OnRevoked({lost.begin(), lost.end()});
}

void HintConsumer::RefuseShare() {
  if (given_ == nullptr) return;
  given_.reset();
  rd_kafka_assign(client_->get(), nullptr);
}

void HintConsumer::AskForShare() {
  AskForNotes(client_->get(), settings_.group, given_.get(), group_.queue(),
              reinterpret_cast<void*>(times_given_));
}

void HintConsumer::HandleNotes(rd_kafka_event_t* event) {
  // The answer to an earlier question is about nothing any more.
  const bool is_of_now = rd_kafka_event_opaque(event) == reinterpret_cast<void*>(times_given_);
  if (!is_of_now || given_ == nullptr) return;
  const auto notes = TakeNotes(event, given_.get());
  // Without them nobody can tell whether the log is the one that was read.
  if (!notes && ++times_asked_ < kMostAsked) return AskForShare();
  TakeShare(notes.value_or(std::map<std::int32_t, std::string>()));
}

void HintConsumer::TakeShare(const std::map<std::int32_t, std::string>& notes) {
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
    if (share.next_offset) {
      given->elems[i].offset =
          start_check_.Begin(partition, *share.next_offset,
                             rd_kafka_topic_partition_get_leader_epoch(&given->elems[i]));
      rd_kafka_topic_partition_set_leader_epoch(&given->elems[i], -1);
    }
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

void HintConsumer::HandleError(rd_kafka_event_t* event) {
  const rd_kafka_resp_err_t error = rd_kafka_event_error(event);
  LogErrorEvent("kafka_consumer_error", event);
  if (rd_kafka_event_error_is_fatal(event) != 0) {
    fenced_ = true;
    RefuseShare();
    RevokeAll();
    trouble_ = absl::InternalError(absl::StrCat("kafka: ", rd_kafka_event_error_string(event)));
  } else if (error == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN) {
    trouble_ = absl::UnavailableError("kafka: no broker can be reached");
  } else if (IsGone(error) && (given_ != nullptr || !owned_.empty())) {
    if (std::exchange(gone_, true)) return;
    commits_->Forget();
    return topic_gone_();
  } else {
    return;
  }
  wake_.Fire();
}

void HintConsumer::ReadFromTheBeginning(std::int32_t partition) {
  telemetry::Log(telemetry::Severity::kWarning, "hint_log_is_another", {{"partition", partition}});
  const PartitionsPtr list = ListOf(partition);
  list->elems[0].offset = RD_KAFKA_OFFSET_BEGINNING;
  // Without a wait. What librdkafka has fetched for the position before is outdated from here on.
  const ErrorPtr error(rd_kafka_seek_partitions(client_->get(), list.get(), 0));
}

bool HintConsumer::IsWanted(const ports::HintRecord& record) {
  commits_->NoteLeader(record.partition, record.offset, record.leader_epoch);
  const StartCheck::Verdict verdict =
      start_check_.Look(record.partition, record.offset, record.leader_epoch);
  if (verdict == StartCheck::Verdict::kRestart) ReadFromTheBeginning(record.partition);
  return verdict == StartCheck::Verdict::kTake;
}

void HintConsumer::Add(ports::HintRecord record, std::vector<ports::HintRecord>* taken) {
  if (!IsWanted(record)) return;
  last_taken_[record.partition] = record.offset;
  gauges_.Took(record.partition, record.offset + 1);
  taken->push_back(std::move(record));
}

std::vector<ports::HintRecord> HintConsumer::Take() {
  std::vector<ports::HintRecord> taken;
  for (ports::HintRecord& record : std::exchange(held_, {})) Add(std::move(record), &taken);
  while (taken.size() < kMostRecords && held_.empty()) {
    const EventPtr event = records_.Poll();
    if (event == nullptr) break;
    if (rd_kafka_event_type(event.get()) == RD_KAFKA_EVENT_ERROR) HandleError(event.get());
    if (rd_kafka_event_type(event.get()) != RD_KAFKA_EVENT_FETCH) continue;
    while (const rd_kafka_message_t* message = rd_kafka_event_message_next(event.get())) {
      if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR) continue;
      ports::HintRecord record = HintRecordOf(*message);
      const auto last = last_taken_.find(record.partition);
      const bool goes_back =
          !taken.empty() && last != last_taken_.end() && record.offset <= last->second;
      if (goes_back || !held_.empty()) {
        held_.push_back(std::move(record));
      } else {
        Add(std::move(record), &taken);
      }
    }
  }
  return taken;
}

Async<std::vector<ports::HintRecord>> HintConsumer::Next() {
  const std::shared_ptr<HintConsumer> self = shared_from_this();
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

PartitionsPtr HintConsumer::ListOf(std::int32_t partition) const {
  PartitionsPtr list(rd_kafka_topic_partition_list_new(1));
  rd_kafka_topic_partition_list_add(list.get(), settings_.topic.c_str(), partition);
  return list;
}

void HintConsumer::StoreOffset(std::int32_t partition, std::int64_t next_offset, std::string note) {
  if (stopped_ || gone_ || !owned_.contains(partition)) return;
  commits_->Store(partition, next_offset, std::move(note));
}

void HintConsumer::SetPaused(std::int32_t partition, bool paused) {
  if (stopped_) return;
  const PartitionsPtr list = ListOf(partition);
  // Records of it that wait in the queue are dropped by librdkafka, and fetched again from where
  // Next() left off.
  static_cast<void>(paused ? rd_kafka_pause_partitions(client_->get(), list.get())
                           : rd_kafka_resume_partitions(client_->get(), list.get()));
}

AsyncStatus HintConsumer::Stop() {
  const std::shared_ptr<HintConsumer> self = shared_from_this();
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

void HintConsumer::ReportShare() {
  if (!stopped_) gauges_.Report(client_->get(), group_.queue());
}

void HintConsumer::Abandon() {
  stopped_ = true;
  gauges_.Lost();
  wake_.Fire();
  poll_timer_.cancel();
  commits_->Stop();
}

}  // namespace tollbridge::kafka
