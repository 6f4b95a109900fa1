#ifndef TOLLBRIDGE_TESTS_SUPPORT_MINI_REDIS_KEYSPACE_H_
#define TOLLBRIDGE_TESTS_SUPPORT_MINI_REDIS_KEYSPACE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "tests/support/mini_redis/stream.h"

namespace tollbridge::test {

/// What a command of the Redis in memory answers instead of a value. Thrown inside this folder
/// only, and caught where commands are dispatched.
struct CommandError {
  std::string text;
};

/// Fields in the order in which they came, as in Redis' small encoding.
class Hash {
 public:
  const std::string* Get(std::string_view field) const;
  /// True when the field is new.
  bool Set(std::string_view field, std::string value);
  bool Erase(std::string_view field);
  const std::vector<std::pair<std::string, std::string>>& fields() const { return fields_; }
  bool empty() const { return fields_.empty(); }

 private:
  std::vector<std::pair<std::string, std::string>> fields_;
};

/// Members by score, then by bytes.
class SortedSet {
 public:
  using Order = std::set<std::pair<double, std::string>>;

  std::optional<double> Score(const std::string& member) const;
  /// True when the member is new.
  bool Set(const std::string& member, double score);
  bool Erase(const std::string& member);
  const Order& ordered() const { return ordered_; }
  bool empty() const { return ordered_.empty(); }

 private:
  Order ordered_;
  std::unordered_map<std::string, double> scores_;
};

using PlainSet = std::set<std::string>;
using List = std::deque<std::string>;

struct Entry {
  std::variant<std::string, Hash, SortedSet, PlainSet, List, Stream> value;
  /// Ms of the server's clock.
  std::optional<std::int64_t> expires_at;
};

/// The keys of a Redis in memory. Copies are independent.
class Keyspace {
 public:
  /// Ms since 1970: what has expired by now is not there.
  void set_now(std::int64_t now) { now_ = now; }
  std::int64_t now() const { return now_; }

  Entry* Find(const std::string& key);
  /// nullptr when there is no such key. Throws CommandError when it holds another type.
  template <typename T>
  T* Get(const std::string& key) {
    Entry* entry = Find(key);
    return entry == nullptr ? nullptr : &OfType<T>(*entry);
  }
  template <typename T>
  T& GetOrCreate(const std::string& key) {
    Entry* entry = Find(key);
    if (entry == nullptr) entry = &entries_.try_emplace(key, Entry{T{}, {}}).first->second;
    return OfType<T>(*entry);
  }
  void Put(const std::string& key, Entry entry) { entries_[key] = std::move(entry); }
  bool Erase(const std::string& key);
  /// Redis keeps no empty collections.
  template <typename T>
  void EraseIfEmpty(const std::string& key, const T& collection) {
    if (collection.empty()) entries_.erase(key);
  }
  void Clear() { entries_.clear(); }
  /// Number of keys that have not expired.
  std::size_t Count();
  /// Of all keys, also those that have expired; in no order.
  std::vector<std::string> Names() const;

 private:
  template <typename T>
  static T& OfType(Entry& entry) {
    if (T* value = std::get_if<T>(&entry.value)) return *value;
    throw CommandError{"WRONGTYPE Operation against a key holding the wrong kind of value"};
  }

  std::unordered_map<std::string, Entry> entries_;
  std::int64_t now_ = 0;
};

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_MINI_REDIS_KEYSPACE_H_
