#include "tests/support/fakes/fake_store.h"

#include <absl/status/status.h>

#include <algorithm>

#include "services/base/status_macros.h"
#include "services/domain/errors.h"

// Its state, the snapshots and the due queue; the operations are in fake_store_operations.cc.
namespace tollbridge::test {

FakeStore::FakeStore(std::function<ports::WallTime()> now)
    : now_(std::move(now)), epoch_(Uuid::V4({0xe0, 0x0c, 0x11})) {}

void FakeStore::LoseMemory() {
  epoch_.reset();
  records_.clear();
  reviews_.clear();
  gates_.clear();
  families_.clear();
  outboxes_.clear();
  due_.clear();
}

std::vector<std::string> FakeStore::reviews() const {
  std::vector<std::string> ids;
  for (const auto& [key, record] : reviews_) {
    ids.push_back(key.first.ToString() + ":review:" + std::to_string(key.second));
  }
  return ids;
}

absl::Status FakeStore::Admit(bool needs_epoch) {
  ++calls_;
  if (!available_) return Unavailable();
  if (needs_epoch && !epoch_) {
    return domain::MakeError(
        absl::StatusCode::kUnavailable, "the store has no epoch",
        {.reason = domain::reason::kStoreNotInitialized, .retry = domain::Retry::kSafeSameKey});
  }
  return absl::OkStatus();
}

absl::Status FakeStore::Unavailable() {
  return domain::MakeError(
      absl::StatusCode::kUnavailable, "the store cannot be asked",
      {.reason = domain::reason::kStoreUnavailable, .retry = domain::Retry::kSafeSameKey});
}

FakeStore::Family& FakeStore::FindFamily(const ports::FamilyKey& key) {
  Family& family = families_[key];
  if (family.expires && *family.expires <= Now()) family = Family{};
  return family;
}

Async<ports::FamilyState> FakeStore::Load(const ports::FamilyKey& key, const ports::Context&) {
  TB_CO_RETURN_IF_ERROR(Admit(false));
  const Family& family = FindFamily(key);
  ports::FamilyState state{
      .version = family.version, .snapshot = family.snapshot, .entry = family.entry};
  state.entry.key = key;
  if (const auto outbox = outboxes_.find(key); outbox != outboxes_.end()) {
    state.outbox = outbox->second.outbox;
  }
  if (const auto due = due_.find(key); due != due_.end()) state.due = due->second;
  co_return Answer(std::move(state));
}

Async<ports::SaveVerdict> FakeStore::Save(const ports::SaveRequest& request,
                                          const ports::Context&) {
  TB_CO_RETURN_IF_ERROR(Admit(false));
  Family& family = FindFamily(request.key);
  if (family.version != request.expected_version) {
    co_return Answer(ports::SaveVerdict::kVersionLost);
  }
  if (outboxes_.contains(request.key)) co_return Answer(ports::SaveVerdict::kOutboxPending);
  ++family.version;
  family.snapshot = request.snapshot;
  family.expires = Now() + request.retention;
  if (request.outbox.entries_size() > 0) {
    outboxes_[request.key] = {.version = family.version, .outbox = request.outbox};
  }
  const auto due = due_.find(request.key);
  const std::optional<ports::WallTime> current =
      due == due_.end() ? std::nullopt : std::optional(due->second);
  if (current == request.seen_due) {
    if (request.next_due) {
      due_[request.key] = *request.next_due;
    } else {
      due_.erase(request.key);
    }
  }
  co_return Answer(ports::SaveVerdict::kSaved);
}

Async<bool> FakeStore::ClearOutbox(const ports::FamilyKey& key, std::uint64_t version,
                                   const ports::Context&) {
  TB_CO_RETURN_IF_ERROR(Admit(false));
  const auto outbox = outboxes_.find(key);
  const bool clears = outbox != outboxes_.end() && outbox->second.version == version;
  if (clears) outboxes_.erase(outbox);
  co_return Answer(clears);
}

Async<std::vector<ports::DueOrder>> FakeStore::Take(ports::WallTime now, ports::Millis move_by,
                                                    std::size_t limit, const ports::Context&) {
  TB_CO_RETURN_IF_ERROR(Admit(false));
  std::vector<ports::DueOrder> taken;
  for (const auto& [key, due] : due_) {
    if (due <= now) taken.push_back({.key = key, .due = due});
  }
  std::ranges::sort(taken, {}, &ports::DueOrder::due);
  if (taken.size() > limit) taken.resize(limit);
  for (const ports::DueOrder& order : taken) due_[order.key] = now + move_by;
  co_return Answer(std::move(taken));
}

AsyncStatus FakeStore::Enter(const ports::FamilyKey& key, ports::WallTime due,
                             const ports::Context&) {
  TB_CO_RETURN_IF_ERROR(Admit(false));
  const auto [entry, entered] = due_.try_emplace(key, due);
  if (!entered) entry->second = std::min(entry->second, due);
  co_return Answer(true).status();
}

AsyncStatus FakeStore::Remove(const ports::FamilyKey& key, const ports::Context&) {
  TB_CO_RETURN_IF_ERROR(Admit(false));
  due_.erase(key);
  co_return Answer(true).status();
}

Async<std::optional<ports::WallTime>> FakeStore::Oldest(const ports::Context&) {
  TB_CO_RETURN_IF_ERROR(Admit(false));
  std::optional<ports::WallTime> oldest;
  for (const auto& [key, due] : due_) {
    if (!oldest || due < *oldest) oldest = due;
  }
  co_return Answer(oldest);
}

}  // namespace tollbridge::test
