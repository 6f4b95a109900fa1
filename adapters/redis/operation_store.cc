#include "adapters/redis/operation_store.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "adapters/redis/approval_arguments.h"
#include "adapters/redis/errors.h"
#include "adapters/redis/record_format.h"
#include "adapters/redis/script.h"
#include "adapters/redis/script_span.h"
#include "adapters/redis/scripts.h"
#include "base/core/status_macros.h"

namespace tollbridge::redis {
namespace {

using Arguments = ScriptRunner::Arguments;
using ports::ClaimResult;
using ports::ClaimVerdict;
using ports::FinishVerdict;

/// Of an epoch's id: so much of it is in records and marks.
constexpr std::size_t kEpochShortLength = 8;
constexpr std::string_view kLostEpoch = "epoch";
constexpr std::string_view kLate = "late";
constexpr std::string_view kUnlisted = "unlisted";

// Function-local statics: the pieces are initialized at run time in another file.
const Script& ClaimScript() {
  static const Script script({kRecordLua, kApprovalLua, kClaimLua});
  return script;
}
const Script& ReleaseScript() {
  static const Script script({kRecordLua, kReleaseLua});
  return script;
}
const Script& BeginStepScript() {
  static const Script script({kRecordLua, kBeginStepLua});
  return script;
}
const Script& FinishScript() {
  static const Script script({kRecordLua, kEffectsLua, kFinishLua});
  return script;
}

constexpr std::array<std::pair<std::string_view, ClaimVerdict>, 13> kClaimVerdicts = {{
    {"claimed", ClaimVerdict::kClaimed},
    {"look_first", ClaimVerdict::kLookFirst},
    {"in_progress", ClaimVerdict::kInProgress},
    {"done", ClaimVerdict::kDone},
    {"not_kept", ClaimVerdict::kNotKept},
    {"pending", ClaimVerdict::kPending},
    {"key_reused", ClaimVerdict::kKeyReused},
    {"key_unknown", ClaimVerdict::kKeyUnknown},
    {"order_busy", ClaimVerdict::kOrderBusy},
    {"undrained", ClaimVerdict::kOutboxFull},
    {"whose_currency", ClaimVerdict::kWhoseCurrency},
    {"money_limit", ClaimVerdict::kMoneyLimit},
    {"approval_needed", ClaimVerdict::kApprovalNeeded},
}};
constexpr std::array<std::pair<std::string_view, FinishVerdict>, 4> kFinishVerdicts = {{
    {"recorded", FinishVerdict::kRecorded},
    {"already_closed", FinishVerdict::kAlreadyClosed},
    {"late_effect", FinishVerdict::kLateEffect},
    {"not_ours", FinishVerdict::kNotOurs},
}};

template <typename Table>
auto Find(const Table& table, std::string_view name) {
  std::optional<typename Table::value_type::second_type> found;
  for (const auto& [text, value] : table) {
    if (text == name) found = value;
  }
  return found;
}

std::string_view Flag(bool value) { return value ? "1" : ""; }

void AppendMoney(Arguments& arguments, const ports::MoneyClaim& money) {
  arguments.Add("amount", absl::StrCat(money.amount));
  if (!money.limits.has_value()) {
    arguments.Add("money", "?");
    return;
  }
  arguments.Add("money", absl::StrCat(money.limits->size()));
  for (std::size_t i = 0; i < money.limits->size(); ++i) {
    const ports::MoneyLimit& limit = (*money.limits)[i];
    arguments.Add(absl::StrCat("limit", i + 1), limit.name);
    if (limit.amount) {
      arguments.Add(absl::StrCat("most", i + 1), absl::StrCat(*limit.amount));
    }
    if (limit.count) {
      arguments.Add(absl::StrCat("times", i + 1), absl::StrCat(*limit.count));
    }
  }
}

/// `not_after`: in ms of Redis' clock.
Arguments ClaimArguments(const ports::ClaimRequest& request, const std::string& epoch,
                         std::int64_t not_after, std::size_t max_undrained) {
  const ports::OperationIdentity& identity = request.identity;
  Arguments arguments = {
      {"epoch", epoch},
      {"not_after", absl::StrCat(not_after)},
      {"max_undrained", absl::StrCat(max_undrained)},
      {"id", identity.id.ToBytes()},
      {"owner", ShortenOwner(request.owner)},
      {"lease", MillisText(request.lease)},
      {"rpc", PackRpc(identity.rpc)},
      {"caller", ShortenOwner(identity.caller)},
      {"capture_mode", identity.capture_mode},
      {"traceparent", PackTraceparent(identity.traceparent)},
      {"gate", PackOrderId(identity.gate_order.value_or(""))},
      {"step", PackStep(request.first_step)},
      {"looked_for", request.looked_for ? PackStep(*request.looked_for) : std::string()},
      {"order", identity.gate_order.value_or(request.first_step.order_id)},
      {"fingerprints", absl::StrCat(identity.fingerprints.size())},
  };
  for (std::size_t i = 0; i < identity.fingerprints.size(); ++i) {
    arguments.Add(absl::StrCat("key", i + 1), identity.fingerprints[i].key_id);
    arguments.Add(absl::StrCat("digest", i + 1), identity.fingerprints[i].digest);
  }
  if (request.money) AppendMoney(arguments, *request.money);
  if (request.approval) AppendApproval(arguments, *request.approval);
  return arguments;
}

/// What a closed record keeps of its only step: the order is in the record, and nobody searches for
/// it any more.
std::string KeptStep(const ports::FinishRequest& request) {
  if (request.to != operations::v1::OPERATION_STATE_DONE) return {};
  ports::StepTarget kept = request.step;
  kept.order_id.clear();
  kept.merchant_order_id.clear();
  return PackStep(kept);
}

Arguments FinishArguments(const ports::FinishRequest& request,
                          const OperationStoreOptions& options) {
  const ports::OperationIdentity& identity = request.identity;
  const std::string root = request.order ? request.order->key.root.ToString() : std::string();
  Arguments arguments = {
      {"id", identity.id.ToBytes()},
      {"epoch", request.epoch},
      {"attempt", absl::StrCat(request.attempt)},
      {"owner", ShortenOwner(request.owner)},
      {"by_resolver", Flag(request.by_resolver)},
      {"seen", PackSeen(request.seen_orders)},
      {"to", std::string(1, StateLetter(request.to))},
      {"by_absence",
       Flag(request.to == operations::v1::OPERATION_STATE_NOT_EXECUTED && request.by_absence)},
      {"unproven", Flag(request.unproven)},
      {"keep_look_first", Flag(request.keep_look_first)},
      {"reason", request.review_reason},
      {"evidence", ShortenReason(request.reason)},
      {"knowledge", KnowledgeLetter(request.knowledge)},
      {"outcome", KeptOutcome(request.outcome)},
      {"created_order", Flag(request.created_order)},
      {"orphan", Flag(request.late_effect_is_orphan)},
      {"refused", Flag(request.refused)},
      {"sent_ago", MillisText(request.sent_ago)},
      {"next_look", MillisText(request.next_look)},
      {"rpc", PackRpc(identity.rpc)},
      {"caller", ShortenOwner(identity.caller)},
      {"key1", identity.fingerprints.front().key_id},
      {"digest1", identity.fingerprints.front().digest},
      {"capture_mode", identity.capture_mode},
      {"traceparent", PackTraceparent(identity.traceparent)},
      {"gate", PackOrderId(identity.gate_order.value_or(""))},
      {"step", request.step.name.empty() ? std::string() : PackStep(request.step)},
      {"kept_step", KeptStep(request)},
      {"step_number", absl::StrCat(request.step_number)},
      {"order", request.step.order_id.empty() ? root : request.step.order_id},
      {"review", LateEffectId(identity.id, request.epoch, request.attempt).ToBytes()},
  };
  AppendOrderEntry(arguments, request.order, options.entry_retention);
  return arguments;
}

/// As scripts/claim.lua answers it.
absl::StatusOr<ClaimResult> ReadClaim(const Reply& reply, std::string_view epoch) {
  constexpr std::size_t kElements = 13;
  if (reply.elements.size() != kElements) return UnexpectedReply("claim");
  const std::vector<Reply>& part = reply.elements;
  const std::optional<ClaimVerdict> verdict = Find(kClaimVerdicts, part[0].text);
  if (!verdict) return UnexpectedReply("claim");
  ClaimResult result;
  result.verdict = *verdict;
  result.attempt = static_cast<std::uint32_t>(part[1].integer);
  result.epoch = epoch.substr(0, kEpochShortLength);
  // One of a later version's states is open, and that is all that is known of it.
  result.state = StateOf(part[2].text)
                     .value_or(part[2].text.empty() ? operations::v1::OPERATION_STATE_RUNNING
                                                    : operations::v1::OPERATION_STATE_UNKNOWN);
  result.since = WallTime(ports::Millis(part[3].integer));
  result.retry_after = ports::Millis(part[4].integer);
  result.order_id = part[5].text;
  if (*verdict == ClaimVerdict::kApprovalNeeded) {
    const std::optional<Uuid> approval = Uuid::FromBytes(part[6].text);
    if (!approval) return UnexpectedReply("claim");
    result.approval = *approval;
    result.asked = part[10].integer == 1;
    return result;
  }
  (*verdict == ClaimVerdict::kMoneyLimit ? result.limit : result.outcome) = part[6].text;
  if (const std::optional<Uuid> holder = Uuid::FromBytes(part[7].text)) {
    result.holder = holder->ToString();
  }
  result.doubtful_for = ports::Millis(part[8].integer);
  result.doubtful_left = ports::Millis(part[9].integer);
  result.doubtful = result.doubtful_left > ports::Millis::zero();
  result.fresh_order = part[10].integer == 1;
  result.earlier_unproven = part[11].integer == 1;
  return result;
}

bool IsOurs(ClaimVerdict verdict) {
  return verdict == ClaimVerdict::kClaimed || verdict == ClaimVerdict::kLookFirst;
}

absl::Status TooFewReplicas() {
  return StoreUnavailable("too few replicas of Redis have taken it in time");
}

}  // namespace

RedisOperationStore::RedisOperationStore(ScriptRunner& scripts, ScriptRunner& claims)
    : scripts_(scripts), claims_(claims) {}

Async<ScriptRunner::Replicated> RedisOperationStore::RunDurably(std::string_view name,
                                                                const Script& script,
                                                                const std::string& project,
                                                                Arguments arguments,
                                                                const ports::Context& context) {
  ScriptSpan span(name, context.trace);
  if (claims_.options().min_replicas > 0) {
    co_return span.End(
        co_await claims_.RunReplicated(script, project, std::move(arguments), context.deadline));
  }
  TB_CO_ASSIGN_OR_RETURN(
      Reply reply,
      span.End(co_await claims_.Run(script, project, std::move(arguments), context.deadline)));
  co_return ScriptRunner::Replicated{.reply = std::move(reply), .enough = true};
}

Async<ClaimResult> RedisOperationStore::Claim(const ports::ClaimRequest& request,
                                              const ports::Context& context) {
  const BootTime until = claims_.now() + request.good_for;
  // Again with the epoch, the list of projects and the clock that are there now.
  for (int round = 0; round < 3; ++round) {
    TB_CO_RETURN_IF_ERROR(co_await claims_.LearnForClaims(context.deadline));
    const std::string epoch = claims_.epoch();
    const BootTime sent = claims_.now();
    Arguments arguments =
        ClaimArguments(request, epoch, claims_.ClockAt(until), claims_.options().max_undrained);
    TB_CO_ASSIGN_OR_RETURN(const ScriptRunner::Replicated replicated,
                           co_await RunDurably("claim", ClaimScript(), request.identity.project,
                                               std::move(arguments), context));
    const Reply& reply = replicated.reply;
    const std::string_view verdict =
        reply.elements.empty() ? std::string_view() : std::string_view(reply.elements[0].text);
    if (!reply.elements.empty()) claims_.LearnClock(sent, reply.elements.back().integer);
    if (verdict == kLostEpoch) {
      claims_.ForgetEpoch(epoch);
      continue;
    }
    if (verdict == kUnlisted) {
      TB_CO_RETURN_IF_ERROR(co_await claims_.Join(request.identity.project, context.deadline));
      continue;
    }
    if (verdict == kLate) {
      if (claims_.now() < until) continue;  // its clock was set forward
      co_return StoreUnavailable("Redis carried the claim out too late: it did nothing");
    }
    absl::StatusOr<ClaimResult> result = ReadClaim(reply, epoch);
    if (result.ok()) result->replicated = replicated.enough;
    if (!result.ok() || replicated.enough || !IsOurs(result->verdict)) co_return result;
    // Nothing was sent. Whatever becomes of undoing it, the claim has failed: its lease ends.
    const absl::Status undone = co_await Release(request.identity, request.owner, context);
    co_return undone.ok() ? TooFewReplicas() : undone;
  }
  co_return StoreUnavailable(
      "the epoch, the projects or the clock of the store changed again and again");
}

AsyncStatus RedisOperationStore::Release(const ports::OperationIdentity& identity,
                                         const std::string& owner, const ports::Context& context) {
  Arguments arguments = {{"id", identity.id.ToBytes()}, {"owner", ShortenOwner(owner)}};
  // Behind the claim on its connection, so that it cannot come before it.
  const absl::StatusOr<Reply> reply = co_await claims_.Run(ReleaseScript(), identity.project,
                                                           std::move(arguments), context.deadline);
  co_return reply.status();
}

AsyncStatus RedisOperationStore::BeginStep(const ports::OperationIdentity& identity,
                                           const ports::ClaimResult& claim,
                                           const std::string& owner, const ports::StepTarget& step,
                                           ports::Millis lease, const ports::Context& context) {
  // The epoch that is compared must be one that the present connection has checked.
  TB_CO_RETURN_IF_ERROR(co_await claims_.LearnForClaims(context.deadline));
  Arguments arguments = {{"id", identity.id.ToBytes()},
                         {"epoch", claim.epoch},
                         {"attempt", absl::StrCat(claim.attempt)},
                         {"owner", ShortenOwner(owner)},
                         {"lease", MillisText(lease)},
                         {"step", PackStep(step)},
                         {"gate", PackOrderId(identity.gate_order.value_or(""))},
                         {"order", step.order_id}};
  TB_CO_ASSIGN_OR_RETURN(const ScriptRunner::Replicated replicated,
                         co_await RunDurably("begin_step", BeginStepScript(), identity.project,
                                             std::move(arguments), context));
  if (replicated.reply.text != "begun") {
    co_return absl::FailedPreconditionError("the operation is not running under this owner");
  }
  co_return replicated.enough ? absl::OkStatus() : TooFewReplicas();
}

Async<FinishVerdict> RedisOperationStore::Finish(const ports::FinishRequest& request,
                                                 const ports::Context& context) {
  Arguments arguments = FinishArguments(request, scripts_.options());
  ScriptRunner::Replicated replicated;
  if (request.replicated) {
    TB_CO_ASSIGN_OR_RETURN(replicated,
                           co_await RunDurably("finish", FinishScript(), request.identity.project,
                                               std::move(arguments), context));
  } else {
    ScriptSpan span("finish", context.trace);
    TB_CO_ASSIGN_OR_RETURN(replicated.reply,
                           span.End(co_await scripts_.Run(FinishScript(), request.identity.project,
                                                          std::move(arguments), context.deadline)));
  }
  const std::optional<FinishVerdict> verdict = Find(kFinishVerdicts, replicated.reply.text);
  if (!verdict) co_return UnexpectedReply("finish");
  if (!replicated.enough) co_return TooFewReplicas();
  co_return *verdict;
}

Async<bool> RedisOperationStore::InitializeEpoch(const Uuid& epoch, const ports::Context& context) {
  return scripts_.InitializeEpoch(epoch, context.deadline);
}

}  // namespace tollbridge::redis
