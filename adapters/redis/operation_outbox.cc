#include "adapters/redis/operation_outbox.h"

#include <absl/strings/str_cat.h>

#include <optional>
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

const Script& TakeScript() {
  static const Script script({kRecordLua, kTakeTransitionsLua});
  return script;
}
const Script& DrainScript() {
  static const Script script({kRecordLua, kDrainTransitionsLua});
  return script;
}

/// {id, rpc, review_of, number of the first, transition, ...}
std::optional<ports::UndrainedOperation> ReadUndrained(const std::string& project,
                                                       const std::vector<Reply>& part) {
  constexpr std::size_t kHead = 4;
  if (part.size() <= kHead) return std::nullopt;
  const std::optional<Uuid> id = Uuid::FromBytes(part[0].text);
  if (!id) return std::nullopt;
  ports::UndrainedOperation undrained{.id = *id, .records = {}};
  for (std::size_t i = kHead; i < part.size(); ++i) {
    const auto number =
        static_cast<std::uint32_t>(part[3].integer) + static_cast<std::uint32_t>(i - kHead);
    std::optional<operations::v1::OperationRecord> record =
        UnpackOperationRecord(part[i].text, number);
    if (!record) return std::nullopt;
    record->set_operation_id(id->ToString());
    record->set_rpc(part[1].text);
    record->set_project(project);
    if (const std::optional<Uuid> review_of = Uuid::FromBytes(part[2].text)) {
      record->set_review_of(review_of->ToString());
    }
    undrained.records.push_back(*std::move(record));
  }
  return undrained;
}

}  // namespace

Async<std::vector<ports::UndrainedOperation>> RedisOperationOutbox::Take(
    const std::string& project, std::size_t limit, ports::Millis lease,
    const ports::Context& context) {
  Arguments arguments = {{"limit", absl::StrCat(limit)}, {"lease", MillisText(lease)}};
  TB_CO_ASSIGN_OR_RETURN(
      const Reply reply,
      co_await scripts_.Run(TakeScript(), project, std::move(arguments), context.deadline));
  std::vector<ports::UndrainedOperation> taken;
  for (const Reply& part : reply.elements) {
    std::optional<ports::UndrainedOperation> undrained = ReadUndrained(project, part.elements);
    if (undrained) {
      taken.push_back(*std::move(undrained));
      continue;
    }
    // Of a later version, or damaged. It is nobody's until its lease ends; the others go on.
    const std::optional<Uuid> id =
        part.elements.empty() ? std::nullopt : Uuid::FromBytes(part.elements[0].text);
    if (!id) co_return UnexpectedReply("take_transitions");
    telemetry::Log(telemetry::Severity::kError, "operation_record_not_readable",
                   {telemetry::OperationId(id->ToString()), {"project", project}});
  }
  co_return taken;
}

AsyncStatus RedisOperationOutbox::Drained(const std::string& project, const Uuid& id,
                                          std::uint32_t number, const ports::Context& context) {
  Arguments arguments = {{"id", id.ToBytes()}, {"number", absl::StrCat(number)}};
  const absl::StatusOr<Reply> reply =
      co_await scripts_.Run(DrainScript(), project, std::move(arguments), context.deadline);
  co_return reply.status();
}

}  // namespace tollbridge::redis
