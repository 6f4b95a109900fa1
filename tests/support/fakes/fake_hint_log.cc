#include "tests/support/fakes/fake_hint_log.h"

#include <librdkafka/rdkafka.h>

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

namespace tollbridge::test {

namespace asio = boost::asio;

FakeHintTopic::FakeHintTopic(std::int32_t partitions)
    : partitions_(static_cast<std::size_t>(partitions)) {}

std::int32_t FakeHintTopic::PartitionOf(const std::string& key) const {
  return rd_kafka_msg_partitioner_murmur2(nullptr, key.data(), key.size(),
                                          static_cast<std::int32_t>(partitions_.size()), nullptr,
                                          nullptr);
}

void FakeHintTopic::Put(const std::string& key, const std::string& value,
                        const telemetry::TraceContext& trace) {
  const std::int32_t number = PartitionOf(key);
  std::vector<ports::HintRecord>& records = partitions_[static_cast<std::size_t>(number)].records;
  records.push_back({.partition = number,
                     .offset = static_cast<std::int64_t>(records.size()),
                     .leader_epoch = 0,
                     .key = key,
                     .value = value,
                     .trace = trace});
  for (FakeHintFeed* feed : group_) feed->Wake();
}

void FakeHintTopic::MakeAnew() {
  for (Partition& partition : partitions_) partition = {};
  for (FakeHintFeed* feed : group_) {
    for (auto& [partition, position] : feed->positions_) position = 0;
  }
}

void FakeHintTopic::SetOffset(std::int32_t partition, std::int64_t offset,
                              const std::string& note) {
  partitions_.at(static_cast<std::size_t>(partition)).stored = offset;
  partitions_.at(static_cast<std::size_t>(partition)).note = note;
}

void FakeHintTopic::SetReachable(bool reachable) {
  reachable_ = reachable;
  for (FakeHintFeed* feed : group_) {
    feed->tell_unreachable_ = !reachable;
    feed->Wake();
  }
}

void FakeHintTopic::Join(FakeHintFeed* feed) {
  group_.push_back(feed);
  Share();
}

void FakeHintTopic::Leave(FakeHintFeed* feed) {
  if (std::erase(group_, feed) > 0) Share();
}

void FakeHintTopic::Share() {
  for (FakeHintFeed* feed : group_) feed->Revoke();
  if (group_.empty()) return;
  // As the range assignor: neighbours stay together.
  std::vector<std::vector<std::int32_t>> shares(group_.size());
  for (std::size_t number = 0; number < partitions_.size(); ++number) {
    shares[number * group_.size() / partitions_.size()].push_back(
        static_cast<std::int32_t>(number));
  }
  for (std::size_t i = 0; i < group_.size(); ++i) group_[i]->Assign(shares[i]);
}

AsyncStatus FakeHintLog::Append(const events::v1::Hint& hint, const ports::Context& context) {
  if (!topic_.reachable()) co_return absl::UnavailableError("the hint log is away");
  topic_.Put(hint.project() + ":" + hint.order_id(), hint.SerializeAsString(),
             context.trace.valid() ? context.trace : telemetry::TraceContext{});
  co_return absl::OkStatus();
}

FakeHintFeed::FakeHintFeed(FakeHintTopic& topic, asio::any_io_executor executor)
    : topic_(topic), wake_(std::move(executor), asio::steady_timer::time_point::max()) {}

FakeHintFeed::~FakeHintFeed() {
  *alive_ = false;
  observer_ = nullptr;
  topic_.Leave(this);
}

absl::Status FakeHintFeed::Start(ports::HintFeedObserver* observer) {
  observer_ = observer;
  topic_.Join(this);
  return absl::OkStatus();
}

void FakeHintFeed::Revoke() {
  std::vector<std::int32_t> revoked;
  for (const auto& [partition, position] : positions_) revoked.push_back(partition);
  positions_.clear();
  paused_.clear();
  if (!revoked.empty() && observer_ != nullptr) observer_->OnRevoked(revoked);
}

void FakeHintFeed::Assign(const std::vector<std::int32_t>& partitions) {
  std::vector<ports::HintShare> shares;
  for (const std::int32_t partition : partitions) {
    const FakeHintTopic::Partition& of_group =
        topic_.partitions_[static_cast<std::size_t>(partition)];
    // Behind the end nothing is read: from the beginning then.
    const std::int64_t next = of_group.stored.value_or(0);
    positions_[partition] = next > static_cast<std::int64_t>(of_group.records.size()) ? 0 : next;
    shares.push_back({partition, of_group.stored, of_group.note});
  }
  if (observer_ != nullptr) observer_->OnAssigned(shares);
  Wake();
}

std::vector<ports::HintRecord> FakeHintFeed::Take() {
  std::vector<ports::HintRecord> taken;
  if (!topic_.reachable()) return taken;
  for (auto& [partition, position] : positions_) {
    if (paused_.contains(partition)) continue;
    const auto& records = topic_.records(partition);
    for (; position < static_cast<std::int64_t>(records.size()); ++position) {
      taken.push_back(records[static_cast<std::size_t>(position)]);
    }
  }
  return taken;
}

Async<std::vector<ports::HintRecord>> FakeHintFeed::Next() {
  const std::shared_ptr<bool> alive = alive_;
  while (true) {
    if (!*alive || stopped_) co_return absl::CancelledError("the hint feed was stopped");
    if (std::exchange(tell_unreachable_, false)) {
      co_return absl::UnavailableError("the hint log is away");
    }
    std::vector<ports::HintRecord> taken = Take();
    if (!taken.empty()) co_return taken;
    wake_.expires_at(asio::steady_timer::time_point::max());
    co_await wake_.async_wait(asio::as_tuple(asio::use_awaitable));
  }
}

void FakeHintFeed::StoreOffset(std::int32_t partition, std::int64_t next_offset, std::string note) {
  if (!positions_.contains(partition)) return;
  FakeHintTopic::Partition& stored = topic_.partitions_[static_cast<std::size_t>(partition)];
  stored.stored = next_offset;
  stored.note = note.size() <= FakeHintTopic::kMostNote ? std::move(note) : std::string();
}

void FakeHintFeed::Pause(std::int32_t partition) { paused_.insert(partition); }

void FakeHintFeed::Resume(std::int32_t partition) {
  paused_.erase(partition);
  Wake();
}

AsyncStatus FakeHintFeed::Stop() {
  if (std::exchange(stopped_, true)) co_return absl::OkStatus();
  Wake();
  Revoke();
  topic_.Leave(this);
  co_return absl::OkStatus();
}

AsyncStatus FakeDeadLetterLog::Append(const ports::DeadLetter& letter, const ports::Context&) {
  if (!reachable_) co_return absl::UnavailableError("the dead letter log is away");
  if (letter.record.key.size() + letter.record.value.size() > most_bytes_) {
    co_return absl::InvalidArgumentError("the letter is too large");
  }
  letters_.push_back(letter);
  co_return absl::OkStatus();
}

}  // namespace tollbridge::test
