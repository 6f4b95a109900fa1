#include "adapters/redis/due_queue.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <utility>

#include "adapters/redis/errors.h"
#include "adapters/redis/family_record.h"
#include "adapters/redis/script.h"
#include "adapters/redis/scripts.h"
#include "base/core/status_macros.h"

namespace tollbridge::redis {
namespace {

/// Of an order that nobody can read for longer, as one of a project whose key does not work, it is
/// noticed anew.
constexpr ports::Millis kNoticeKept = std::chrono::hours(24 * 90);

const Script& TakeScript() {
  static const Script script({kTakeDueLua});
  return script;
}

const Script& EnterScript() {
  static const Script script({kSettledLua, kFamilyLua, kEnterDueLua});
  return script;
}

const Script& SetScript() {
  static const Script script({kSettledLua, kFamilyLua, kSetDueLua});
  return script;
}

const Script& NoteScript() {
  static const Script script({kSettledLua, kFamilyLua, kNoteNoticedLua});
  return script;
}

const Script& RemoveScript() {
  static const Script script({kSettledLua, kFamilyLua, kRemoveDueLua});
  return script;
}

/// A time and how often it was taken, 1024ths of a millisecond (take_due.lua); nullopt for what is
/// no number.
std::optional<ports::DueOrder> ReadScore(const std::string& text) {
  double score = 0;
  if (!absl::SimpleAtod(text, &score)) return std::nullopt;
  const double whole = std::floor(score);
  return ports::DueOrder{.key = {},
                         .due = WallTime(ports::Millis(static_cast<std::int64_t>(whole))),
                         .taken = static_cast<std::size_t>(std::lround((score - whole) * 1024))};
}

/// Members and scores by turns.
absl::StatusOr<std::vector<ports::DueOrder>> ReadOrders(const std::string& project,
                                                        const Reply& reply) {
  std::vector<ports::DueOrder> orders;
  for (std::size_t i = 0; i + 1 < reply.elements.size(); i += 2) {
    const std::optional<Uuid> root = Uuid::FromBytes(reply.elements[i].text);
    std::optional<ports::DueOrder> order = ReadScore(reply.elements[i + 1].text);
    if (!root || !order) return UnexpectedReply("the due queue");
    order->key = {.project = project, .root = *root};
    orders.push_back(*std::move(order));
  }
  return orders;
}

}  // namespace

RedisDueQueue::RedisDueQueue(CommandExecutor& executor, Keyspace keyspace)
    : executor_(executor), keyspace_(std::move(keyspace)) {}

Async<std::vector<ports::DueOrder>> RedisDueQueue::Take(const std::string& project, WallTime now,
                                                        std::span<const ports::Millis> moves,
                                                        std::size_t limit,
                                                        const ports::Context& context) {
  TB_CO_ASSIGN_OR_RETURN(std::string keys, keyspace_.Of(project));
  Command arguments = {std::move(keys), TimeText(now), absl::StrCat(limit)};
  for (const ports::Millis move : moves) arguments.push_back(absl::StrCat(move.count()));
  TB_CO_ASSIGN_OR_RETURN(const Reply reply, co_await TakeScript().Run(
                                                executor_, std::move(arguments), context.deadline));
  co_return ReadOrders(project, reply);
}

AsyncStatus RedisDueQueue::Enter(const ports::FamilyKey& key, WallTime due,
                                 const ports::Context& context) {
  TB_CO_ASSIGN_OR_RETURN(std::string keys, keyspace_.Of(key.project));
  Command arguments = {std::move(keys), key.root.ToBytes(), TimeText(due)};
  const absl::StatusOr<Reply> reply =
      co_await EnterScript().Run(executor_, std::move(arguments), context.deadline);
  co_return reply.status();
}

AsyncStatus RedisDueQueue::Set(const ports::FamilyKey& key, WallTime due,
                               std::optional<WallTime> seen, const ports::Context& context) {
  TB_CO_ASSIGN_OR_RETURN(std::string keys, keyspace_.Of(key.project));
  Command arguments = {std::move(keys), key.root.ToBytes(), TimeText(due), TimeText(seen)};
  const absl::StatusOr<Reply> reply =
      co_await SetScript().Run(executor_, std::move(arguments), context.deadline);
  co_return reply.status();
}

AsyncStatus RedisDueQueue::Note(const ports::FamilyKey& key, const ports::Noticed& noticed,
                                const ports::Context& context) {
  TB_CO_ASSIGN_OR_RETURN(std::string keys, keyspace_.Of(key.project));
  Command arguments = {std::move(keys), key.root.ToBytes(), TimeText(noticed.at),
                       noticed.seen ? "1" : "", absl::StrCat(kNoticeKept.count())};
  const absl::StatusOr<Reply> reply =
      co_await NoteScript().Run(executor_, std::move(arguments), context.deadline);
  co_return reply.status();
}

AsyncStatus RedisDueQueue::RemoveIf(const ports::FamilyKey& key, WallTime seen,
                                    const ports::Context& context) {
  TB_CO_ASSIGN_OR_RETURN(std::string keys, keyspace_.Of(key.project));
  Command arguments = {std::move(keys), key.root.ToBytes(), TimeText(seen)};
  const absl::StatusOr<Reply> reply =
      co_await RemoveScript().Run(executor_, std::move(arguments), context.deadline);
  co_return reply.status();
}

Async<std::vector<ports::DueOrder>> RedisDueQueue::First(const std::string& project,
                                                         std::size_t limit,
                                                         const ports::Context& context) {
  if (limit == 0) co_return std::vector<ports::DueOrder>();
  TB_CO_ASSIGN_OR_RETURN(const std::string keys, keyspace_.Of(project));
  TB_CO_ASSIGN_OR_RETURN(
      const Reply reply,
      co_await executor_.Execute(
          {"ZRANGE", keys + "due", "0", absl::StrCat(limit - 1), "WITHSCORES"}, context.deadline));
  TB_CO_RETURN_IF_ERROR(StatusOf(reply));
  co_return ReadOrders(project, reply);
}

}  // namespace tollbridge::redis
