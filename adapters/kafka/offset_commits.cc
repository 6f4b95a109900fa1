#include "adapters/kafka/offset_commits.h"

#include <chrono>
#include <iterator>
#include <utility>

#include "adapters/kafka/handles.h"
#include "adapters/kafka/offset_notes.h"
#include "base/telemetry/log.h"

namespace tollbridge::kafka {
namespace {

constexpr std::chrono::milliseconds kInterval{1'000};

}  // namespace

OffsetCommits::OffsetCommits(const boost::asio::any_io_executor& executor, rd_kafka_t* client,
                             rd_kafka_queue_t* queue, std::string topic)
    : client_(client), queue_(queue), topic_(std::move(topic)), timer_(executor) {}

void OffsetCommits::NoteLeader(std::int32_t partition, std::int64_t offset,
                               std::int32_t leader_epoch) {
  std::map<std::int64_t, std::int32_t>& from = leaders_[partition];
  // What is known of these is of a log that went back.
  from.erase(from.lower_bound(offset), from.end());
  if (from.empty() || from.rbegin()->second != leader_epoch) from.emplace(offset, leader_epoch);
}

std::int32_t OffsetCommits::LeaderBefore(std::int32_t partition, std::int64_t next_offset) {
  const auto found = leaders_.find(partition);
  if (found == leaders_.end()) return -1;
  std::map<std::int64_t, std::int32_t>& from = found->second;
  const auto behind = from.lower_bound(next_offset);
  if (behind == from.begin()) return -1;
  const auto leader = std::prev(behind);
  from.erase(from.begin(), leader);
  return leader->second;
}

void OffsetCommits::Store(std::int32_t partition, std::int64_t next_offset, std::string note) {
  if (without_notes_) note.clear();
  Stored& stored = stored_[partition];
  if (stored.offset == next_offset && stored.note == note) return;
  stored = {next_offset, LeaderBefore(partition, next_offset), std::move(note)};
  uncommitted_.insert(partition);
  CommitSoon();
}

void OffsetCommits::CommitSoon() {
  if (stopped_ || std::exchange(is_due_, true)) return;
  timer_.expires_after(kInterval);
  timer_.async_wait([weak = weak_from_this()](const boost::system::error_code& error) {
    const auto self = weak.lock();
    if (self == nullptr) return;
    self->is_due_ = false;
    if (!error && !self->stopped_) self->Commit();
  });
}

void OffsetCommits::Commit() {
  const PartitionsPtr list(rd_kafka_topic_partition_list_new(static_cast<int>(stored_.size())));
  for (const std::int32_t partition : std::exchange(uncommitted_, {})) {
    const Stored& stored = stored_.at(partition);
    SetOffset(*rd_kafka_topic_partition_list_add(list.get(), topic_.c_str(), partition),
              stored.offset, stored.leader_epoch, stored.note);
  }
  if (list->cnt == 0) return;
  static_cast<void>(rd_kafka_commit_queue(client_, list.get(), queue_, nullptr, nullptr));
}

void OffsetCommits::HandleAnswer(rd_kafka_event_t* event) {
  const rd_kafka_resp_err_t of_all = rd_kafka_event_error(event);
  const rd_kafka_topic_partition_list_t* const list = rd_kafka_event_topic_partition_list(event);
  rd_kafka_resp_err_t worst = RD_KAFKA_RESP_ERR_NO_ERROR;
  for (int i = 0; list != nullptr && i < list->cnt; ++i) {
    const rd_kafka_topic_partition_t& each = list->elems[i];
    const rd_kafka_resp_err_t error = each.err != RD_KAFKA_RESP_ERR_NO_ERROR ? each.err : of_all;
    if (error == RD_KAFKA_RESP_ERR_NO_ERROR) continue;
    if (worst != RD_KAFKA_RESP_ERR_OFFSET_METADATA_TOO_LARGE) worst = error;
    if (stored_.contains(each.partition)) uncommitted_.insert(each.partition);
  }
  if (worst == RD_KAFKA_RESP_ERR_NO_ERROR) return;
  // Not lost: they are committed with the next turn; at worst hints come again.
  telemetry::Log(telemetry::Severity::kWarning, "hint_offsets_not_committed",
                 {{"error", rd_kafka_err2name(worst)}});
  if (worst == RD_KAFKA_RESP_ERR_OFFSET_METADATA_TOO_LARGE) GiveUpNotes();
  if (!uncommitted_.empty()) CommitSoon();
}

void OffsetCommits::GiveUpNotes() {
  without_notes_ = true;
  for (auto& [partition, stored] : stored_) {
    stored.note.clear();
    uncommitted_.insert(partition);
  }
}

void OffsetCommits::Forget() {
  stored_.clear();
  leaders_.clear();
  uncommitted_.clear();
}

void OffsetCommits::Stop() {
  stopped_ = true;
  timer_.cancel();
}

}  // namespace tollbridge::kafka
