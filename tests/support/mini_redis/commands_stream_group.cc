#include <absl/strings/str_format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "tests/support/mini_redis/commands_stream.h"

namespace tollbridge::test {
namespace {

using redis::Reply;

/// nullptr when there is no such key or no such group.
ConsumerGroup* FindGroup(Keyspace& keys, const std::string& key, const std::string& name) {
  Stream* stream = keys.Get<Stream>(key);
  if (stream == nullptr) return nullptr;
  const auto at = stream->groups.find(name);
  return at == stream->groups.end() ? nullptr : &at->second;
}

[[noreturn]] void NoGroup(const std::string& key, const std::string& name, const char* where) {
  throw CommandError{
      absl::StrFormat("NOGROUP No such key '%s' or consumer group '%s'%s", key, name, where)};
}

/// Whether the words have MKSTREAM.
bool ReadMakesStream(Arguments arguments) {
  bool makes_stream = false;
  for (const std::string& word : arguments.subspan(4)) {
    if (Capitals(word) == "ENTRIESREAD") NotThere("XGROUP CREATE ENTRIESREAD");
    if (Capitals(word) != "MKSTREAM") {
      throw CommandError{absl::StrFormat(
          "ERR unknown subcommand or wrong number of arguments for '%s'. Try XGROUP HELP.",
          arguments[0])};
    }
    makes_stream = true;
  }
  return makes_stream;
}

Reply XgroupCreate(Keyspace& keys, Arguments arguments) {
  if (arguments.size() < 4) {
    throw CommandError{"ERR wrong number of arguments for 'xgroup|create' command"};
  }
  const bool makes_stream = ReadMakesStream(arguments);
  const std::string& key = arguments[1];
  const Stream* stream = keys.Get<Stream>(key);
  if (stream == nullptr && !makes_stream) {
    throw CommandError{
        "ERR The XGROUP subcommand requires the key to exist. Note that for CREATE you may want to "
        "use the MKSTREAM option to create an empty stream automatically."};
  }
  ConsumerGroup group;
  if (arguments[3] != "$") {
    group.last_delivered = ToStreamId(arguments[3]);
  } else if (stream != nullptr) {
    group.last_delivered = stream->last;
  }
  Stream& made = keys.GetOrCreate<Stream>(key);
  if (!made.groups.emplace(arguments[2], std::move(group)).second) {
    throw CommandError{"BUSYGROUP Consumer Group name already exists"};
  }
  return Ok();
}

Reply Xgroup(Keyspace& keys, Arguments arguments) {
  if (Capitals(arguments[0]) != "CREATE") NotThere("XGROUP " + arguments[0]);
  return XgroupCreate(keys, arguments);
}

struct ReadOptions {
  std::string group;
  std::string consumer;
  /// 0: all.
  std::int64_t count = 0;
  Arguments streams;
  Arguments ids;
};

/// The second half of `words` are the ids.
void ReadStreams(Arguments words, ReadOptions& options) {
  if (words.size() % 2 != 0) {
    throw CommandError{
        "ERR Unbalanced XREAD list of streams: for each stream key an ID or '$' must be "
        "specified."};
  }
  options.streams = words.first(words.size() / 2);
  options.ids = words.last(words.size() / 2);
}

ReadOptions ReadReadOptions(Arguments words) {
  ReadOptions options;
  bool has_group = false;
  for (std::size_t i = 0; i < words.size() && options.streams.empty(); ++i) {
    const std::size_t more = words.size() - i - 1;
    const std::string word = Capitals(words[i]);
    if (word == "NOACK" || word == "BLOCK") NotThere("XREADGROUP " + word);
    if (word == "COUNT" && more >= 1) {
      options.count = std::max<std::int64_t>(0, ToInteger(words[++i]));
    } else if (word == "GROUP" && more >= 2) {
      has_group = true;
      options.group = words[++i];
      options.consumer = words[++i];
    } else if (word == "STREAMS" && more >= 1) {
      ReadStreams(words.subspan(i + 1), options);
    } else {
      SyntaxError();
    }
  }
  if (options.streams.empty()) SyntaxError();
  if (!has_group) throw CommandError{"ERR Missing GROUP option for XREADGROUP"};
  return options;
}

/// What XREADGROUP asks of one stream.
struct Reading {
  const Stream* stream = nullptr;
  ConsumerGroup* group = nullptr;
  /// The consumer's own after this id; nullopt: what no consumer has had.
  std::optional<StreamId> after;
};

Reading ReadReading(Keyspace& keys, const ReadOptions& options, std::size_t at) {
  const std::string& key = options.streams[at];
  Reading reading{.group = FindGroup(keys, key, options.group)};
  if (reading.group == nullptr) NoGroup(key, options.group, " in XREADGROUP with GROUP option");
  reading.stream = keys.Get<Stream>(key);
  if (options.ids[at] == "$") {
    throw CommandError{
        "ERR The $ ID is meaningless in the context of XREADGROUP: you want to read the history of "
        "this consumer by specifying a proper ID, or use the > ID to get new messages. The $ ID "
        "would just return an empty result set."};
  }
  if (options.ids[at] != ">") reading.after = ToStreamId(options.ids[at]);
  if (reading.after == kLastStreamId) reading.after.reset();
  return reading;
}

bool Full(const std::vector<Reply>& entries, const ReadOptions& options) {
  return options.count > 0 && std::cmp_equal(entries.size(), options.count);
}

std::vector<Reply> OwnPending(const Reading& reading, const ReadOptions& options) {
  std::vector<Reply> found;
  const auto& pending = reading.group->pending;
  for (auto at = pending.upper_bound(*reading.after); at != pending.end(); ++at) {
    if (Full(found, options)) break;
    if (at->second != options.consumer) continue;
    const auto entry = reading.stream->entries.find(at->first);
    const bool deleted = entry == reading.stream->entries.end();
    found.push_back(deleted ? Array({IdReply(at->first), Nil()})
                            : EntryReply(entry->first, entry->second));
  }
  return found;
}

std::vector<Reply> Deliver(const Reading& reading, const ReadOptions& options) {
  std::vector<Reply> found;
  ConsumerGroup& group = *reading.group;
  const auto& entries = reading.stream->entries;
  for (auto at = entries.upper_bound(group.last_delivered); at != entries.end(); ++at) {
    if (Full(found, options)) break;
    group.last_delivered = at->first;
    group.pending[at->first] = options.consumer;
    found.push_back(EntryReply(at->first, at->second));
  }
  return found;
}

Reply Xreadgroup(Keyspace& keys, Arguments arguments) {
  const ReadOptions options = ReadReadOptions(arguments);
  std::vector<Reading> readings;
  for (std::size_t i = 0; i < options.streams.size(); ++i) {
    readings.push_back(ReadReading(keys, options, i));
  }
  std::vector<Reply> streams;
  for (std::size_t i = 0; i < readings.size(); ++i) {
    const bool own = readings[i].after.has_value();
    std::vector<Reply> entries =
        own ? OwnPending(readings[i], options) : Deliver(readings[i], options);
    if (!own && entries.empty()) continue;
    streams.push_back(Array({Text(options.streams[i]), Array(std::move(entries))}));
  }
  return streams.empty() ? Nil() : Array(std::move(streams));
}

Reply Xack(Keyspace& keys, Arguments arguments) {
  ConsumerGroup* group = FindGroup(keys, arguments[0], arguments[1]);
  if (group == nullptr) return Integer(0);
  const std::vector<StreamId> ids = ToStreamIds(arguments.subspan(2));
  return Integer(std::ranges::count_if(
      ids, [&](const StreamId& id) { return group->pending.erase(id) == 1; }));
}

Reply Xpending(Keyspace& keys, Arguments arguments) {
  if (arguments.size() != 2) NotThere("XPENDING with a range");
  const ConsumerGroup* group = FindGroup(keys, arguments[0], arguments[1]);
  if (group == nullptr) NoGroup(arguments[0], arguments[1], "");
  if (group->pending.empty()) return Array({Integer(0), Nil(), Nil(), Nil()});
  std::map<std::string, std::int64_t> counts;
  for (const auto& [id, consumer] : group->pending) ++counts[consumer];
  std::vector<Reply> consumers;
  for (const auto& [consumer, count] : counts) {
    consumers.push_back(Array({Text(consumer), Text(std::to_string(count))}));
  }
  return Array({Integer(static_cast<std::int64_t>(group->pending.size())),
                IdReply(group->pending.begin()->first), IdReply(group->pending.rbegin()->first),
                Array(std::move(consumers))});
}

}  // namespace

void AddStreamGroupCommands(CommandTable& table) {
  table.insert({
      {"XGROUP", {Xgroup, 1, SIZE_MAX, true, true}},
      {"XREADGROUP", {Xreadgroup, 6, SIZE_MAX, true}},
      {"XACK", {Xack, 3, SIZE_MAX, true}},
      {"XPENDING", {Xpending, 2}},
  });
}

}  // namespace tollbridge::test
