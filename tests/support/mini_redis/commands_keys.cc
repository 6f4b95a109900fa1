#include <algorithm>
#include <optional>
#include <utility>

#include "tests/support/mini_redis/commands.h"

namespace tollbridge::test {
namespace {

using redis::Reply;

constexpr std::int64_t kMsPerSecond = 1000;

Reply Exists(Keyspace& keys, Arguments arguments) {
  return Integer(std::ranges::count_if(
      arguments, [&](const std::string& key) { return keys.Find(key) != nullptr; }));
}

Reply Del(Keyspace& keys, Arguments arguments) {
  return Integer(
      std::ranges::count_if(arguments, [&](const std::string& key) { return keys.Erase(key); }));
}

Reply Type(Keyspace& keys, Arguments arguments) {
  constexpr const char* kNames[] = {"string", "hash", "zset", "set", "list", "stream"};
  const Entry* entry = keys.Find(arguments[0]);
  return Status(entry == nullptr ? "none" : kNames[entry->value.index()]);
}

struct ExpireOptions {
  bool only_without = false;
  bool only_with = false;
  bool later = false;
  bool sooner = false;
};

ExpireOptions ReadExpireOptions(Arguments words) {
  ExpireOptions options;
  for (const std::string& text : words) {
    const std::string word = Capitals(text);
    if (word == "NX") {
      options.only_without = true;
    } else if (word == "XX") {
      options.only_with = true;
    } else if (word == "GT") {
      options.later = true;
    } else if (word == "LT") {
      options.sooner = true;
    } else {
      throw CommandError{"ERR Unsupported option " + text};
    }
  }
  if (options.only_without && (options.only_with || options.later || options.sooner)) {
    throw CommandError{"ERR NX and XX, GT or LT options at the same time are not compatible"};
  }
  if (options.later && options.sooner) {
    throw CommandError{"ERR GT and LT options at the same time are not compatible"};
  }
  return options;
}

/// A key that does not expire does so later than any.
bool Wanted(const ExpireOptions& options, std::optional<std::int64_t> old, std::int64_t at) {
  if (options.only_without && old) return false;
  if (options.only_with && !old) return false;
  if (options.later && (!old || at <= *old)) return false;
  return !options.sooner || !old || at < *old;
}

Reply ExpireAt(Keyspace& keys, Arguments arguments, std::int64_t start, std::int64_t unit) {
  const ExpireOptions options = ReadExpireOptions(arguments.subspan(2));
  const std::int64_t at = start + ToInteger(arguments[1]) * unit;
  Entry* entry = keys.Find(arguments[0]);
  if (entry == nullptr || !Wanted(options, entry->expires_at, at)) return Integer(0);
  if (at <= keys.now()) {
    keys.Erase(arguments[0]);
  } else {
    entry->expires_at = at;
  }
  return Integer(1);
}

Reply Pexpire(Keyspace& keys, Arguments arguments) {
  return ExpireAt(keys, arguments, keys.now(), 1);
}

Reply PexpireAt(Keyspace& keys, Arguments arguments) { return ExpireAt(keys, arguments, 0, 1); }

Reply Expire(Keyspace& keys, Arguments arguments) {
  return ExpireAt(keys, arguments, keys.now(), kMsPerSecond);
}

Reply Pttl(Keyspace& keys, Arguments arguments) {
  const Entry* entry = keys.Find(arguments[0]);
  if (entry == nullptr) return Integer(-2);
  return Integer(entry->expires_at ? *entry->expires_at - keys.now() : -1);
}

Reply Persist(Keyspace& keys, Arguments arguments) {
  Entry* entry = keys.Find(arguments[0]);
  if (entry == nullptr || !entry->expires_at) return Integer(0);
  entry->expires_at.reset();
  return Integer(1);
}

Reply Get(Keyspace& keys, Arguments arguments) {
  const std::string* value = keys.Get<std::string>(arguments[0]);
  return value == nullptr ? Nil() : Text(*value);
}

struct SetOptions {
  bool only_new = false;
  bool only_old = false;
  bool keep_expiry = false;
  bool answer_old = false;
  std::optional<std::int64_t> expires_at;
};

SetOptions ReadSetOptions(const Keyspace& keys, Arguments arguments) {
  SetOptions options;
  for (std::size_t i = 2; i < arguments.size(); ++i) {
    const std::string word = Capitals(arguments[i]);
    if (word == "NX" && !options.only_old) {
      options.only_new = true;
    } else if (word == "XX" && !options.only_new) {
      options.only_old = true;
    } else if (word == "GET") {
      options.answer_old = true;
    } else if (word == "KEEPTTL" && !options.expires_at) {
      options.keep_expiry = true;
    } else if ((word == "PX" || word == "EX") && i + 1 < arguments.size() && !options.expires_at &&
               !options.keep_expiry) {
      const std::int64_t time = ToInteger(arguments[++i]) * (word == "EX" ? kMsPerSecond : 1);
      if (time <= 0) throw CommandError{"ERR invalid expire time in 'set' command"};
      options.expires_at = keys.now() + time;
    } else {
      SyntaxError();
    }
  }
  return options;
}

Reply Set(Keyspace& keys, Arguments arguments) {
  const SetOptions options = ReadSetOptions(keys, arguments);
  const std::string& key = arguments[0];
  Reply old = Nil();
  if (options.answer_old) old = Get(keys, arguments.first(1));
  const Entry* entry = keys.Find(key);
  if ((options.only_new && entry != nullptr) || (options.only_old && entry == nullptr)) {
    return old;
  }
  Entry fresh{arguments[1], options.expires_at};
  if (options.keep_expiry && entry != nullptr) fresh.expires_at = entry->expires_at;
  keys.Put(key, std::move(fresh));
  return options.answer_old ? old : Ok();
}

Reply IncreaseBy(Keyspace& keys, const std::string& key, std::int64_t by) {
  std::string& value = keys.GetOrCreate<std::string>(key);
  const std::int64_t sum = (value.empty() ? 0 : ToInteger(value)) + by;
  value = std::to_string(sum);
  return Integer(sum);
}

Reply Incr(Keyspace& keys, Arguments arguments) { return IncreaseBy(keys, arguments[0], 1); }

Reply IncrBy(Keyspace& keys, Arguments arguments) {
  return IncreaseBy(keys, arguments[0], ToInteger(arguments[1]));
}

Reply Sadd(Keyspace& keys, Arguments arguments) {
  PlainSet& set = keys.GetOrCreate<PlainSet>(arguments[0]);
  return Integer(std::ranges::count_if(
      arguments.subspan(1), [&](const std::string& member) { return set.insert(member).second; }));
}

Reply Srem(Keyspace& keys, Arguments arguments) {
  PlainSet* set = keys.Get<PlainSet>(arguments[0]);
  if (set == nullptr) return Integer(0);
  const auto count = std::ranges::count_if(
      arguments.subspan(1), [&](const std::string& member) { return set->erase(member) == 1; });
  keys.EraseIfEmpty(arguments[0], *set);
  return Integer(count);
}

Reply Smembers(Keyspace& keys, Arguments arguments) {
  std::vector<Reply> members;
  if (const PlainSet* set = keys.Get<PlainSet>(arguments[0])) {
    for (const std::string& member : *set) members.push_back(Text(member));
  }
  return Array(std::move(members));
}

Reply Scard(Keyspace& keys, Arguments arguments) {
  const PlainSet* set = keys.Get<PlainSet>(arguments[0]);
  return Integer(set == nullptr ? 0 : static_cast<std::int64_t>(set->size()));
}

Reply Sismember(Keyspace& keys, Arguments arguments) {
  const PlainSet* set = keys.Get<PlainSet>(arguments[0]);
  return Integer(set != nullptr && set->contains(arguments[1]) ? 1 : 0);
}

/// Whether the text is as a pattern of `?`, `*` at its end, `\\c` and letters says.
bool Fits(std::string_view pattern, std::string_view text) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < pattern.size(); ++i, ++at) {
    if (pattern[i] == '*' && i + 1 == pattern.size()) return true;
    if (pattern[i] == '*' || pattern[i] == '[') NotThere("such a pattern");
    if (at == text.size()) return false;
    if (pattern[i] == '?') continue;
    if (pattern[i] == '\\') ++i;
    if (pattern[i] != text[at]) return false;
  }
  return at == text.size();
}

/// All in one page.
Reply Scan(Keyspace& keys, Arguments arguments) {
  std::string pattern = "*";
  std::string type;
  for (std::size_t i = 1; i + 1 < arguments.size(); i += 2) {
    const std::string word = Capitals(arguments[i]);
    if (word == "MATCH") {
      pattern = arguments[i + 1];
    } else if (word == "TYPE") {
      type = arguments[i + 1];
    } else if (word != "COUNT") {
      SyntaxError();
    }
  }
  std::vector<Reply> found;
  for (const std::string& name : keys.Names()) {
    if (keys.Find(name) == nullptr || !Fits(pattern, name)) continue;
    if (!type.empty() && Type(keys, Arguments(&name, 1)).text != type) continue;
    found.push_back(Text(name));
  }
  return Array({Text("0"), Array(std::move(found))});
}

Reply Dbsize(Keyspace& keys, Arguments /*arguments*/) {
  return Integer(static_cast<std::int64_t>(keys.Count()));
}

Reply Flushall(Keyspace& keys, Arguments /*arguments*/) {
  keys.Clear();
  return Ok();
}

Reply Ping(Keyspace& /*keys*/, Arguments /*arguments*/) { return Status("PONG"); }

Reply Echo(Keyspace& /*keys*/, Arguments arguments) { return Text(arguments[0]); }

}  // namespace

void AddKeyCommands(CommandTable& table) {
  table.insert({
      {"PING", {Ping, 0, 0}},
      {"ECHO", {Echo, 1, 1}},
      {"DBSIZE", {Dbsize, 0, 0}},
      {"SCAN", {Scan, 1}},
      {"FLUSHALL", {Flushall, 0, 1, true}},
      {"EXISTS", {Exists, 1}},
      {"DEL", {Del, 1, SIZE_MAX, true}},
      {"UNLINK", {Del, 1, SIZE_MAX, true}},
      {"TYPE", {Type, 1, 1}},
      {"PEXPIRE", {Pexpire, 2, SIZE_MAX, true}},
      {"PEXPIREAT", {PexpireAt, 2, SIZE_MAX, true}},
      {"EXPIRE", {Expire, 2, SIZE_MAX, true}},
      {"PTTL", {Pttl, 1, 1}},
      {"PERSIST", {Persist, 1, 1, true}},
      {"GET", {Get, 1, 1}},
      {"SET", {Set, 2, SIZE_MAX, true, true}},
      {"INCR", {Incr, 1, 1, true, true}},
      {"INCRBY", {IncrBy, 2, 2, true, true}},
      {"SADD", {Sadd, 2, SIZE_MAX, true, true}},
      {"SREM", {Srem, 2, SIZE_MAX, true}},
      {"SMEMBERS", {Smembers, 1, 1}},
      {"SCARD", {Scard, 1, 1}},
      {"SISMEMBER", {Sismember, 2, 2}},
  });
}

}  // namespace tollbridge::test
