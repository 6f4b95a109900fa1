#include "services/events/slow_set.h"

namespace tollbridge::events {
namespace {

/// A full share is looked through no more often.
constexpr ports::Millis kLooksAfter = std::chrono::seconds(1);

}  // namespace

void SlowSet::LookThrough(Share& share, WallTime now) const {
  const bool just_done = now >= share.looked_through && now - share.looked_through < kLooksAfter;
  if (just_done) return;
  share.looked_through = now;
  std::erase_if(share.orders,
                [&](const auto& entry) { return now - entry.second.last > longest_wait_; });
}

SlowSet::Entry* SlowSet::TakeIn(const ports::FamilyKey& key, WallTime now) {
  Share& share = projects_[key.project];
  auto found = share.orders.find(key.root);
  if (found == share.orders.end()) {
    if (share.orders.size() >= max_per_project_) {
      LookThrough(share, now);
      if (share.orders.size() >= max_per_project_) return nullptr;
    }
    found = share.orders.emplace(key.root, Entry{.count = 0, .first = now, .last = now}).first;
  }
  found->second.last = now;
  return &found->second;
}

std::optional<std::uint32_t> SlowSet::Count(const ports::FamilyKey& key, WallTime now,
                                            Failure failure) {
  Entry* tries = TakeIn(key, now);
  if (tries == nullptr) return std::nullopt;
  if (tries->count == 0 || tries->failure != failure) tries->failure_since = now;
  tries->failure = failure;
  return ++tries->count;
}

const SlowSet::Entry* SlowSet::Find(const ports::FamilyKey& key) const {
  const auto share = projects_.find(key.project);
  if (share == projects_.end()) return nullptr;
  const auto found = share->second.orders.find(key.root);
  return found == share->second.orders.end() ? nullptr : &found->second;
}

SlowSet::Entry* SlowSet::Find(const ports::FamilyKey& key) {
  const auto share = projects_.find(key.project);
  if (share == projects_.end()) return nullptr;
  const auto found = share->second.orders.find(key.root);
  return found == share->second.orders.end() ? nullptr : &found->second;
}

std::uint32_t SlowSet::Tries(const ports::FamilyKey& key) const {
  const Entry* tries = Find(key);
  return tries == nullptr ? 0 : tries->count;
}

std::optional<WallTime> SlowSet::FirstFailure(const ports::FamilyKey& key) const {
  const Entry* tries = Find(key);
  if (tries == nullptr) return std::nullopt;
  return tries->first;
}

std::optional<WallTime> SlowSet::LastFailure(const ports::FamilyKey& key) const {
  const Entry* tries = Find(key);
  if (tries == nullptr || tries->count == 0) return std::nullopt;
  return tries->last;
}

std::optional<WallTime> SlowSet::Since(const ports::FamilyKey& key, Failure failure) const {
  const Entry* tries = Find(key);
  if (tries == nullptr || tries->count == 0 || tries->failure != failure) return std::nullopt;
  return tries->failure_since;
}

std::optional<WallTime> SlowSet::NotFoundSince(const ports::FamilyKey& key) const {
  return Since(key, Failure::kNotFound);
}

std::optional<WallTime> SlowSet::OlderSince(const ports::FamilyKey& key) const {
  return Since(key, Failure::kOlder);
}

std::optional<WallTime> SlowSet::NoParentSince(const ports::FamilyKey& key) const {
  return Since(key, Failure::kNoParent);
}

void SlowSet::NoteLetter(const ports::FamilyKey& key) {
  if (Entry* tries = Find(key)) tries->has_letter = true;
}

void SlowSet::NoteGone(const ports::FamilyKey& key) {
  if (Entry* tries = Find(key)) tries->gone = true;
}

bool SlowSet::IsGone(const ports::FamilyKey& key) const {
  const Entry* tries = Find(key);
  return tries != nullptr && tries->gone;
}

bool SlowSet::HasLetter(const ports::FamilyKey& key) const {
  const Entry* tries = Find(key);
  return tries != nullptr && tries->has_letter;
}

void SlowSet::Forget(const ports::FamilyKey& key) {
  const auto share = projects_.find(key.project);
  if (share != projects_.end()) share->second.orders.erase(key.root);
}

}  // namespace tollbridge::events
