#include "adapters/redis/refused_calls.h"

#include <absl/strings/str_cat.h>

#include <optional>
#include <utility>

#include "adapters/redis/errors.h"
#include "adapters/redis/script.h"
#include "adapters/redis/scripts.h"
#include "base/core/status_macros.h"
#include "base/telemetry/log.h"
#include "services/domain/deterministic.h"

namespace tollbridge::redis {
namespace {

using Arguments = ScriptRunner::Arguments;

const Script& NoteScript() {
  static const Script script({kRecordLua, kNoteRefusedLua});
  return script;
}
const Script& TakeScript() {
  static const Script script({kRecordLua, kTakeRefusedLua});
  return script;
}
const Script& DropScript() {
  static const Script script({kRecordLua, kDropRefusedLua});
  return script;
}

std::optional<operations::v1::OperationRecord> ReadRecord(const std::string& bytes) {
  operations::v1::OperationRecord record;
  if (!record.ParseFromString(bytes) || !record.privileged().has_refused_call()) {
    return std::nullopt;
  }
  return record;
}

}  // namespace

Async<bool> RedisRefusedCalls::Note(const std::string& project,
                                    const operations::v1::OperationRecord& record,
                                    const ports::Context& context) {
  Arguments arguments = {{"most", absl::StrCat(ports::kMostRefusedCalls)},
                         {"record", domain::SerializeDeterministically(record)}};
  TB_CO_ASSIGN_OR_RETURN(
      const Reply reply,
      co_await scripts_.Run(NoteScript(), project, std::move(arguments), context.deadline));
  if (reply.type != Reply::Type::kInteger) co_return UnexpectedReply("note_refused");
  co_return reply.integer == 1;
}

Async<ports::RefusedCallsPage> RedisRefusedCalls::Take(const std::string& project,
                                                       const std::string& next, std::size_t limit,
                                                       const ports::Context& context) {
  constexpr std::size_t kParts = 2;
  taken_over_.Note(project);
  Arguments arguments = {{"limit", absl::StrCat(limit)}, {"after", next}};
  TB_CO_ASSIGN_OR_RETURN(
      const Reply reply,
      co_await scripts_.Run(TakeScript(), project, std::move(arguments), context.deadline));
  ports::RefusedCallsPage page;
  std::string first_unreadable;
  for (const Reply& found : reply.elements) {
    if (found.elements.size() != kParts) co_return UnexpectedReply("take_refused");
    const std::string& place = found.elements[0].text;
    std::optional<operations::v1::OperationRecord> record = ReadRecord(found.elements[1].text);
    if (record) {
      page.records.push_back({.place = place, .record = *std::move(record)});
    } else if (first_unreadable.empty()) {
      first_unreadable = place;
    }
  }
  if (reply.elements.size() >= limit && !reply.elements.empty()) {
    page.next = reply.elements.back().elements[0].text;
  }
  if (!first_unreadable.empty()) {
    // Of a later version, or damaged. They stay for that version; the others go on.
    telemetry::Log(telemetry::Severity::kError, "refused_call_not_readable",
                   {{"project", project},
                    {"first", first_unreadable},
                    {"count", reply.elements.size() - page.records.size()}});
  }
  co_return page;
}

AsyncStatus RedisRefusedCalls::Drained(const std::string& project,
                                       const std::vector<ports::UndrainedRecord>& records,
                                       const ports::Context& context) {
  if (!taken_over_.IsStill(project)) co_return absl::OkStatus();
  std::string drained;
  for (const ports::UndrainedRecord& record : records) {
    absl::StrAppend(&drained, record.place, " ");
  }
  Arguments arguments = {{"drained", drained}};
  const absl::StatusOr<Reply> reply =
      co_await scripts_.Run(DropScript(), project, std::move(arguments), context.deadline);
  co_return reply.status();
}

}  // namespace tollbridge::redis
