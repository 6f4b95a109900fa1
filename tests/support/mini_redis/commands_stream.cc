#include "tests/support/mini_redis/commands_stream.h"

#include <absl/strings/ascii.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace tollbridge::test {

using redis::Reply;

namespace {

std::uint64_t ToUnsigned(std::string_view text) {
  std::uint64_t number = 0;
  if (!std::ranges::all_of(text, absl::ascii_isdigit) ||
      !absl::SimpleAtoi({text.data(), text.size()}, &number)) {
    throw CommandError{"ERR Invalid stream ID specified as stream command argument"};
  }
  return number;
}

}  // namespace

StreamId ToStreamId(std::string_view text, std::uint64_t missing_sequence) {
  const std::size_t dash = text.find('-');
  const std::uint64_t ms = ToUnsigned(text.substr(0, dash));
  if (dash == std::string_view::npos) return {ms, missing_sequence};
  return {ms, ToUnsigned(text.substr(dash + 1))};
}

std::vector<StreamId> ToStreamIds(Arguments texts) {
  std::vector<StreamId> ids;
  for (const std::string& text : texts) ids.push_back(ToStreamId(text));
  return ids;
}

Reply IdReply(StreamId id) { return Text(absl::StrCat(id.ms, "-", id.sequence)); }

Reply EntryReply(StreamId id, const std::vector<std::string>& fields) {
  std::vector<Reply> texts;
  for (const std::string& text : fields) texts.push_back(Text(text));
  return Array({IdReply(id), Array(std::move(texts))});
}

namespace {

StreamId AfterLast(const Stream& stream, std::uint64_t ms) {
  return ms > stream.last.ms ? StreamId{ms, 0} : Next(stream.last);
}

constexpr const char* kNotAboveLast =
    "ERR The ID specified in XADD is equal or smaller than the target stream top item";

/// What XADD is asked to call the new entry.
struct WantedId {
  /// nullopt: the clock's.
  std::optional<std::uint64_t> ms;
  /// nullopt: the next one of the ms.
  std::optional<std::uint64_t> sequence;
};

WantedId ReadWantedId(std::string_view text) {
  for (const char* option : {"NOMKSTREAM", "MAXLEN", "MINID", "LIMIT"}) {
    if (Capitals(text) == option) NotThere(absl::StrCat("XADD ", option));
  }
  if (text == "*") return {};
  if (text.ends_with("-*")) return {ToUnsigned(text.substr(0, text.size() - 2)), std::nullopt};
  const StreamId id = ToStreamId(text);
  return {id.ms, id.sequence};
}

StreamId Resolve(const WantedId& wanted, const Stream& stream, std::int64_t now) {
  if (stream.last == kLastStreamId) {
    throw CommandError{
        "ERR The stream has exhausted the last possible ID, unable to add more items"};
  }
  if (!wanted.ms) return AfterLast(stream, static_cast<std::uint64_t>(now));
  StreamId id{*wanted.ms, wanted.sequence.value_or(0)};
  if (!wanted.sequence && id.ms == stream.last.ms) id = Next(stream.last);
  if (id.ms != *wanted.ms || id <= stream.last) throw CommandError{kNotAboveLast};
  return id;
}

Reply Xadd(Keyspace& keys, Arguments arguments) {
  const WantedId wanted = ReadWantedId(arguments[1]);
  const Arguments fields = arguments.subspan(2);
  if (fields.size() % 2 != 0) {
    throw CommandError{"ERR wrong number of arguments for 'xadd' command"};
  }
  if (wanted.ms == 0U && wanted.sequence == 0U) {
    throw CommandError{"ERR The ID specified in XADD must be greater than 0-0"};
  }
  Stream& stream = keys.GetOrCreate<Stream>(arguments[0]);
  stream.last = Resolve(wanted, stream, keys.now());
  stream.entries.emplace(stream.last, std::vector<std::string>(fields.begin(), fields.end()));
  return IdReply(stream.last);
}

Reply Xlen(Keyspace& keys, Arguments arguments) {
  const Stream* stream = keys.Get<Stream>(arguments[0]);
  return Integer(stream == nullptr ? 0 : static_cast<std::int64_t>(stream->entries.size()));
}

StreamId ReadStart(std::string_view text) {
  if (text == "-") return {};
  if (text == "+") return kLastStreamId;
  if (!text.starts_with('(')) return ToStreamId(text);
  const StreamId id = ToStreamId(text.substr(1));
  if (id == kLastStreamId) throw CommandError{"ERR invalid start ID for the interval"};
  return Next(id);
}

StreamId ReadEnd(std::string_view text) {
  if (text == "-") return {};
  if (text == "+") return kLastStreamId;
  if (!text.starts_with('(')) return ToStreamId(text, UINT64_MAX);
  const StreamId id = ToStreamId(text.substr(1), UINT64_MAX);
  if (id == StreamId{}) throw CommandError{"ERR invalid end ID for the interval"};
  return Previous(id);
}

/// COUNT of XRANGE, at least 0; nullopt without one.
std::optional<std::int64_t> ReadCount(Arguments words) {
  std::optional<std::int64_t> count;
  for (std::size_t i = 0; i < words.size(); i += 2) {
    if (Capitals(words[i]) != "COUNT" || i + 1 == words.size()) SyntaxError();
    count = std::max<std::int64_t>(0, ToInteger(words[i + 1]));
  }
  return count;
}

Reply Range(Keyspace& keys, Arguments arguments, bool reverse) {
  const StreamId start = ReadStart(arguments[reverse ? 2 : 1]);
  const StreamId end = ReadEnd(arguments[reverse ? 1 : 2]);
  const std::optional<std::int64_t> count = ReadCount(arguments.subspan(3));
  const Stream* stream = keys.Get<Stream>(arguments[0]);
  if (stream == nullptr) return Array({});
  if (count == 0) return Nil();
  std::vector<Reply> found;
  for (auto at = stream->entries.lower_bound(start);
       at != stream->entries.end() && at->first <= end; ++at) {
    found.push_back(EntryReply(at->first, at->second));
  }
  if (reverse) std::ranges::reverse(found);
  if (count && static_cast<std::size_t>(*count) < found.size()) {
    found.resize(static_cast<std::size_t>(*count));
  }
  return Array(std::move(found));
}

Reply Xrange(Keyspace& keys, Arguments arguments) { return Range(keys, arguments, false); }
Reply Xrevrange(Keyspace& keys, Arguments arguments) { return Range(keys, arguments, true); }

Reply Xdel(Keyspace& keys, Arguments arguments) {
  Stream* stream = keys.Get<Stream>(arguments[0]);
  if (stream == nullptr) return Integer(0);
  const std::vector<StreamId> ids = ToStreamIds(arguments.subspan(1));
  return Integer(std::ranges::count_if(
      ids, [&](const StreamId& id) { return stream->entries.erase(id) == 1; }));
}

}  // namespace

void AddStreamCommands(CommandTable& table) {
  table.insert({
      {"XADD", {Xadd, 4, SIZE_MAX, true, true}},
      {"XLEN", {Xlen, 1, 1}},
      {"XRANGE", {Xrange, 3}},
      {"XREVRANGE", {Xrevrange, 3}},
      {"XDEL", {Xdel, 2, SIZE_MAX, true}},
  });
}

}  // namespace tollbridge::test
