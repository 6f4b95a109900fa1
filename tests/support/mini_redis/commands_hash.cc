#include <algorithm>
#include <optional>
#include <utility>

#include "tests/support/mini_redis/commands.h"

namespace tollbridge::test {
namespace {

using redis::Reply;

Reply FieldOf(const Hash* hash, const std::string& field) {
  const std::string* value = hash == nullptr ? nullptr : hash->Get(field);
  return value == nullptr ? Nil() : Text(*value);
}

Reply Hget(Keyspace& keys, Arguments arguments) {
  return FieldOf(keys.Get<Hash>(arguments[0]), arguments[1]);
}

Reply Hmget(Keyspace& keys, Arguments arguments) {
  const Hash* hash = keys.Get<Hash>(arguments[0]);
  std::vector<Reply> values;
  values.reserve(arguments.size() - 1);
  for (const std::string& field : arguments.subspan(1)) values.push_back(FieldOf(hash, field));
  return Array(std::move(values));
}

Reply Hgetall(Keyspace& keys, Arguments arguments) {
  std::vector<Reply> all;
  if (const Hash* hash = keys.Get<Hash>(arguments[0])) {
    for (const auto& [field, value] : hash->fields()) {
      all.push_back(Text(field));
      all.push_back(Text(value));
    }
  }
  return Array(std::move(all));
}

Reply Hset(Keyspace& keys, Arguments arguments) {
  if (arguments.size() % 2 == 0) {
    throw CommandError{"ERR wrong number of arguments for 'hset' command"};
  }
  Hash& hash = keys.GetOrCreate<Hash>(arguments[0]);
  std::int64_t added = 0;
  for (std::size_t i = 1; i < arguments.size(); i += 2) {
    if (hash.Set(arguments[i], arguments[i + 1])) ++added;
  }
  return Integer(added);
}

Reply Hsetnx(Keyspace& keys, Arguments arguments) {
  Hash& hash = keys.GetOrCreate<Hash>(arguments[0]);
  if (hash.Get(arguments[1]) != nullptr) return Integer(0);
  hash.Set(arguments[1], arguments[2]);
  return Integer(1);
}

Reply Hdel(Keyspace& keys, Arguments arguments) {
  Hash* hash = keys.Get<Hash>(arguments[0]);
  if (hash == nullptr) return Integer(0);
  const auto count = std::ranges::count_if(
      arguments.subspan(1), [&](const std::string& field) { return hash->Erase(field); });
  keys.EraseIfEmpty(arguments[0], *hash);
  return Integer(count);
}

Reply Hexists(Keyspace& keys, Arguments arguments) {
  const Hash* hash = keys.Get<Hash>(arguments[0]);
  return Integer(hash != nullptr && hash->Get(arguments[1]) != nullptr ? 1 : 0);
}

Reply Hlen(Keyspace& keys, Arguments arguments) {
  const Hash* hash = keys.Get<Hash>(arguments[0]);
  return Integer(hash == nullptr ? 0 : static_cast<std::int64_t>(hash->fields().size()));
}

Reply Hstrlen(Keyspace& keys, Arguments arguments) {
  const Reply value = Hget(keys, arguments);
  return Integer(static_cast<std::int64_t>(value.text.size()));
}

Reply Hincrby(Keyspace& keys, Arguments arguments) {
  const std::int64_t by = ToInteger(arguments[2]);
  std::int64_t sum = by;
  if (const Hash* hash = keys.Get<Hash>(arguments[0])) {
    if (const std::string* old = hash->Get(arguments[1])) {
      const std::optional<std::int64_t> number = redis::ParseInteger(*old);
      if (!number) throw CommandError{"ERR hash value is not an integer"};
      sum += *number;
    }
  }
  keys.GetOrCreate<Hash>(arguments[0]).Set(arguments[1], std::to_string(sum));
  return Integer(sum);
}

}  // namespace

void AddHashCommands(CommandTable& table) {
  table.insert({
      {"HGET", {Hget, 2, 2}},
      {"HMGET", {Hmget, 2}},
      {"HGETALL", {Hgetall, 1, 1}},
      {"HSET", {Hset, 3, SIZE_MAX, true, true}},
      {"HSETNX", {Hsetnx, 3, 3, true, true}},
      {"HDEL", {Hdel, 2, SIZE_MAX, true}},
      {"HEXISTS", {Hexists, 2, 2}},
      {"HLEN", {Hlen, 1, 1}},
      {"HSTRLEN", {Hstrlen, 2, 2}},
      {"HINCRBY", {Hincrby, 3, 3, true, true}},
  });
}

}  // namespace tollbridge::test
