#include "adapters/redis/operation_outbox.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "adapters/redis/errors.h"
#include "adapters/redis/record_format.h"
#include "adapters/redis/script.h"
#include "adapters/redis/scripts.h"
#include "base/core/status_macros.h"
#include "base/telemetry/log.h"
#include "tollbridge/operations/v1/operations.pb.h"

namespace tollbridge::redis {
namespace {

using Arguments = ScriptRunner::Arguments;

constexpr std::size_t kIdBytes = 16;
/// So often, at most, what cannot be read is passed over to fill one Take.
constexpr int kMostParts = 20;

const Script& TakeScript() {
  static const Script script({kRecordLua, kTakeTransitionsLua});
  return script;
}
const Script& DropScript() {
  static const Script script({kRecordLua, kDropTransitionsLua});
  return script;
}
const Script& RetireScript() {
  static const Script script({kRecordLua, kRetireLua});
  return script;
}

/// {place, id of the operation and of the one that it reviews, transition}
std::optional<ports::UndrainedRecord> ReadRecord(const std::string& project,
                                                 const std::vector<Reply>& part) {
  const std::string_view ids = part[1].text;
  const std::optional<Uuid> id = Uuid::FromBytes(ids.substr(0, kIdBytes));
  std::optional<operations::v1::OperationRecord> record = UnpackOperationRecord(part[2].text);
  if (!id || !record) return std::nullopt;
  record->set_operation_id(id->ToString());
  record->set_project(project);
  const std::string_view rest = ids.substr(std::min(kIdBytes, ids.size()));
  if (const auto review_of = Uuid::FromBytes(rest)) {
    record->set_review_of(review_of->ToString());
  }
  return ports::UndrainedRecord{.place = part[0].text, .record = *std::move(record)};
}

bool Closes(const operations::v1::OperationRecord& record) {
  const operations::v1::Transition& transition = record.transition();
  return transition.from() != transition.to() &&
         (transition.to() == operations::v1::OPERATION_STATE_DONE ||
          transition.to() == operations::v1::OPERATION_STATE_NOT_EXECUTED);
}

}  // namespace

Async<std::vector<ports::UndrainedRecord>> RedisOperationOutbox::Take(
    const std::string& project, std::size_t limit, ports::Millis lease,
    const ports::Context& context) {
  constexpr std::size_t kParts = 3;
  std::vector<ports::UndrainedRecord> taken;
  std::string last;
  taken_over_.Note(project);
  for (int part = 0; part < kMostParts && taken.size() < limit; ++part) {
    if (!taken_over_.IsStill(project)) break;
    const std::size_t wanted = limit - taken.size();
    Arguments arguments = {{"limit", absl::StrCat(wanted)},
                           {"after", last},
                           {"token", token_},
                           {"lease", MillisText(lease)}};
    TB_CO_ASSIGN_OR_RETURN(
        const Reply reply,
        co_await scripts_.Run(TakeScript(), project, std::move(arguments), context.deadline));
    for (const Reply& found : reply.elements) {
      if (found.elements.size() != kParts) co_return UnexpectedReply("take_transitions");
      last = found.elements[0].text;
      std::optional<ports::UndrainedRecord> record = ReadRecord(project, found.elements);
      if (record) {
        taken.push_back(*std::move(record));
        continue;
      }
      // Of a later version, or damaged. It stays for that version; the others go on.
      telemetry::Log(telemetry::Severity::kError, "operation_record_not_readable",
                     {{"place", last}, {"project", project}});
    }
    if (reply.elements.size() < wanted) break;
  }
  // A later version's process may be waiting for those.
  if (taken.empty() && !last.empty()) {
    TB_CO_RETURN_IF_ERROR(co_await Drained(project, taken, context));
  }
  co_return taken;
}

AsyncStatus RedisOperationOutbox::Drained(const std::string& project,
                                          const std::vector<ports::UndrainedRecord>& records,
                                          const ports::Context& context) {
  std::string drained;
  std::string closed;
  const bool same = taken_over_.IsStill(project);
  for (const ports::UndrainedRecord& record : records) {
    if (!same) break;
    absl::StrAppend(&drained, record.place, " ");
    const std::optional<Uuid> id = Uuid::Parse(record.record.operation_id());
    if (id && Closes(record.record)) closed += id->ToBytes();
  }
  Arguments arguments = {{"drained", drained}, {"closed", closed}, {"token", token_}};
  const absl::StatusOr<Reply> reply =
      co_await scripts_.Run(DropScript(), project, std::move(arguments), context.deadline);
  co_return reply.status();
}

Async<std::size_t> RedisOperationOutbox::Retire(const std::string& project, std::size_t limit,
                                                const ports::Context& context) {
  const OperationStoreOptions& options = scripts_.options();
  Arguments arguments = {{"limit", absl::StrCat(limit)},
                         {"outcomes_kept", MillisText(options.outcomes_kept)},
                         {"keys_kept", MillisText(options.keys_kept)}};
  TB_CO_ASSIGN_OR_RETURN(
      const Reply reply,
      co_await scripts_.Run(RetireScript(), project, std::move(arguments), context.deadline));
  const std::optional<std::int64_t> count = reply.AsInteger();
  if (!count || *count < 0) co_return UnexpectedReply("retire");
  co_return static_cast<std::size_t>(*count);
}

}  // namespace tollbridge::redis
