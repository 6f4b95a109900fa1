#include "services/events/slow_set.h"

#include <chrono>

namespace tollbridge::events {

namespace {

/// No order waits longer than this for its next try: who has not come back was read elsewhere.
constexpr ports::Millis kLongestWait = std::chrono::hours(1);

}  // namespace

SlowSet::Entry* SlowSet::TakeIn(const ports::FamilyKey& key, WallTime now) {
  Orders& orders = projects_[key.project];
  auto found = orders.find(key.root);
  if (found == orders.end()) {
    if (orders.size() >= max_per_project_) {
      std::erase_if(orders,
                    [&](const auto& entry) { return now - entry.second.last > kLongestWait; });
      if (orders.size() >= max_per_project_) return nullptr;
    }
    found = orders.emplace(key.root, Entry{.count = 0, .first = now, .last = now}).first;
  }
  found->second.last = now;
  return &found->second;
}

std::optional<std::uint32_t> SlowSet::Count(const ports::FamilyKey& key, WallTime now) {
  Entry* tries = TakeIn(key, now);
  if (tries == nullptr) return std::nullopt;
  return ++tries->count;
}

const SlowSet::Entry* SlowSet::Find(const ports::FamilyKey& key) const {
  const auto orders = projects_.find(key.project);
  if (orders == projects_.end()) return nullptr;
  const auto found = orders->second.find(key.root);
  return found == orders->second.end() ? nullptr : &found->second;
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

void SlowSet::Forget(const ports::FamilyKey& key) {
  const auto orders = projects_.find(key.project);
  if (orders != projects_.end()) orders->second.erase(key.root);
}

}  // namespace tollbridge::events
