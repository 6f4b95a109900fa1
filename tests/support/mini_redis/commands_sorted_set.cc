#include <absl/strings/numbers.h>
#include <absl/strings/str_format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "tests/support/mini_redis/commands.h"

namespace tollbridge::test {
namespace {

using redis::Reply;
using Member = std::pair<double, std::string>;

std::optional<double> ParseScore(std::string_view text) {
  double score = 0;
  if (!absl::SimpleAtod({text.data(), text.size()}, &score) || std::isnan(score))
    return std::nullopt;
  return score;
}

Reply ScoreReply(double score) {
  if (std::isinf(score)) return Text(score > 0 ? "inf" : "-inf");
  return Text(absl::StrFormat("%.17g", score));
}

struct AddOptions {
  bool only_new = false;
  bool only_old = false;
  bool greater = false;
  bool less = false;
  bool count_changed = false;
};

Reply Zadd(Keyspace& keys, Arguments arguments) {
  AddOptions options;
  std::size_t at = 1;
  for (; at < arguments.size(); ++at) {
    const std::string word = Capitals(arguments[at]);
    if (word == "NX") {
      options.only_new = true;
    } else if (word == "XX") {
      options.only_old = true;
    } else if (word == "GT") {
      options.greater = true;
    } else if (word == "LT") {
      options.less = true;
    } else if (word == "CH") {
      options.count_changed = true;
    } else {
      break;
    }
  }
  const Arguments pairs = arguments.subspan(at);
  if (pairs.empty() || pairs.size() % 2 != 0) SyntaxError();
  if (options.only_new && options.only_old) {
    throw CommandError{"ERR XX and NX options at the same time are not compatible"};
  }
  if ((options.greater && options.only_new) || (options.less && options.only_new) ||
      (options.greater && options.less)) {
    throw CommandError{"ERR GT, LT, and/or NX options at the same time are not compatible"};
  }
  std::vector<double> scores;
  for (std::size_t i = 0; i < pairs.size(); i += 2) {
    const std::optional<double> score = ParseScore(pairs[i]);
    if (!score) throw CommandError{"ERR value is not a valid float"};
    scores.push_back(*score);
  }
  if (options.only_old && keys.Get<SortedSet>(arguments[0]) == nullptr) return Integer(0);
  SortedSet& set = keys.GetOrCreate<SortedSet>(arguments[0]);
  std::int64_t added = 0;
  std::int64_t changed = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const std::string& member = pairs[2 * i + 1];
    const std::optional<double> old = set.Score(member);
    if (old ? options.only_new : options.only_old) continue;
    if (old && ((options.greater && scores[i] <= *old) || (options.less && scores[i] >= *old))) {
      continue;
    }
    if (!old) ++added;
    if (old && *old != scores[i]) ++changed;
    set.Set(member, scores[i]);
  }
  return Integer(options.count_changed ? added + changed : added);
}

Reply Zrem(Keyspace& keys, Arguments arguments) {
  SortedSet* set = keys.Get<SortedSet>(arguments[0]);
  if (set == nullptr) return Integer(0);
  const auto count = std::ranges::count_if(
      arguments.subspan(1), [&](const std::string& member) { return set->Erase(member); });
  keys.EraseIfEmpty(arguments[0], *set);
  return Integer(count);
}

Reply Zscore(Keyspace& keys, Arguments arguments) {
  const SortedSet* set = keys.Get<SortedSet>(arguments[0]);
  const std::optional<double> score = set == nullptr ? std::nullopt : set->Score(arguments[1]);
  return score ? ScoreReply(*score) : Nil();
}

Reply Zcard(Keyspace& keys, Arguments arguments) {
  const SortedSet* set = keys.Get<SortedSet>(arguments[0]);
  return Integer(set == nullptr ? 0 : static_cast<std::int64_t>(set->ordered().size()));
}

struct Bound {
  double score = 0;
  bool open = false;
};

Bound ReadBound(std::string_view text) {
  Bound bound{.open = text.starts_with('(')};
  if (bound.open) text.remove_prefix(1);
  const std::optional<double> score = ParseScore(text);
  if (!score) throw CommandError{"ERR min or max is not a float"};
  bound.score = *score;
  return bound;
}

std::vector<Member> Between(const SortedSet* set, const Bound& least, const Bound& most) {
  std::vector<Member> found;
  if (set == nullptr) return found;
  for (auto at = set->ordered().lower_bound({least.score, ""}); at != set->ordered().end(); ++at) {
    if (at->first > most.score || (most.open && at->first == most.score)) break;
    if (least.open && at->first == least.score) continue;
    found.push_back(*at);
  }
  return found;
}

/// Start and stop as indexes, negative ones from the end.
std::vector<Member> ByRank(const SortedSet* set, std::int64_t start, std::int64_t stop,
                           bool reverse) {
  std::vector<Member> all;
  if (set != nullptr) all.assign(set->ordered().begin(), set->ordered().end());
  if (reverse) std::ranges::reverse(all);
  const auto size = static_cast<std::int64_t>(all.size());
  if (start < 0) start = std::max<std::int64_t>(0, start + size);
  if (stop < 0) stop += size;
  stop = std::min(stop, size - 1);
  if (start > stop) return {};
  return {all.begin() + start, all.begin() + stop + 1};
}

struct RangeOptions {
  bool with_scores = false;
  bool by_score = false;
  bool reverse = false;
  bool limited = false;
  std::int64_t offset = 0;
  std::int64_t count = -1;
};

RangeOptions ReadRangeOptions(Arguments words, bool of_zrange) {
  RangeOptions options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string word = Capitals(words[i]);
    if (word == "WITHSCORES") {
      options.with_scores = true;
    } else if (word == "LIMIT" && i + 2 < words.size()) {
      options.limited = true;
      options.offset = ToInteger(words[++i]);
      options.count = ToInteger(words[++i]);
    } else if (of_zrange && word == "BYSCORE") {
      options.by_score = true;
    } else if (of_zrange && word == "REV") {
      options.reverse = true;
    } else {
      SyntaxError();
    }
  }
  return options;
}

Reply RangeReply(std::vector<Member> members, const RangeOptions& options) {
  std::vector<Reply> elements;
  std::int64_t left = options.count < 0 ? std::numeric_limits<std::int64_t>::max() : options.count;
  for (std::size_t i = 0; i < members.size() && left > 0 && options.offset >= 0; ++i) {
    if (static_cast<std::int64_t>(i) < options.offset) continue;
    --left;
    elements.push_back(Text(std::move(members[i].second)));
    if (options.with_scores) elements.push_back(ScoreReply(members[i].first));
  }
  return Array(std::move(elements));
}

Reply ByScore(Keyspace& keys, const std::string& key, const std::string& first,
              const std::string& last, const RangeOptions& options) {
  const Bound least = ReadBound(options.reverse ? last : first);
  const Bound most = ReadBound(options.reverse ? first : last);
  std::vector<Member> members = Between(keys.Get<SortedSet>(key), least, most);
  if (options.reverse) std::ranges::reverse(members);
  return RangeReply(std::move(members), options);
}

Reply Zrange(Keyspace& keys, Arguments arguments) {
  const RangeOptions options = ReadRangeOptions(arguments.subspan(3), true);
  if (options.by_score) return ByScore(keys, arguments[0], arguments[1], arguments[2], options);
  if (options.limited) {
    throw CommandError{
        "ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX"};
  }
  return RangeReply(ByRank(keys.Get<SortedSet>(arguments[0]), ToInteger(arguments[1]),
                           ToInteger(arguments[2]), options.reverse),
                    options);
}

Reply Zrevrange(Keyspace& keys, Arguments arguments) {
  RangeOptions options = ReadRangeOptions(arguments.subspan(3), false);
  if (options.limited) SyntaxError();
  return RangeReply(ByRank(keys.Get<SortedSet>(arguments[0]), ToInteger(arguments[1]),
                           ToInteger(arguments[2]), true),
                    options);
}

Reply Zrangebyscore(Keyspace& keys, Arguments arguments) {
  return ByScore(keys, arguments[0], arguments[1], arguments[2],
                 ReadRangeOptions(arguments.subspan(3), false));
}

Reply Zrevrangebyscore(Keyspace& keys, Arguments arguments) {
  RangeOptions options = ReadRangeOptions(arguments.subspan(3), false);
  options.reverse = true;
  return ByScore(keys, arguments[0], arguments[1], arguments[2], options);
}

Reply Zcount(Keyspace& keys, Arguments arguments) {
  const Bound least = ReadBound(arguments[1]);
  const Bound most = ReadBound(arguments[2]);
  return Integer(
      static_cast<std::int64_t>(Between(keys.Get<SortedSet>(arguments[0]), least, most).size()));
}

Reply RemoveAll(Keyspace& keys, const std::string& key, const std::vector<Member>& members) {
  SortedSet* set = keys.Get<SortedSet>(key);
  if (set == nullptr) return Integer(0);
  for (const Member& member : members) set->Erase(member.second);
  keys.EraseIfEmpty(key, *set);
  return Integer(static_cast<std::int64_t>(members.size()));
}

Reply Zremrangebyrank(Keyspace& keys, Arguments arguments) {
  const std::int64_t start = ToInteger(arguments[1]);
  const std::int64_t stop = ToInteger(arguments[2]);
  return RemoveAll(keys, arguments[0],
                   ByRank(keys.Get<SortedSet>(arguments[0]), start, stop, false));
}

Reply Zremrangebyscore(Keyspace& keys, Arguments arguments) {
  const Bound least = ReadBound(arguments[1]);
  const Bound most = ReadBound(arguments[2]);
  return RemoveAll(keys, arguments[0], Between(keys.Get<SortedSet>(arguments[0]), least, most));
}

Reply Zrank(Keyspace& keys, Arguments arguments) {
  const SortedSet* set = keys.Get<SortedSet>(arguments[0]);
  const std::optional<double> score = set == nullptr ? std::nullopt : set->Score(arguments[1]);
  if (!score) return Nil();
  const auto at = set->ordered().find({*score, arguments[1]});
  return Integer(std::distance(set->ordered().begin(), at));
}

}  // namespace

void AddSortedSetCommands(CommandTable& table) {
  table.insert({
      {"ZADD", {Zadd, 3, SIZE_MAX, true, true}},
      {"ZREM", {Zrem, 2, SIZE_MAX, true}},
      {"ZSCORE", {Zscore, 2, 2}},
      {"ZCARD", {Zcard, 1, 1}},
      {"ZCOUNT", {Zcount, 3, 3}},
      {"ZRANK", {Zrank, 2, 2}},
      {"ZRANGE", {Zrange, 3}},
      {"ZREVRANGE", {Zrevrange, 3}},
      {"ZRANGEBYSCORE", {Zrangebyscore, 3}},
      {"ZREVRANGEBYSCORE", {Zrevrangebyscore, 3}},
      {"ZREMRANGEBYRANK", {Zremrangebyrank, 3, 3, true}},
      {"ZREMRANGEBYSCORE", {Zremrangebyscore, 3, 3, true}},
  });
}

}  // namespace tollbridge::test
