#include "adapters/redis/record_format.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <utility>

#include "base/core/text.h"
#include "base/telemetry/span.h"
#include "tollbridge/operations/v1/operations.pb.h"

namespace tollbridge::redis {
namespace {

using ports::OperationState;
using ports::StepState;

constexpr std::array<std::pair<char, OperationState>, 6> kStates = {{
    {'R', operations::v1::OPERATION_STATE_RUNNING},
    {'D', operations::v1::OPERATION_STATE_DONE},
    {'U', operations::v1::OPERATION_STATE_UNKNOWN},
    {'N', operations::v1::OPERATION_STATE_NOT_EXECUTED},
    {'V', operations::v1::OPERATION_STATE_NEEDS_REVIEW},
    {'A', operations::v1::OPERATION_STATE_AWAITS_APPROVAL},
}};
constexpr std::int64_t kMaxTransitions = 32;
constexpr std::size_t kTraceparentBytes = 16 + 8 + 1;
constexpr std::size_t kMaxReasonBytes = 256;
constexpr std::size_t kMaxOwnerBytes = 128;
constexpr std::string_view kPackage = "tollbridge";

constexpr std::array<std::pair<char, StepState>, 4> kStepStates = {{
    {'S', operations::v1::STEP_STATE_SENT},
    {'D', operations::v1::STEP_STATE_DONE},
    {'U', operations::v1::STEP_STATE_UNKNOWN},
    {'N', operations::v1::STEP_STATE_NOT_SENT},
}};

/// UNSPECIFIED for any other letter.
OperationState StateOfLetter(char letter) {
  const auto* found = std::ranges::find(kStates, letter, &std::pair<char, OperationState>::first);
  return found == kStates.end() ? operations::v1::OPERATION_STATE_UNSPECIFIED : found->second;
}

StepState StepStateOfLetter(char letter) {
  const auto* found = std::ranges::find(kStepStates, letter, &std::pair<char, StepState>::first);
  return found == kStepStates.end() ? operations::v1::STEP_STATE_UNSPECIFIED : found->second;
}

void SetTime(google::protobuf::Timestamp& time, std::int64_t millis) {
  time.set_seconds(millis / 1000);
  time.set_nanos(static_cast<std::int32_t>(millis % 1000) * 1'000'000);
}

using Fields = std::map<std::string_view, std::string_view>;

std::string_view Get(const Fields& fields, std::string_view name) {
  const auto found = fields.find(name);
  return found == fields.end() ? std::string_view() : found->second;
}

std::int64_t GetInteger(const Fields& fields, std::string_view name) {
  return ParseInteger(Get(fields, name)).value_or(0);
}

/// What follows the next '\n'; `head` is what stood before it.
std::string_view CutLine(std::string_view text, std::string_view& head) {
  const std::size_t end = text.find('\n');
  head = text.substr(0, end);
  return end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
}

/// `<state letter><sent at>\n<serialized Step>`
bool UnpackStep(std::string_view packed, operations::v1::Step& step) {
  std::string_view head;
  const std::string_view evidence = CutLine(packed, head);
  if (head.empty()) return false;
  const std::optional<std::int64_t> sent_at = ParseInteger(head.substr(1));
  if (!sent_at || !step.ParseFromArray(evidence.data(), static_cast<int>(evidence.size()))) {
    return false;
  }
  step.set_state(StepStateOfLetter(head[0]));
  if (*sent_at > 0) SetTime(*step.mutable_sent_at(), *sent_at);
  return true;
}

/// `<from><to><time>`, then a line each: attempt, owner, order, review reason, orphan, caller; the
/// rest is the evidence.
struct TransitionLines {
  std::string_view head;
  std::string_view attempt;
  std::string_view owner;
  std::string_view order;
  std::string_view reason;
  std::string_view orphan;
  std::string_view caller;
  std::string_view evidence;
};

TransitionLines SplitTransition(std::string_view packed) {
  TransitionLines lines;
  for (std::string_view* line : {&lines.head, &lines.attempt, &lines.owner, &lines.order,
                                 &lines.reason, &lines.orphan, &lines.caller}) {
    packed = CutLine(packed, *line);
  }
  lines.evidence = packed;
  return lines;
}

bool UnpackTransition(const TransitionLines& lines, std::int64_t number,
                      operations::v1::Transition& transition) {
  if (lines.head.size() < 3) return false;
  const std::optional<std::int64_t> time = ParseInteger(lines.head.substr(2));
  const std::optional<std::int64_t> attempt = ParseInteger(lines.attempt);
  if (!time || !attempt) return false;
  transition.set_from(StateOfLetter(lines.head[0]));
  transition.set_to(StateOfLetter(lines.head[1]));
  SetTime(*transition.mutable_time(), *time);
  transition.set_owner(std::string(lines.owner));
  transition.set_evidence(std::string(lines.evidence));
  transition.set_number(static_cast<std::uint32_t>(number));
  transition.set_attempt(static_cast<std::uint32_t>(*attempt));
  if (!lines.caller.empty()) transition.set_caller(std::string(lines.caller));
  return true;
}

operations::v1::Knowledge ProtoKnowledge(std::string_view letter) {
  if (letter == "A") return operations::v1::KNOWLEDGE_ANSWERED;
  if (letter == "R") return operations::v1::KNOWLEDGE_RECOVERED;
  return operations::v1::KNOWLEDGE_UNSPECIFIED;
}

Fields ReadFields(const std::vector<Reply>& reply) {
  Fields fields;
  for (std::size_t i = 0; i + 1 < reply.size(); i += 2) {
    fields[reply[i].text] = reply[i + 1].text;
  }
  return fields;
}

/// What depends on the state.
void SetState(const Fields& fields, OperationState state, operations::v1::Operation& operation) {
  operation.set_state(state);
  if (const std::int64_t since = GetInteger(fields, "e"); since > 0) {
    SetTime(*operation.mutable_since(), since);
  }
  if (state == operations::v1::OPERATION_STATE_NEEDS_REVIEW) {
    operation.set_review_reason(std::string(Get(fields, "y")));
  }
  if (state == operations::v1::OPERATION_STATE_RUNNING)
    operation.set_owner(std::string(Get(fields, "w")));
  const std::optional<std::int64_t> due = ParseInteger(Get(fields, "due"));
  if (due && (state == operations::v1::OPERATION_STATE_RUNNING ||
              state == operations::v1::OPERATION_STATE_UNKNOWN)) {
    SetTime(*operation.mutable_next_look(), *due);
  }
  operation.set_misses(static_cast<std::uint32_t>(GetInteger(fields, "m")));
}

/// What a second person is asked for, or has confirmed (scripts/show.lua).
void SetApproval(const Fields& fields, operations::v1::Operation& operation) {
  const std::optional<Uuid> id = Uuid::FromBytes(Get(fields, "ap_id"));
  if (!id) return;
  operations::v1::Approval& approval = *operation.mutable_approval();
  approval.set_id(id->ToString());
  approval.set_asked_by(std::string(Get(fields, "ap_w")));
  SetTime(*approval.mutable_asked(), GetInteger(fields, "ap_t"));
  SetTime(*approval.mutable_until(), GetInteger(fields, "ap_l"));
  approval.set_reason(std::string(Get(fields, "ap_e")));
  if (const std::string_view to = Get(fields, "ap_to"); !to.empty()) {
    approval.set_resolution(to == "D" ? operations::v1::RESOLUTION_DONE
                                      : operations::v1::RESOLUTION_NOT_EXECUTED);
  }
  const std::string_view step = Get(fields, "ap_p");
  if (!step.empty()) {
    approval.mutable_step()->ParseFromArray(step.data(), static_cast<int>(step.size()));
  }
  if (const std::string_view who = Get(fields, "ap_c"); !who.empty()) {
    approval.set_confirmed_by(std::string(who));
    SetTime(*approval.mutable_confirmed(), GetInteger(fields, "ap_ct"));
  }
}

std::optional<ports::StepRecord> UnpackStepRecord(std::string_view packed) {
  operations::v1::Step step;
  if (!UnpackStep(packed, step)) return std::nullopt;
  if (step.state() == operations::v1::STEP_STATE_UNSPECIFIED) return std::nullopt;
  ports::StepRecord record;
  record.state = step.state();
  record.sent_at =
      WallTime(ports::Millis(step.sent_at().seconds() * 1000 + step.sent_at().nanos() / 1'000'000));
  record.target = ports::TargetOf(step);
  return record;
}

}  // namespace

char StateLetter(OperationState state) {
  const auto* found = std::ranges::find(kStates, state, &std::pair<char, OperationState>::second);
  return found == kStates.end() ? '-' : found->first;
}

std::optional<OperationState> StateOf(std::string_view letter) {
  const OperationState state =
      letter.size() == 1 ? StateOfLetter(letter[0]) : operations::v1::OPERATION_STATE_UNSPECIFIED;
  if (state == operations::v1::OPERATION_STATE_UNSPECIFIED) return std::nullopt;
  return state;
}

std::string_view KnowledgeLetter(ports::Knowledge knowledge) {
  switch (knowledge) {
    case operations::v1::KNOWLEDGE_ANSWERED:
      return "A";
    case operations::v1::KNOWLEDGE_RECOVERED:
      return "R";
    default:
      return "";
  }
}

std::string_view KeptOutcome(std::string_view outcome) {
  return outcome.size() <= ports::kMaxOutcomeBytes ? outcome : std::string_view();
}

std::string MillisText(std::chrono::milliseconds value) { return absl::StrCat(value.count()); }

std::string_view ShortenReason(std::string_view reason) {
  return Truncated(reason, kMaxReasonBytes);
}

std::string_view ShortenOwner(std::string_view owner) { return Truncated(owner, kMaxOwnerBytes); }

Uuid LateEffectId(const Uuid& operation, std::string_view epoch, std::uint32_t attempt) {
  return Uuid::V5(operation, absl::StrCat("review.", std::string(epoch), ".", attempt));
}

Uuid OrphanId(const Uuid& operation, std::string_view order_id) {
  return Uuid::V5(operation, absl::StrCat("orphan.", std::string(order_id)));
}

std::string PackStep(const ports::StepTarget& target) {
  operations::v1::Step step;
  step.set_name(target.name);
  if (!target.order_id.empty()) step.set_order_id(target.order_id);
  if (!target.transaction_id.empty()) step.set_transaction_id(target.transaction_id);
  if (target.amount) step.set_amount(*target.amount);
  if (!target.currency.empty()) step.set_currency(target.currency);
  if (!target.merchant_order_id.empty()) step.set_merchant_order_id(target.merchant_order_id);
  if (target.marked) step.set_marked(true);
  return step.SerializeAsString();
}

std::optional<operations::v1::Operation> UnpackOperation(const std::string& project, const Uuid& id,
                                                         const std::vector<Reply>& reply) {
  const Fields fields = ReadFields(reply);
  const std::optional<OperationState> state = StateOf(Get(fields, "s"));
  if (!state) return std::nullopt;

  operations::v1::Operation operation;
  operation.set_id(id.ToString());
  operation.set_rpc(UnpackRpc(Get(fields, "r")));
  operation.set_project(project);
  operation.set_attempt(static_cast<std::uint32_t>(GetInteger(fields, "a")));
  if (const std::int64_t created = GetInteger(fields, "b"); created > 0) {
    SetTime(*operation.mutable_created(), created);
  }
  SetState(fields, *state, operation);
  operation.set_knowledge(ProtoKnowledge(Get(fields, "kn")));
  if (const std::string_view caller = Get(fields, "u"); !caller.empty()) {
    operation.set_caller(std::string(caller));
  }
  if (const std::string_view order = Get(fields, "o"); !order.empty()) {
    operation.set_order_id(std::string(order));
  }
  if (const std::optional<Uuid> review_of = Uuid::FromBytes(Get(fields, "ro"))) {
    operation.set_review_of(review_of->ToString());
  }
  SetApproval(fields, operation);
  for (std::int64_t i = 1; i <= GetInteger(fields, "pn"); ++i) {
    operations::v1::Step& step = *operation.add_steps();
    if (!UnpackStep(Get(fields, absl::StrCat("p", i)), step)) return std::nullopt;
    // A record that is kept small names the order once.
    if (!step.has_order_id() && operation.has_order_id() &&
        *state == operations::v1::OPERATION_STATE_DONE) {
      step.set_order_id(operation.order_id());
    }
  }
  const std::int64_t count = GetInteger(fields, "tn");
  for (std::int64_t n = std::max<std::int64_t>(1, count - kMaxTransitions + 1); n <= count; ++n) {
    const TransitionLines lines = SplitTransition(Get(fields, absl::StrCat("t", n)));
    if (!UnpackTransition(lines, n, *operation.add_transitions())) return std::nullopt;
  }
  return operation;
}

std::optional<ports::DueOperation> UnpackDueOperation(const std::string& project,
                                                      const std::vector<Reply>& reply,
                                                      WallTime now) {
  const Fields fields = ReadFields(reply);
  const std::optional<OperationState> state = StateOf(Get(fields, "s"));
  const std::optional<Uuid> id = Uuid::FromBytes(Get(fields, "id"));
  if (!state || !id) return std::nullopt;
  ports::DueOperation due;
  due.identity = {.id = *id,
                  .rpc = UnpackRpc(Get(fields, "r")),
                  .caller = std::string(Get(fields, "u")),
                  .project = project,
                  .fingerprints = {{.key_id = std::string(Get(fields, "k")),
                                    .digest = std::string(Get(fields, "f"))}},
                  .capture_mode = std::string(Get(fields, "c")),
                  .traceparent = UnpackTraceparent(Get(fields, "x")),
                  .gate_order = std::nullopt};
  if (const std::string_view gate = Get(fields, "g"); !gate.empty()) {
    due.identity.gate_order = UnpackOrderId(gate);
  }
  due.attempt = static_cast<std::uint32_t>(GetInteger(fields, "a"));
  due.epoch = std::string(Get(fields, "h"));
  due.state = *state;
  due.misses = static_cast<std::uint32_t>(GetInteger(fields, "m"));
  // Of the same misses: a version that does not know it counts on without it.
  due.target_missing = due.misses > 0 && Get(fields, "mt") == Get(fields, "m");
  due.passes = static_cast<std::uint32_t>(GetInteger(fields, "ps"));
  due.since = WallTime(ports::Millis(GetInteger(fields, "e")));
  due.now = now;
  due.may_lack_steps = Get(fields, "ls") == "1";
  due.nothing_sent = *state == operations::v1::OPERATION_STATE_UNKNOWN && Get(fields, "lf") == "1";
  due.seen_orders = UnpackSeen(Get(fields, "sn"));
  for (std::int64_t i = 1; i <= GetInteger(fields, "pn"); ++i) {
    std::optional<ports::StepRecord> step = UnpackStepRecord(Get(fields, absl::StrCat("p", i)));
    if (!step) return std::nullopt;
    due.steps.push_back(*std::move(step));
  }
  return due;
}

std::optional<operations::v1::OperationRecord> UnpackOperationRecord(std::string_view transition) {
  std::string_view number;
  std::string_view rpc;
  transition = CutLine(CutLine(transition, number), rpc);
  const std::optional<std::int64_t> count = ParseInteger(number);
  const TransitionLines lines = SplitTransition(transition);
  operations::v1::OperationRecord record;
  if (!count || !UnpackTransition(lines, *count, *record.mutable_transition())) return std::nullopt;
  record.set_rpc(UnpackRpc(rpc));
  if (!lines.order.empty()) record.set_order_id(std::string(lines.order));
  if (!lines.reason.empty()) record.set_review_reason(std::string(lines.reason));
  if (!lines.orphan.empty()) record.set_orphan_order_id(std::string(lines.orphan));
  return record;
}

std::string PackTraceparent(std::string_view traceparent) {
  const std::optional<telemetry::TraceContext> trace =
      telemetry::TraceContext::FromTraceparent(traceparent);
  // Only what comes back as the same text: a later version says more than these fields.
  if (!trace || trace->ToTraceparent() != traceparent) return std::string(traceparent);
  std::string packed;
  packed.reserve(kTraceparentBytes);
  for (std::uint8_t byte : trace->trace_id) packed.push_back(static_cast<char>(byte));
  for (std::uint8_t byte : trace->span_id) packed.push_back(static_cast<char>(byte));
  packed.push_back(static_cast<char>(trace->flags));
  return packed;
}

std::string UnpackTraceparent(std::string_view packed) {
  if (packed.size() != kTraceparentBytes) return std::string(packed);
  telemetry::TraceContext trace;
  const auto* next = packed.begin();
  for (std::uint8_t& byte : trace.trace_id) byte = static_cast<std::uint8_t>(*next++);
  for (std::uint8_t& byte : trace.span_id) byte = static_cast<std::uint8_t>(*next++);
  trace.flags = static_cast<std::uint8_t>(*next);
  return trace.ToTraceparent();
}

std::string_view PackRpc(std::string_view rpc) {
  const bool ours = rpc.starts_with(kPackage) && rpc.substr(kPackage.size()).starts_with('.');
  return rpc.substr(ours ? kPackage.size() : 0);
}

std::string UnpackRpc(std::string_view packed) {
  std::string rpc(packed.starts_with('.') ? kPackage : std::string_view());
  return rpc.append(packed);
}

std::string PackSeen(const std::vector<std::string>& orders) {
  std::string packed;
  for (const std::string& order : orders) absl::StrAppend(&packed, order, ",");
  return packed;
}

std::vector<std::string> UnpackSeen(std::string_view packed) {
  return absl::StrSplit(absl::string_view(packed.data(), packed.size()), ',', absl::SkipEmpty());
}

std::string PackOrderId(std::string_view order_id) {
  const std::optional<Uuid> uuid = Uuid::Parse(order_id);
  return uuid ? uuid->ToBytes() : std::string(order_id);
}

std::string UnpackOrderId(std::string_view packed) {
  const std::optional<Uuid> uuid = Uuid::FromBytes(packed);
  return uuid ? uuid->ToString() : std::string(packed);
}

}  // namespace tollbridge::redis
