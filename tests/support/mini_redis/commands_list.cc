#include <algorithm>
#include <optional>
#include <utility>

#include "tests/support/mini_redis/commands.h"

namespace tollbridge::test {
namespace {

using redis::Reply;

std::int64_t Length(const List& list) { return static_cast<std::int64_t>(list.size()); }

Reply Rpush(Keyspace& keys, Arguments arguments) {
  List& list = keys.GetOrCreate<List>(arguments[0]);
  for (const std::string& value : arguments.subspan(1)) list.push_back(value);
  return Integer(Length(list));
}

Reply Lpush(Keyspace& keys, Arguments arguments) {
  List& list = keys.GetOrCreate<List>(arguments[0]);
  for (const std::string& value : arguments.subspan(1)) list.push_front(value);
  return Integer(Length(list));
}

Reply PopSeveral(Keyspace& keys, const std::string& key, std::int64_t count) {
  List* list = keys.Get<List>(key);
  if (list == nullptr) return Nil();
  std::vector<Reply> popped;
  for (; count > 0 && !list->empty(); --count) {
    popped.push_back(Text(std::move(list->front())));
    list->pop_front();
  }
  keys.EraseIfEmpty(key, *list);
  return Array(std::move(popped));
}

Reply Lpop(Keyspace& keys, Arguments arguments) {
  if (arguments.size() == 1) {
    Reply popped = PopSeveral(keys, arguments[0], 1);
    return popped.is_nil() ? popped : std::move(popped.elements[0]);
  }
  const std::optional<std::int64_t> count = redis::ParseInteger(arguments[1]);
  if (!count || *count < 0) throw CommandError{"ERR value is out of range, must be positive"};
  return PopSeveral(keys, arguments[0], *count);
}

Reply Llen(Keyspace& keys, Arguments arguments) {
  const List* list = keys.Get<List>(arguments[0]);
  return Integer(list == nullptr ? 0 : Length(*list));
}

Reply Lrange(Keyspace& keys, Arguments arguments) {
  std::int64_t first = ToInteger(arguments[1]);
  std::int64_t last = ToInteger(arguments[2]);
  const List* list = keys.Get<List>(arguments[0]);
  if (list == nullptr) return Array({});
  if (first < 0) first = std::max<std::int64_t>(0, first + Length(*list));
  if (last < 0) last += Length(*list);
  last = std::min(last, Length(*list) - 1);
  std::vector<Reply> values;
  for (; first <= last; ++first) values.push_back(Text((*list)[static_cast<std::size_t>(first)]));
  return Array(std::move(values));
}

Reply Lindex(Keyspace& keys, Arguments arguments) {
  const List* list = keys.Get<List>(arguments[0]);
  if (list == nullptr) return Nil();
  std::int64_t index = ToInteger(arguments[1]);
  if (index < 0) index += Length(*list);
  if (index < 0 || index >= Length(*list)) return Nil();
  return Text((*list)[static_cast<std::size_t>(index)]);
}

}  // namespace

void AddListCommands(CommandTable& table) {
  table.insert({
      {"RPUSH", {Rpush, 2, SIZE_MAX, true, true}},
      {"LPUSH", {Lpush, 2, SIZE_MAX, true, true}},
      {"LPOP", {Lpop, 1, 2, true}},
      {"LLEN", {Llen, 1, 1}},
      {"LRANGE", {Lrange, 3, 3}},
      {"LINDEX", {Lindex, 2, 2}},
  });
}

}  // namespace tollbridge::test
