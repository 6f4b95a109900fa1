#include "adapters/redis/unresolved_operations.h"

#include <absl/strings/str_cat.h>

#include <optional>
#include <utility>
#include <vector>

#include "adapters/redis/errors.h"
#include "adapters/redis/record_format.h"
#include "adapters/redis/script.h"
#include "adapters/redis/scripts.h"
#include "base/core/status_macros.h"

namespace tollbridge::redis {
namespace {

using Arguments = ScriptRunner::Arguments;

/// So that one script does not hold Redis up for long.
constexpr std::int64_t kPulledAtOnce = 1000;

const Script& TakeScript() {
  static const Script script({kRecordLua, kShowLua, kApprovalLua, kTakeUnresolvedLua});
  return script;
}
const Script& RescheduleScript() {
  static const Script script({kRecordLua, kRescheduleLua});
  return script;
}
const Script& PullDueScript() {
  static const Script script({kRecordLua, kPullDueLua});
  return script;
}
const Script& SurveyScript() {
  static const Script script({kRecordLua, kSurveyLua});
  return script;
}

/// {id, rpc, state, ...}
absl::StatusOr<std::vector<ports::ExpiredOperation>> ReadExpired(const std::vector<Reply>& part) {
  std::vector<ports::ExpiredOperation> expired;
  for (std::size_t i = 0; i + 2 < part.size(); i += 3) {
    const std::optional<Uuid> id = Uuid::FromBytes(part[i].text);
    const std::optional<ports::OperationState> became = StateOf(part[i + 2].text);
    if (!id || !became) return UnexpectedReply("take_unresolved");
    expired.push_back({.id = *id, .rpc = UnpackRpc(part[i + 1].text), .became = *became});
  }
  return expired;
}

}  // namespace

Async<ports::DueOperations> RedisUnresolvedOperations::TakeDue(const std::string& project,
                                                               std::size_t limit,
                                                               const std::string& token,
                                                               ports::Millis lease,
                                                               const ports::Context& context) {
  // Absence counts from when the doubt began, and nobody may ever claim anything here again.
  TB_CO_RETURN_IF_ERROR(co_await scripts_.BeginDoubt(context.deadline));
  Arguments arguments = {
      {"limit", absl::StrCat(limit)}, {"token", ShortenOwner(token)}, {"lease", MillisText(lease)}};
  TB_CO_ASSIGN_OR_RETURN(
      const Reply reply,
      co_await scripts_.Run(TakeScript(), project, std::move(arguments), context.deadline));
  if (reply.elements.size() != 3) co_return UnexpectedReply("take_unresolved");
  const WallTime now{ports::Millis(reply.elements[0].integer)};
  absl::StatusOr<std::vector<ports::ExpiredOperation>> expired =
      ReadExpired(reply.elements[1].elements);
  TB_CO_RETURN_IF_ERROR(expired.status());
  ports::DueOperations due{
      .now = now, .expired = *std::move(expired), .to_look_at = {}, .unreadable = {}};
  for (const Reply& record : reply.elements[2].elements) {
    std::optional<ports::DueOperation> operation =
        UnpackDueOperation(project, record.elements, now);
    if (operation) {
      due.to_look_at.push_back(*std::move(operation));
      continue;
    }
    // `id` and the id, before the fields of the record.
    const std::optional<Uuid> id = record.elements.size() > 1
                                       ? Uuid::FromBytes(record.elements[1].text)
                                       : std::optional<Uuid>();
    if (!id) co_return UnexpectedReply("take_unresolved");
    due.unreadable.push_back(*id);
  }
  co_return due;
}

Async<bool> RedisUnresolvedOperations::Reschedule(const ports::DueOperation& operation,
                                                  const std::string& token,
                                                  const ports::NextLook& next,
                                                  const ports::Context& context) {
  Arguments arguments = {{"id", operation.identity.id.ToBytes()},
                         {"state", std::string(1, StateLetter(operation.state))},
                         {"epoch", operation.epoch},
                         {"attempt", absl::StrCat(operation.attempt)},
                         {"token", ShortenOwner(token)},
                         {"misses", absl::StrCat(next.misses)},
                         {"target_missing", next.target_missing ? "1" : "0"},
                         {"next_look", MillisText(next.after)},
                         {"seen", PackSeen(operation.seen_orders)}};
  TB_CO_ASSIGN_OR_RETURN(const Reply reply,
                         co_await scripts_.Run(RescheduleScript(), operation.identity.project,
                                               std::move(arguments), context.deadline));
  co_return reply.integer == 1;
}

AsyncStatus RedisUnresolvedOperations::PullDue(const std::string& project,
                                               const ports::Context& context) {
  std::int64_t stop = -1;
  while (stop != 0) {
    Arguments arguments = {{"stop", absl::StrCat(stop)}, {"count", absl::StrCat(kPulledAtOnce)}};
    TB_CO_ASSIGN_OR_RETURN(
        const Reply reply,
        co_await scripts_.Run(PullDueScript(), project, std::move(arguments), context.deadline));
    const std::optional<std::int64_t> next = reply.AsInteger();
    if (!next || *next < 0) co_return UnexpectedReply("pull_due");
    stop = *next;
  }
  co_return absl::OkStatus();
}

Async<ports::UnresolvedSurvey> RedisUnresolvedOperations::Survey(const std::string& project,
                                                                 const ports::Context& context) {
  TB_CO_ASSIGN_OR_RETURN(const Reply reply, co_await scripts_.Run(SurveyScript(), project,
                                                                  Arguments(), context.deadline));
  if (reply.elements.size() != 8) co_return UnexpectedReply("survey");
  const std::vector<Reply>& part = reply.elements;
  ports::UnresolvedSurvey survey{.running = static_cast<std::size_t>(part[0].integer),
                                 .unknown = static_cast<std::size_t>(part[1].integer),
                                 .awaits_approval = static_cast<std::size_t>(part[7].integer),
                                 .needs_review = {},
                                 .oldest_unknown = ports::Millis(part[2].integer),
                                 .oldest_review = ports::Millis(part[3].integer),
                                 .oldest_record = ports::Millis(part[4].integer),
                                 .doubtful_left = ports::Millis(part[5].integer)};
  const std::vector<Reply>& reasons = part[6].elements;
  for (std::size_t i = 0; i + 1 < reasons.size(); i += 2) {
    survey.needs_review[reasons[i].text] =
        static_cast<std::size_t>(reasons[i + 1].AsInteger().value_or(0));
  }
  co_return survey;
}

}  // namespace tollbridge::redis
