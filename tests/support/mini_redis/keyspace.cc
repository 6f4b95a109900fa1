#include "tests/support/mini_redis/keyspace.h"

#include <algorithm>

namespace tollbridge::test {

const std::string* Hash::Get(std::string_view field) const {
  for (const auto& [name, value] : fields_) {
    if (name == field) return &value;
  }
  return nullptr;
}

bool Hash::Set(std::string_view field, std::string value) {
  for (auto& [name, old] : fields_) {
    if (name != field) continue;
    old = std::move(value);
    return false;
  }
  fields_.emplace_back(field, std::move(value));
  return true;
}

bool Hash::Erase(std::string_view field) {
  const auto at =
      std::ranges::find_if(fields_, [&](const auto& entry) { return entry.first == field; });
  if (at == fields_.end()) return false;
  fields_.erase(at);
  return true;
}

std::optional<double> SortedSet::Score(const std::string& member) const {
  const auto at = scores_.find(member);
  if (at == scores_.end()) return std::nullopt;
  return at->second;
}

bool SortedSet::Set(const std::string& member, double score) {
  const auto [at, is_new] = scores_.try_emplace(member, score);
  if (!is_new) {
    ordered_.erase({at->second, member});
    at->second = score;
  }
  ordered_.emplace(score, member);
  return is_new;
}

bool SortedSet::Erase(const std::string& member) {
  const auto at = scores_.find(member);
  if (at == scores_.end()) return false;
  ordered_.erase({at->second, member});
  scores_.erase(at);
  return true;
}

Entry* Keyspace::Find(const std::string& key) {
  const auto at = entries_.find(key);
  if (at == entries_.end()) return nullptr;
  if (at->second.expires_at && *at->second.expires_at <= now_) {
    entries_.erase(at);
    return nullptr;
  }
  return &at->second;
}

bool Keyspace::Erase(const std::string& key) {
  if (Find(key) == nullptr) return false;
  entries_.erase(key);
  return true;
}

std::vector<std::string> Keyspace::Names() const {
  std::vector<std::string> names;
  names.reserve(entries_.size());
  for (const auto& [name, entry] : entries_) names.push_back(name);
  return names;
}

std::size_t Keyspace::Count() {
  std::erase_if(entries_, [this](const auto& entry) {
    return entry.second.expires_at && *entry.second.expires_at <= now_;
  });
  return entries_.size();
}

}  // namespace tollbridge::test
