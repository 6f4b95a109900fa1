#include "adapters/redis/operation_registry.h"

#include <absl/strings/str_cat.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/redis/approval_arguments.h"
#include "adapters/redis/errors.h"
#include "adapters/redis/record_format.h"
#include "adapters/redis/script.h"
#include "adapters/redis/scripts.h"
#include "base/core/status_macros.h"
#include "services/domain/errors.h"
#include "tollbridge/operations/v1/operations.pb.h"

namespace tollbridge::redis {
namespace {

using Arguments = ScriptRunner::Arguments;

const Script& ReadScript() {
  static const Script script({kRecordLua, kShowLua, kReadOperationLua});
  return script;
}
const Script& ListScript() {
  static const Script script({kRecordLua, kShowLua, kListOperationsLua});
  return script;
}
const Script& CloseScript() {
  static const Script script({kRecordLua, kShowLua, kApprovalLua, kEffectsLua, kCloseOperationLua});
  return script;
}
const Script& ConfirmScript() {
  static const Script script({kRecordLua, kShowLua, kApprovalLua, kConfirmOperationLua});
  return script;
}
const Script& JudgeMarkScript() {
  static const Script script({kRecordLua, kEffectsLua, kJudgeMarkLua});
  return script;
}

/// Where a page ended: score and id, `<ms>.<uuid>` as text.
struct Cursor {
  std::string score;
  std::string id;
};

absl::StatusOr<Cursor> ReadCursor(std::string_view text) {
  if (text.empty()) return Cursor{};
  const std::size_t dot = text.find('.');
  const std::optional<std::int64_t> score = ParseInteger(text.substr(0, dot));
  const std::optional<Uuid> id =
      dot == std::string_view::npos ? std::optional<Uuid>() : Uuid::Parse(text.substr(dot + 1));
  if (!score || !id) {
    return domain::InvalidRequest(
        {{.field = "page_token", .rule = "must be the next_page_token of an earlier answer"}});
  }
  return Cursor{.score = absl::StrCat(*score), .id = id->ToBytes()};
}

absl::Status NotInReview() {
  return domain::MakeError(
      absl::StatusCode::kFailedPrecondition,
      "a person closes an operation in NEEDS_REVIEW or UNKNOWN; the others end by themselves",
      {.reason = domain::reason::kOperationNotInReview, .retry = domain::Retry::kAfterChange});
}

absl::Status Changed() {
  return domain::MakeError(
      absl::StatusCode::kFailedPrecondition,
      "the operation has had another transition since; look at it again",
      {.reason = domain::reason::kOperationChanged, .retry = domain::Retry::kAfterChange});
}

absl::Status InQuarantine(ports::Millis left) {
  return domain::MakeError(
      absl::StatusCode::kFailedPrecondition,
      "the operation may still take effect, and mostly ends by itself; a person "
      "closes it after its quarantine",
      {.reason = domain::reason::kOperationNotInReview,
       .retry = domain::Retry::kAfterChange,
       .retry_after = left});
}

absl::Status ApprovalOver() {
  return domain::MakeError(
      absl::StatusCode::kFailedPrecondition,
      "that is not asked of a second person, or no longer; look at the operation again",
      {.reason = domain::reason::kApprovalOver, .retry = domain::Retry::kAfterChange});
}

absl::Status AnotherIdentityNeeded() {
  return domain::MakeError(
      absl::StatusCode::kFailedPrecondition,
      "another identity has to confirm it: this certificate has a name of who asked, or none",
      {.reason = domain::reason::kAnotherIdentityNeeded, .retry = domain::Retry::kAfterChange});
}

/// Why a second person's answer was not taken; OK for any other word.
absl::Status RefusedConfirmation(std::string_view word) {
  if (word == "over") return ApprovalOver();
  return word == "same_identity" ? AnotherIdentityNeeded() : absl::OkStatus();
}

/// A record of a later version, or one that is damaged: that there is one, and no more.
operations::v1::Operation Unreadable(const std::string& project, const Uuid& id) {
  operations::v1::Operation operation;
  operation.set_id(id.ToString());
  operation.set_project(project);
  return operation;
}

/// The word of RunOnRecord and then the record.
absl::StatusOr<operations::v1::Operation> ReadRecord(const std::string& project, const Uuid& id,
                                                     Reply reply) {
  std::vector<Reply>& part = reply.elements;
  part.erase(part.begin());
  std::optional<operations::v1::Operation> operation = UnpackOperation(project, id, part);
  if (!operation) return UnexpectedReply("a record");
  return *std::move(operation);
}

}  // namespace

Async<Reply> RedisOperationRegistry::RunOnRecord(const Script& script, const std::string& project,
                                                 Arguments arguments,
                                                 const ports::Context& context) {
  TB_CO_ASSIGN_OR_RETURN(Reply reply,
                         co_await scripts_.Run(script, project, arguments, context.deadline));
  if (reply.elements.empty()) co_return UnexpectedReply("a record");
  if (reply.elements[0].text == "absent" && !scripts_.knows_epoch()) {
    TB_CO_RETURN_IF_ERROR(co_await scripts_.LearnEpoch(context.deadline));
    TB_CO_ASSIGN_OR_RETURN(
        reply, co_await scripts_.Run(script, project, std::move(arguments), context.deadline));
    if (reply.elements.empty()) co_return UnexpectedReply("a record");
  }
  const std::string& word = reply.elements[0].text;
  if (word == "doubtful") co_return MemoryLost();
  if (word == "absent") co_return domain::OperationNotFound();
  co_return reply;
}

Async<operations::v1::Operation> RedisOperationRegistry::Read(const std::string& project,
                                                              const Uuid& id,
                                                              const ports::Context& context) {
  Arguments arguments = {{"id", id.ToBytes()}};
  TB_CO_ASSIGN_OR_RETURN(
      Reply reply, co_await RunOnRecord(ReadScript(), project, std::move(arguments), context));
  co_return ReadRecord(project, id, std::move(reply));
}

Async<ports::OperationPage> RedisOperationRegistry::List(const ports::OperationQuery& query,
                                                         const ports::Context& context) {
  TB_CO_ASSIGN_OR_RETURN(Cursor cursor, ReadCursor(query.cursor));
  std::string states = "RUVA";
  if (query.state) states = std::string(1, StateLetter(*query.state));
  if (query.order_id.empty() && states.find_first_of("DN") != std::string::npos) {
    co_return domain::InvalidRequest(
        {{.field = "state", .rule = "must be RUNNING, UNKNOWN, NEEDS_REVIEW or AWAITS_APPROVAL"}});
  }
  Arguments arguments = {{"states", states},
                         {"order", query.order_id},
                         {"packed_order", PackOrderId(query.order_id)},
                         {"limit", absl::StrCat(query.limit)},
                         {"after_score", cursor.score},
                         {"after_id", cursor.id}};
  TB_CO_ASSIGN_OR_RETURN(
      const Reply reply,
      co_await scripts_.Run(ListScript(), query.project, std::move(arguments), context.deadline));
  const std::vector<Reply>& part = reply.elements;
  if (part.size() < 2) co_return UnexpectedReply("list_operations");
  ports::OperationPage page;
  if (const std::optional<Uuid> last = Uuid::FromBytes(part[1].text)) {
    page.next = absl::StrCat(part[0].text, ".", last->ToString());
  }
  for (std::size_t i = 2; i < part.size(); ++i) {
    const std::vector<Reply>& fields = part[i].elements;
    const std::optional<Uuid> id =
        fields.empty() ? std::optional<Uuid>() : Uuid::FromBytes(fields.back().text);
    if (!id) co_return UnexpectedReply("list_operations");
    std::optional<operations::v1::Operation> operation =
        UnpackOperation(query.project, *id, fields);
    page.operations.push_back(operation ? *std::move(operation) : Unreadable(query.project, *id));
  }
  co_return page;
}

Async<operations::v1::Operation> RedisOperationRegistry::Close(const ports::CloseRequest& request,
                                                               const ports::Context& context) {
  Arguments arguments = {{"id", request.id.ToBytes()},
                         {"to", std::string(1, StateLetter(request.to))},
                         {"quarantine", MillisText(request.quarantine)},
                         {"last_transition", absl::StrCat(request.last_transition)},
                         {"validate_only", request.validate_only ? "1" : ""},
                         {"owner", ShortenOwner(request.who)},
                         {"evidence", ShortenReason(request.note)},
                         {"knowledge", KnowledgeLetter(request.knowledge)},
                         {"outcome", KeptOutcome(request.outcome)}};
  if (request.ask) {
    arguments.Add("second", "ask");
    AppendApproval(arguments, *request.ask);
  } else if (request.confirm) {
    arguments.Add("second", "confirm");
    arguments.Add("who", ShortenOwner(request.who));
    AppendConfirmation(arguments, *request.confirm);
  }
  if (request.order) arguments.Add("order", request.order->key.root.ToString());
  AppendOrderEntry(arguments, request.order, scripts_.options().entry_retention);
  TB_CO_ASSIGN_OR_RETURN(Reply reply, co_await RunOnRecord(CloseScript(), request.project,
                                                           std::move(arguments), context));
  const std::string& word = reply.elements[0].text;
  if (word == "not_in_review") co_return NotInReview();
  if (word == "changed") co_return Changed();
  TB_CO_RETURN_IF_ERROR(RefusedConfirmation(word));
  if (word == "quarantine") {
    const std::optional<std::int64_t> left =
        reply.elements.size() == 2 ? reply.elements[1].AsInteger() : std::nullopt;
    if (!left) co_return UnexpectedReply("close_operation");
    co_return InQuarantine(ports::Millis(*left));
  }
  co_return ReadRecord(request.project, request.id, std::move(reply));
}

Async<operations::v1::Operation> RedisOperationRegistry::Confirm(
    const ports::ConfirmRequest& request, const ports::Context& context) {
  Arguments arguments = {{"id", request.id.ToBytes()},
                         {"validate_only", request.validate_only ? "1" : ""},
                         {"who", ShortenOwner(request.who)},
                         {"evidence", ShortenReason(request.note)}};
  AppendConfirmation(arguments, request.confirmation);
  TB_CO_ASSIGN_OR_RETURN(Reply reply, co_await RunOnRecord(ConfirmScript(), request.project,
                                                           std::move(arguments), context));
  TB_CO_RETURN_IF_ERROR(RefusedConfirmation(reply.elements[0].text));
  co_return ReadRecord(request.project, request.id, std::move(reply));
}

Async<ports::MarkVerdict> RedisOperationRegistry::JudgeMark(const domain::Mark& mark,
                                                            const ports::FamilyKey& order,
                                                            bool paid,
                                                            const ports::Context& context) {
  const std::string order_id = order.root.ToString();
  Arguments arguments = {{"id", mark.operation.ToBytes()},
                         {"epoch", mark.epoch},
                         {"attempt", absl::StrCat(mark.attempt)},
                         {"order", order_id},
                         {"paid", paid ? "1" : "0"},
                         {"review", OrphanId(mark.operation, order_id).ToBytes()}};
  TB_CO_ASSIGN_OR_RETURN(const Reply reply,
                         co_await scripts_.Run(JudgeMarkScript(), order.project,
                                               std::move(arguments), context.deadline));
  if (reply.text != "ours" && reply.text != "orphan") co_return UnexpectedReply("judge_mark");
  co_return reply.text == "ours" ? ports::MarkVerdict::kOurs : ports::MarkVerdict::kOrphan;
}

}  // namespace tollbridge::redis
