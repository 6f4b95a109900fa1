#include "adapters/redis/key_usage.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "adapters/redis/errors.h"
#include "adapters/redis/record_format.h"
#include "adapters/redis/script.h"
#include "adapters/redis/scripts.h"
#include "base/core/boot_clock.h"
#include "base/core/status_macros.h"

namespace tollbridge::redis {
namespace {

/// Slots that one SCAN or HSCAN looks at, and records that one script reads: they bound for how
/// long the server serves nobody else.
constexpr const char* kSlots = "1000";
constexpr std::size_t kRecords = 100;
constexpr std::size_t kPerRecord = 3;
constexpr std::string_view kUnreadable = "?";
/// Bytes of an operation's id, each of which may be any.
constexpr const char* kAnyId = "????????????????";

const Script& ReadScript() {
  static const Script script({kReadKeyIdsLua});
  return script;
}

/// A text that stands for itself in a pattern.
std::string Literally(std::string_view text) {
  std::string pattern;
  for (const char c : text) {
    if (std::string_view("*?[]\\").find(c) != std::string_view::npos) pattern.push_back('\\');
    pattern.push_back(c);
  }
  return pattern;
}

struct Page {
  std::string cursor;
  std::vector<std::string> found;
};

/// Of SCAN: keys; of HSCAN: fields and values by turns.
absl::StatusOr<Page> ReadPage(const Reply& reply) {
  TB_RETURN_IF_ERROR(StatusOf(reply));
  if (reply.elements.size() != 2) return UnexpectedReply("SCAN");
  Page page{.cursor = reply.elements[0].text, .found = {}};
  for (const Reply& found : reply.elements[1].elements) page.found.push_back(found.text);
  return page;
}

void Count(std::string id, bool open, std::map<std::string, KeyUse>& uses) {
  KeyUse& use = uses[std::move(id)];
  ++(open ? use.open : use.closed);
}

/// A state that a later version has may be one that does not expire.
bool IsOpen(std::string_view letter) {
  const std::optional<ports::OperationState> state = StateOf(letter);
  return state != operations::v1::OPERATION_STATE_DONE &&
         state != operations::v1::OPERATION_STATE_NOT_EXECUTED;
}

/// A record as read_key_ids.lua answers it, from `part` on.
void CountRecord(const Reply* part, const OutcomeHead& head, KeyUsage& usage) {
  if (part[0].is_nil()) return;  // gone meanwhile
  const bool open = IsOpen(part[0].text);
  if (part[0].text == kUnreadable) Count("", open, usage.fingerprints);
  if (!part[1].is_nil()) Count(part[1].text, open, usage.fingerprints);
  if (!part[2].is_nil()) Count(head.key_id(part[2].text).value_or(""), open, usage.outcomes);
}

Async<KeyUsage> AddPage(CommandExecutor& executor, const OutcomeHead& head,
                        std::chrono::milliseconds timeout, std::vector<std::string> keys,
                        KeyUsage usage) {
  for (std::size_t first = 0; first < keys.size(); first += kRecords) {
    const std::size_t count = std::min(kRecords, keys.size() - first);
    Command arguments = {absl::StrCat(head.bytes)};
    const auto begin = keys.begin() + static_cast<std::ptrdiff_t>(first);
    std::copy_n(begin, count, std::back_inserter(arguments));
    TB_CO_ASSIGN_OR_RETURN(
        const Reply reply,
        co_await ReadScript().Run(executor, std::move(arguments), BootClock::now() + timeout));
    if (reply.elements.size() != count * kPerRecord) co_return UnexpectedReply("read_key_ids");
    for (std::size_t i = 0; i < count; ++i) {
      CountRecord(&reply.elements[i * kPerRecord], head, usage);
    }
  }
  co_return usage;
}

/// What scripts/retire.lua wrote: state and order, key id, digest, a line each.
void CountTombstone(std::string_view tombstone, KeyUsage& usage) {
  const std::size_t begin = tombstone.find('\n');
  const std::size_t end = begin == std::string_view::npos ? begin : tombstone.find('\n', begin + 1);
  std::string id;
  if (end != std::string_view::npos) id = tombstone.substr(begin + 1, end - begin - 1);
  ++usage.fingerprints[id].tombstones;
}

Async<KeyUsage> AddTombstones(CommandExecutor& executor, std::chrono::milliseconds timeout,
                              std::vector<std::string> hashes, KeyUsage usage) {
  for (const std::string& hash : hashes) {
    std::string cursor = "0";
    do {
      TB_CO_ASSIGN_OR_RETURN(const Reply reply,
                             co_await executor.Execute({"HSCAN", hash, cursor, "COUNT", kSlots},
                                                       BootClock::now() + timeout));
      TB_CO_ASSIGN_OR_RETURN(Page page, ReadPage(reply));
      for (std::size_t i = 1; i < page.found.size(); i += 2) CountTombstone(page.found[i], usage);
      cursor = page.cursor;
    } while (cursor != "0");
  }
  co_return usage;
}

}  // namespace

std::string IdPattern(std::string_view beginning) {
  return absl::StrCat(Literally(beginning), kAnyId);
}

std::string RecordPattern(std::string_view keys) {
  return IdPattern(std::string(keys).append("o:"));
}

std::string TombstonePattern(std::string_view keys) { return absl::StrCat(Literally(keys), "t:*"); }

Async<KeyUsage> AddKeyUsage(CommandExecutor& executor, std::string keys, OutcomeHead head,
                            std::chrono::milliseconds timeout, KeyUsage usage) {
  const std::uint64_t generation = executor.generation();
  for (const bool tombstones : {false, true}) {
    const std::string pattern = tombstones ? TombstonePattern(keys) : RecordPattern(keys);
    std::string cursor = "0";
    do {
      TB_CO_ASSIGN_OR_RETURN(
          const Reply reply,
          co_await executor.Execute({"SCAN", cursor, "MATCH", pattern, "COUNT", kSlots, "TYPE",
                                     tombstones ? "hash" : "string"},
                                    BootClock::now() + timeout));
      TB_CO_ASSIGN_OR_RETURN(Page page, ReadPage(reply));
      if (tombstones) {
        TB_CO_ASSIGN_OR_RETURN(
            usage,
            co_await AddTombstones(executor, timeout, std::move(page.found), std::move(usage)));
      } else {
        TB_CO_ASSIGN_OR_RETURN(usage, co_await AddPage(executor, head, timeout,
                                                       std::move(page.found), std::move(usage)));
      }
      // A cursor says nothing to another server.
      if (executor.generation() != generation) {
        co_return StoreUnavailable("the connection was lost in between: begin again");
      }
      cursor = page.cursor;
    } while (cursor != "0");
  }
  co_return usage;
}

}  // namespace tollbridge::redis
