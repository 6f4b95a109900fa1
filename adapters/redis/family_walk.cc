#include "adapters/redis/family_walk.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_split.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "adapters/redis/errors.h"
#include "adapters/redis/family_record.h"
#include "adapters/redis/key_usage.h"
#include "adapters/redis/script.h"
#include "adapters/redis/scripts.h"
#include "base/core/status_macros.h"

namespace tollbridge::redis {
namespace {

/// Slots that one SCAN looks at, and families that one script reads: they bound for how long the
/// server serves nobody else.
constexpr const char* kSlots = "1000";
constexpr std::size_t kFamilies = 100;
/// Hashes of settled families, of some 64 each, in one page.
constexpr std::uint64_t kHashes = 8;
constexpr std::size_t kIdBytes = 16;

// What a cursor begins with: where the walk is.
constexpr std::string_view kInFamilies = "f";
constexpr std::string_view kInOutboxes = "x";
constexpr std::string_view kInSettled = "s";
constexpr std::string_view kInLeft = "l";

/// For how long families that leave the settled ones are noted after the last page, in ms.
constexpr const char* kNotesKept = "3600000";

std::string LeftKey(const std::string& keys) { return absl::StrCat(keys, "left"); }

/// A page's cursor.
struct WalkCursor {
  std::string_view where = kInFamilies;
  std::string generation;  ///< of the connection: it says nothing to another server
  std::string began_at;    ///< index of the note of this walk
  std::string began;       ///< that note
  std::string at = "0";    ///< how far it is there
};

std::optional<WalkCursor> ReadCursor(const std::string& cursor) {
  const std::vector<std::string> parts = absl::StrSplit(cursor, '/');
  if (parts.size() != 5) return std::nullopt;
  for (const std::string_view where : {kInFamilies, kInOutboxes, kInSettled, kInLeft}) {
    if (parts[0] != where) continue;
    return WalkCursor{.where = where,
                      .generation = parts[1],
                      .began_at = parts[2],
                      .began = parts[3],
                      .at = parts[4]};
  }
  return std::nullopt;
}

std::string TextOf(const WalkCursor& cursor) {
  return absl::StrJoin(
      {std::string(cursor.where), cursor.generation, cursor.began_at, cursor.began, cursor.at},
      "/");
}

/// Where the walk goes on; empty behind its end.
std::string_view Behind(std::string_view where) {
  if (where == kInFamilies) return kInOutboxes;
  if (where == kInOutboxes) return kInSettled;
  return where == kInSettled ? kInLeft : std::string_view();
}

const Script& BeginScript() {
  static const Script script({kBeginWalkLua});
  return script;
}

const Script& LoadScript() {
  static const Script script({kFamilyEpochLua, kSettledLua, kFamilyStateLua, kLoadFamiliesLua});
  return script;
}

/// A walk whose notes are kept from now on.
Async<WalkCursor> Begin(CommandExecutor& server, const std::string& keys,
                        const ports::Context& context) {
  TB_CO_ASSIGN_OR_RETURN(const Reply reply,
                         co_await BeginScript().Run(server, {keys, kNotesKept}, context.deadline));
  if (reply.elements.size() != 2) co_return UnexpectedReply("begin_walk");
  WalkCursor walk;
  walk.began_at = absl::StrCat(reply.elements[0].integer);
  walk.began = reply.elements[1].text;
  co_return walk;
}

/// Keeps its notes. Without the walk's own, others may be gone with it.
AsyncStatus GoOn(CommandExecutor& server, const std::string& keys, const WalkCursor& walk,
                 const ports::Context& context) {
  std::vector<Command> commands = {{"LRANGE", LeftKey(keys), walk.began_at, walk.began_at},
                                   {"PEXPIRE", LeftKey(keys), kNotesKept}};
  TB_CO_ASSIGN_OR_RETURN(const std::vector<Reply> replies,
                         co_await server.ExecuteTogether(std::move(commands), context.deadline));
  for (const Reply& reply : replies) TB_CO_RETURN_IF_ERROR(StatusOf(reply));
  const std::vector<Reply>& note = replies[0].elements;
  if (note.size() != 1 || note[0].text != walk.began) {
    co_return StoreUnavailable("the walk stood still for too long: begin again");
  }
  co_return absl::OkStatus();
}

}  // namespace

Async<ports::FamilyPage> RedisFamilyWalk::Next(const std::string& project,
                                               const std::string& cursor,
                                               const ports::Context& context) {
  TB_CO_ASSIGN_OR_RETURN(const std::string keys, scripts_.keyspace().Of(project));
  const std::string generation = absl::StrCat(scripts_.connection().generation());
  WalkCursor walk;
  if (cursor.empty()) {
    TB_CO_ASSIGN_OR_RETURN(walk, co_await Begin(scripts_.connection(), keys, context));
    walk.generation = generation;
  } else {
    const std::optional<WalkCursor> read = ReadCursor(cursor);
    if (!read) co_return absl::InvalidArgumentError("this is no cursor of a walk");
    if (read->generation != generation) {
      co_return StoreUnavailable("the connection was lost in between: begin again");
    }
    walk = *read;
  }
  absl::StatusOr<ports::FamilyPage> page;
  if (walk.where == kInSettled) {
    page = co_await NextSettled(project, keys, walk.at, context);
  } else if (walk.where == kInLeft) {
    page = co_await NextLeft(project, keys, walk.at, context);
  } else {
    page = co_await NextKeys(project, keys, walk.where == kInOutboxes, walk.at, context);
  }
  TB_CO_RETURN_IF_ERROR(page.status());
  // Behind the page: it is whole only where the notes are there when it was read.
  TB_CO_RETURN_IF_ERROR(co_await GoOn(scripts_.connection(), keys, walk, context));
  walk.at = page->next;
  if (walk.at.empty()) {
    walk.where = Behind(walk.where);
    if (walk.where.empty()) co_return page;
    walk.at = walk.where == kInLeft ? walk.began_at : "0";
  }
  page->next = TextOf(walk);
  co_return page;
}

Async<ports::FamilyPage> RedisFamilyWalk::NextKeys(const std::string& project,
                                                   const std::string& keys, bool outboxes,
                                                   std::string cursor,
                                                   const ports::Context& context) {
  const std::string beginning = absl::StrCat(keys, outboxes ? "x:" : "f:");
  TB_CO_ASSIGN_OR_RETURN(const Reply reply,
                         co_await scripts_.connection().Execute(
                             {"SCAN", std::move(cursor), "MATCH", IdPattern(beginning), "COUNT",
                              kSlots, "TYPE", "hash"},
                             context.deadline));
  TB_CO_RETURN_IF_ERROR(StatusOf(reply));
  if (reply.elements.size() != 2) co_return UnexpectedReply("SCAN");
  std::vector<std::string> families;
  for (const Reply& key : reply.elements[1].elements) {
    if (key.text.size() != beginning.size() + kIdBytes) continue;
    families.push_back(key.text.substr(beginning.size()));
  }
  ports::FamilyPage page;
  if (reply.elements[0].text != "0") page.next = reply.elements[0].text;
  TB_CO_RETURN_IF_ERROR(co_await LoadInto(project, keys, std::move(families), context, &page));
  co_return page;
}

AsyncStatus RedisFamilyWalk::LoadInto(const std::string& project, const std::string& keys,
                                      std::vector<std::string> families,
                                      const ports::Context& context, ports::FamilyPage* page) {
  for (std::size_t first = 0; first < families.size(); first += kFamilies) {
    const std::size_t count = std::min(kFamilies, families.size() - first);
    Command arguments = {keys, scripts_.keyspace().epoch_key()};
    for (std::size_t i = 0; i < count; ++i) arguments.push_back(families[first + i]);
    TB_CO_ASSIGN_OR_RETURN(
        const Reply reply,
        co_await LoadScript().Run(scripts_.connection(), std::move(arguments), context.deadline));
    if (reply.elements.size() != count) co_return UnexpectedReply("load_families");
    for (std::size_t i = 0; i < count; ++i) {
      const std::optional<Uuid> root = Uuid::FromBytes(families[first + i]);
      TB_CO_ASSIGN_OR_RETURN(ports::FamilyState state,
                             ReadFamily({.project = project, .root = *root}, reply.elements[i]));
      // Of an order that is no root, or of which operations alone know, nothing was told.
      if (state.version == 0 && !state.outbox) continue;
      page->families.push_back(std::move(state));
    }
  }
  co_return absl::OkStatus();
}

Async<ports::FamilyPage> RedisFamilyWalk::NextSettled(const std::string& project,
                                                      const std::string& keys, std::string number,
                                                      const ports::Context& context) {
  std::uint64_t next = 0;
  if (!absl::SimpleAtoi(number, &next)) co_return UnexpectedReply("a cursor");
  std::vector<Command> commands;
  for (std::uint64_t i = 0; i < kHashes; ++i, ++next) {
    commands.push_back({"HGETALL", absl::StrCat(keys, "s:", next)});
  }
  // How many there are is read behind them: one that was split before it was read gave half of what
  // it had to the last.
  commands.push_back({"HGET", absl::StrCat(keys, "settled"), "b"});
  TB_CO_ASSIGN_OR_RETURN(
      const std::vector<Reply> replies,
      co_await scripts_.connection().ExecuteTogether(std::move(commands), context.deadline));
  for (const Reply& reply : replies) TB_CO_RETURN_IF_ERROR(StatusOf(reply));
  ports::FamilyPage page;
  for (std::uint64_t i = 0; i < kHashes; ++i) {
    const std::vector<Reply>& hash = replies[i].elements;
    for (std::size_t at = 0; at + 1 < hash.size(); at += 2) {
      const std::optional<Uuid> root = Uuid::FromBytes(hash[at].text);
      if (!root) co_return UnexpectedReply("HGETALL");
      ports::FamilyState& state = page.families.emplace_back();
      state.entry.key = {.project = project, .root = *root};
      if (!TakeSettled(hash[at + 1], state)) co_return UnexpectedReply("HGETALL");
    }
  }
  const auto all = static_cast<std::uint64_t>(replies.back().AsInteger().value_or(0));
  if (next < all) page.next = absl::StrCat(next);
  co_return page;
}

Async<ports::FamilyPage> RedisFamilyWalk::NextLeft(const std::string& project,
                                                   const std::string& keys, std::string place,
                                                   const ports::Context& context) {
  // Where it is, and where it ends: what leaves the settled ones now was met as one of them.
  const std::vector<std::string> parts = absl::StrSplit(place, '-');
  std::string ends;
  if (parts.size() == 1) {
    TB_CO_ASSIGN_OR_RETURN(const WalkCursor mark,
                           co_await Begin(scripts_.connection(), keys, context));
    ends = mark.began_at;
  } else {
    ends = parts[1];
  }
  std::uint64_t next = 0;
  std::uint64_t end = 0;
  if (!absl::SimpleAtoi(parts[0], &next) || !absl::SimpleAtoi(ends, &end)) {
    co_return UnexpectedReply("a cursor");
  }
  ports::FamilyPage page;
  if (next >= end) co_return page;
  const std::uint64_t behind = std::min<std::uint64_t>(next + kFamilies, end);
  TB_CO_ASSIGN_OR_RETURN(const Reply notes, co_await scripts_.connection().Execute(
                                                {"LRANGE", LeftKey(keys), absl::StrCat(next),
                                                 absl::StrCat(behind - 1)},
                                                context.deadline));
  TB_CO_RETURN_IF_ERROR(StatusOf(notes));
  std::vector<std::string> families;
  for (const Reply& note : notes.elements) {
    if (note.text.size() == kIdBytes) families.push_back(note.text);
  }
  if (behind < end) page.next = absl::StrCat(behind, "-", end);
  TB_CO_RETURN_IF_ERROR(co_await LoadInto(project, keys, std::move(families), context, &page));
  co_return page;
}

}  // namespace tollbridge::redis
