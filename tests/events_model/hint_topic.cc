#include "tests/events_model/hint_topic.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

namespace tollbridge::events_model {

namespace {

constexpr std::size_t kPartitions = 3;
/// Stored offsets are committed so often.
constexpr Time kCommitInterval = 5 * kSecond;

/// The same on every machine (FNV-1a).
std::size_t HashOf(const std::string& key) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : key) hash = (hash ^ static_cast<std::uint8_t>(c)) * 1099511628211U;
  return hash;
}

absl::Status Away() { return absl::UnavailableError("Kafka is away"); }

}  // namespace

Sending RollSending(World& world, const KafkaState& kafka, Time deadline) {
  Dice& dice = world.dice;
  Sending sending{.written_at = world.now() + dice.Between(1, 20)};
  sending.ends_at = sending.written_at + dice.Between(0, 10);
  if (!kafka.reachable || dice.Percent(kafka.lost_requests)) {
    sending.written = false;
    sending.answered = false;
  } else if (dice.Percent(kafka.lost_answers)) {
    sending.answered = false;
    if (kafka.latest > 0) sending.written_at = deadline + dice.Between(-kSecond, kafka.latest);
  }
  if (!sending.answered) sending.ends_at = deadline;
  return sending;
}

HintTopic::HintTopic(World& world, KafkaState& kafka, OnCommitted on_committed)
    : world_(world),
      kafka_(kafka),
      on_committed_(std::move(on_committed)),
      partitions_(kPartitions) {}

HintTopic::Record& HintTopic::Write(const std::string& key, const std::string& value) {
  const std::size_t id = HashOf(key) % kPartitions;
  Partition& partition = partitions_.at(id);
  partition.records.push_back(
      {.record = {.partition = static_cast<std::int32_t>(id),
                  .offset = static_cast<std::int64_t>(partition.records.size()),
                  .leader_epoch = partition.leader_epoch,
                  .key = key,
                  .value = value,
                  .trace = {}},
       .at = world_.now()});
  WakeAll();
  return partition.records.back();
}

HintTopic::Record& HintTopic::Write(const events::v1::Hint& hint) {
  return Write(hint.project() + ":" + hint.order_id(), hint.SerializeAsString());
}

void HintTopic::Truncate(std::size_t partition, std::size_t count) {
  Partition& truncated = partitions_.at(partition);
  const std::size_t left = truncated.records.size() - std::min(count, truncated.records.size());
  truncated.records.resize(left);
  ++truncated.leader_epoch;
  if (left == 0) {
    // Made anew: its leaders begin again, and the group's offsets went with the one before.
    truncated.leader_epoch = 0;
    truncated.note.clear();
  }
  const auto end = static_cast<std::int64_t>(left);
  // Who is behind the end begins at the beginning (auto.offset.reset=earliest).
  if (truncated.committed > end) truncated.committed = 0;
  for (HintFeedOfGroup* member : members_) {
    const auto position = member->positions_.find(static_cast<std::int32_t>(partition));
    if (position != member->positions_.end() && position->second > end) position->second = 0;
    member->stored_.erase(static_cast<std::int32_t>(partition));
  }
  WakeAll();
}

void HintTopic::WakeAll() {
  for (HintFeedOfGroup* member : members_) member->gate_.Open();
}

void HintTopic::Join(HintFeedOfGroup* feed) {
  feed->in_group_ = true;
  members_.push_back(feed);
  Rebalance(world_.now() + world_.dice.Between(0, kSecond));
}

void HintTopic::Lost(HintFeedOfGroup* feed) {
  if (std::erase(members_, feed) == 0) return;
  feed->in_group_ = false;
  Rebalance(world_.now() + kSessionTimeout);
}

void HintTopic::Rebalance(Time at) {
  world_.At(at, [this] { ShareNow(); });
}

void HintTopic::ShareNow() {
  const std::vector<HintFeedOfGroup*> before = members_;
  for (HintFeedOfGroup* member : before) {
    if (world_.IsFrozen(member->context_)) {
      // It does not answer: the others go on without it. It learns of that when it wakes.
      std::erase(members_, member);
      member->in_group_ = false;
    } else {
      member->Revoke(true);
    }
  }
  for (std::size_t i = 0; i < kPartitions && !members_.empty(); ++i) {
    members_.at((i + rebalances_) % members_.size())
        ->Assign(static_cast<std::int32_t>(i), partitions_.at(i).committed);
  }
  for (HintFeedOfGroup* member : members_) member->TellShare();
  ++rebalances_;
}

void HintTopic::Commit(std::size_t partition, const Stored& stored) {
  Partition& committed = partitions_.at(partition);
  const auto end = static_cast<std::int64_t>(committed.records.size());
  for (std::int64_t i = committed.committed; i < std::min(stored.offset, end); ++i) {
    on_committed_(committed.records.at(static_cast<std::size_t>(i)));
  }
  committed.committed = std::min(stored.offset, end);
  committed.note = stored.note;
}

HintFeedOfGroup::~HintFeedOfGroup() {
  *alive_ = false;
  observer_ = nullptr;
  gate_.Drop();
  topic_.Lost(this);
}

absl::Status HintFeedOfGroup::Start(ports::HintFeedObserver* observer) {
  observer_ = observer;
  topic_.Join(this);
  return absl::OkStatus();
}

std::vector<ports::HintRecord> HintFeedOfGroup::Take() {
  constexpr std::int64_t kAtOnce = 50;
  std::vector<ports::HintRecord> taken;
  if (!topic_.kafka().reachable) return taken;
  for (auto& [id, position] : positions_) {
    if (paused_.contains(id)) continue;
    const auto& records = topic_.partitions_.at(static_cast<std::size_t>(id)).records;
    const auto end = std::min(static_cast<std::int64_t>(records.size()), position + kAtOnce);
    for (; position < end; ++position) {
      taken.push_back(records.at(static_cast<std::size_t>(position)).record);
    }
  }
  return taken;
}

Async<std::vector<ports::HintRecord>> HintFeedOfGroup::Next() {
  for (;;) {
    if (stopped_) co_return absl::CancelledError("the feed was stopped");
    std::vector<ports::HintRecord> taken = Take();
    if (!taken.empty()) {
      tell_unreachable_ = true;
      co_return taken;
    }
    if (!topic_.kafka().reachable && std::exchange(tell_unreachable_, false)) co_return Away();
    co_await gate_.Wait();
    co_await world_.SleepUntil(world_.now() + world_.dice.Between(0, 20));
  }
}

void HintFeedOfGroup::StoreOffset(std::int32_t partition, std::int64_t next_offset,
                                  std::string note) {
  if (!positions_.contains(partition)) return;
  stored_[partition] = {next_offset, std::move(note)};
  PlanCommit();
}

void HintFeedOfGroup::PlanCommit() {
  if (std::exchange(commit_planned_, true)) return;
  world_.At(world_.now() + world_.dice.Between(0, kCommitInterval), [this, alive = alive_] {
    if (*alive) CommitStored();
  });
}

void HintFeedOfGroup::CommitStored() {
  commit_planned_ = false;
  // Of one that the group has given up nothing is taken any more.
  if (!in_group_ || stored_.empty()) return;
  if (!topic_.kafka().reachable || world_.IsFrozen(context_)) return PlanCommit();
  for (const auto& [id, stored] : std::exchange(stored_, {})) {
    topic_.Commit(static_cast<std::size_t>(id), stored);
  }
}

void HintFeedOfGroup::Resume(std::int32_t partition) {
  paused_.erase(partition);
  gate_.Open();
}

AsyncStatus HintFeedOfGroup::Stop() {
  stopped_ = true;
  Revoke(true);
  topic_.Lost(this);
  gate_.Open();
  co_return absl::OkStatus();
}

void HintFeedOfGroup::TellShare() {
  std::vector<ports::HintShare> assigned;
  for (const auto& [id, position] : positions_) {
    const HintTopic::Partition& of_group = topic_.partitions_.at(static_cast<std::size_t>(id));
    assigned.push_back({id, of_group.committed, of_group.note});
  }
  if (observer_ != nullptr) observer_->OnAssigned(assigned);
}

void HintFeedOfGroup::Revoke(bool commits) {
  if (commits) CommitStored();
  stored_.clear();
  paused_.clear();
  std::vector<std::int32_t> revoked;
  for (const auto& [id, position] : std::exchange(positions_, {})) revoked.push_back(id);
  if (!revoked.empty() && observer_ != nullptr) observer_->OnRevoked(revoked);
}

void HintFeedOfGroup::Assign(std::int32_t partition, std::int64_t offset) {
  positions_[partition] = offset;
  gate_.Open();
}

void HintFeedOfGroup::StandsStill(Time length) {
  if (!in_group_) return;
  const auto when_alive = [this, alive = alive_](auto action) {
    return [this, alive, action] {
      if (*alive) action(this);
    };
  };
  if (length > kSessionTimeout) {
    world_.At(world_.now() + kSessionTimeout, when_alive([](HintFeedOfGroup* self) {
                if (std::erase(self->topic_.members_, self) == 0) return;
                self->in_group_ = false;
                self->topic_.ShareNow();
              }));
  }
  // It goes on with what it has until it hears of it.
  const Time hears = world_.now() + length + world_.dice.Between(1, 3 * kSecond);
  world_.At(hears, when_alive([](HintFeedOfGroup* self) {
              if (self->in_group_) return;
              self->Revoke(false);
              self->topic_.Join(self);
            }));
}

AsyncStatus HintLogOfProcess::Append(const events::v1::Hint& hint, const ports::Context& context) {
  const Sending sending = RollSending(world_, topic_.kafka(), model::ToTime(context.deadline));
  if (sending.written) {
    world_.At(sending.written_at, [topic = &topic_, hint] { topic->Write(hint); });
  }
  co_await world_.SleepUntil(sending.ends_at);
  co_return sending.answered ? absl::OkStatus() : Away();
}

AsyncStatus DeadLetters::Append(const ports::DeadLetter& letter, const ports::Context& context) {
  const Sending sending = RollSending(world_, kafka_, model::ToTime(context.deadline));
  if (sending.written) {
    world_.At(sending.written_at, [this, letter] { letters_.push_back(letter); });
  }
  co_await world_.SleepUntil(sending.ends_at);
  co_return sending.answered ? absl::OkStatus() : Away();
}

}  // namespace tollbridge::events_model
