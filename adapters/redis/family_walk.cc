#include "adapters/redis/family_walk.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
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

const Script& LoadScript() {
  static const Script script({kFamilyEpochLua, kSettledLua, kFamilyStateLua, kLoadFamiliesLua});
  return script;
}

}  // namespace

Async<ports::FamilyPage> RedisFamilyWalk::Next(const std::string& project,
                                               const std::string& cursor,
                                               const ports::Context& context) {
  TB_CO_ASSIGN_OR_RETURN(const std::string keys, scripts_.keyspace().Of(project));
  const std::uint64_t generation = scripts_.connection().generation();
  // Where, on which connection, and how far.
  std::vector<std::string> parts = absl::StrSplit(cursor, ' ');
  if (cursor.empty()) parts = {std::string(kInFamilies), absl::StrCat(generation), "0"};
  if (parts.size() != 3) co_return absl::InvalidArgumentError("this is no cursor of a walk");
  // A cursor says nothing to another server.
  if (parts[1] != absl::StrCat(generation)) {
    co_return StoreUnavailable("the connection was lost in between: begin again");
  }
  absl::StatusOr<ports::FamilyPage> page;
  if (parts[0] == kInSettled) {
    page = co_await NextSettled(project, keys, parts[2], context);
  } else {
    page = co_await NextKeys(project, keys, parts[0] == kInOutboxes, parts[2], context);
  }
  TB_CO_RETURN_IF_ERROR(page.status());
  std::string where = parts[0];
  if (page->next.empty()) {
    if (where == kInSettled) co_return page;
    where = where == kInFamilies ? kInOutboxes : kInSettled;
    page->next = "0";
  }
  page->next = absl::StrCat(where, " ", generation, " ", page->next);
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
  // Asked for each time: a hash that is split gives to one behind those that there are.
  TB_CO_ASSIGN_OR_RETURN(const Reply hashes,
                         co_await scripts_.connection().Execute(
                             {"HGET", absl::StrCat(keys, "settled"), "b"}, context.deadline));
  TB_CO_RETURN_IF_ERROR(StatusOf(hashes));
  const auto all = static_cast<std::uint64_t>(hashes.AsInteger().value_or(0));
  ports::FamilyPage page;
  for (std::uint64_t i = 0; i < kHashes && next < all; ++i, ++next) {
    TB_CO_ASSIGN_OR_RETURN(const Reply reply,
                           co_await scripts_.connection().Execute(
                               {"HGETALL", absl::StrCat(keys, "s:", next)}, context.deadline));
    TB_CO_RETURN_IF_ERROR(StatusOf(reply));
    for (std::size_t at = 0; at + 1 < reply.elements.size(); at += 2) {
      const std::optional<Uuid> root = Uuid::FromBytes(reply.elements[at].text);
      if (!root) co_return UnexpectedReply("HGETALL");
      ports::FamilyState& state = page.families.emplace_back();
      state.entry.key = {.project = project, .root = *root};
      if (!TakeSettled(reply.elements[at + 1], state)) co_return UnexpectedReply("HGETALL");
    }
  }
  if (next < all) page.next = absl::StrCat(next);
  co_return page;
}

}  // namespace tollbridge::redis
