#include "adapters/redis/operation_store.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "adapters/redis/errors.h"
#include "adapters/redis/record_format.h"
#include "adapters/redis/script.h"
#include "adapters/redis/scripts.h"
#include "services/base/status_macros.h"
#include "services/base/text.h"
#include "services/domain/errors.h"
#include "tollbridge/operations/v1/operations.pb.h"

namespace tollbridge::redis {
namespace {

using ports::ClaimResult;
using ports::ClaimVerdict;
using ports::FinishVerdict;

constexpr std::size_t kMaxEvidenceBytes = 256;
constexpr std::size_t kEpochShortLength = 8;

// Function-local statics: the pieces are initialized at run time in another file.
const Script& ClaimScript() {
  static const Script script({kRecordLua, kClaimLua});
  return script;
}
const Script& BeginStepScript() {
  static const Script script({kRecordLua, kBeginStepLua});
  return script;
}
const Script& FinishScript() {
  static const Script script({kRecordLua, kFinishLua});
  return script;
}
const Script& ExpireLeasesScript() {
  static const Script script({kRecordLua, kExpireLeasesLua});
  return script;
}
const Script& ReadOperationScript() {
  static const Script script({kRecordLua, kReadOperationLua});
  return script;
}

constexpr std::string_view kLostEpoch = "epoch";

constexpr std::array<std::pair<std::string_view, ClaimVerdict>, 6> kClaimVerdicts = {{
    {"claimed", ClaimVerdict::kClaimed},
    {"in_progress", ClaimVerdict::kInProgress},
    {"done", ClaimVerdict::kDone},
    {"pending", ClaimVerdict::kPending},
    {"key_reused", ClaimVerdict::kKeyReused},
    {"order_busy", ClaimVerdict::kOrderBusy},
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

std::string Number(std::chrono::milliseconds value) { return absl::StrCat(value.count()); }

/// Cut to what a transition keeps, not inside a character.
std::string Shorten(std::string_view evidence) {
  return std::string(Truncated(evidence, kMaxEvidenceBytes));
}

/// {verdict, attempt, state, since, wait, order, outcome, holder} as scripts/claim.lua answers it.
absl::StatusOr<ClaimResult> ReadClaim(const Reply& reply, std::string_view epoch) {
  constexpr std::size_t kElements = 8;
  if (reply.elements.size() != kElements) return UnexpectedReply("claim");
  const std::vector<Reply>& part = reply.elements;
  const std::optional<ClaimVerdict> verdict = Find(kClaimVerdicts, part[0].text);
  if (!verdict) return UnexpectedReply("claim");
  ClaimResult result;
  result.verdict = *verdict;
  result.attempt = static_cast<std::uint32_t>(part[1].integer);
  result.epoch = epoch.substr(0, kEpochShortLength);
  result.state = StateOf(part[2].text).value_or(ports::OperationState::kRunning);
  result.since = ports::WallTime(ports::Millis(part[3].integer));
  result.retry_after = ports::Millis(part[4].integer);
  result.order_id = part[5].text;
  result.outcome = part[6].text;
  if (const std::optional<Uuid> holder = Uuid::FromBytes(part[7].text)) {
    result.holder = holder->ToString();
  }
  return result;
}

}  // namespace

RedisOperationStore::RedisOperationStore(Connection& connection, OperationStoreOptions options)
    : connection_(connection), options_(std::move(options)) {}

Command RedisOperationStore::CommonArguments() const {
  return {options_.prefix, Number(time_offset_), Number(options_.closed_retention)};
}

Command RedisOperationStore::ClaimArguments(const ports::ClaimRequest& request) const {
  const ports::OperationIdentity& identity = request.identity;
  const std::string& order =
      identity.gate_order ? *identity.gate_order : request.first_step.order_id;
  Command arguments = CommonArguments();
  for (std::string argument :
       {epoch_, identity.id.ToBytes(), request.owner, Number(request.lease), identity.rpc,
        identity.project, identity.capture_mode, PackTraceparent(identity.traceparent),
        PackOrderId(identity.gate_order.value_or("")), PackStep(request.first_step), order}) {
    arguments.push_back(std::move(argument));
  }
  for (const ports::Fingerprint& fingerprint : identity.fingerprints) {
    arguments.push_back(fingerprint.key_id);
    arguments.push_back(fingerprint.digest);
  }
  return arguments;
}

Command RedisOperationStore::FinishArguments(const ports::FinishRequest& request) const {
  const ports::OperationIdentity& identity = request.identity;
  std::string order = request.step.order_id;
  if (order.empty() && request.order) order = request.order->key.root.ToString();
  const ports::OrderEntry entry = request.order.value_or(ports::OrderEntry{});
  // An outcome that is too large is DONE without a result (operations.md, rule 17).
  const bool keeps = request.outcome.size() <= ports::kMaxOutcomeBytes;
  Command arguments = CommonArguments();
  for (std::string argument : {identity.id.ToBytes(),
                               absl::StrCat(request.attempt),
                               request.owner,
                               std::string(1, StateLetter(request.to)),
                               Shorten(request.evidence),
                               identity.rpc,
                               identity.project,
                               identity.fingerprints.front().key_id,
                               identity.fingerprints.front().digest,
                               identity.capture_mode,
                               PackTraceparent(identity.traceparent),
                               PackOrderId(identity.gate_order.value_or("")),
                               PackStep(request.step),
                               order,
                               keeps ? request.outcome : std::string(),
                               std::string(request.late_effect_is_orphan ? "1" : "0"),
                               request.order ? PackFamily(entry.key) : std::string(),
                               entry.capture_mode,
                               PackTraceparent(entry.traceparent),
                               std::string(entry.own_checkout ? "1" : "0"),
                               Number(options_.entry_retention)}) {
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

AsyncStatus RedisOperationStore::LearnEpoch(const ports::Context& context) {
  epoch_generation_ = 0;
  const std::uint64_t generation = connection_.generation();
  const absl::StatusOr<Reply> reply = co_await connection_.Execute(
      {"HGET", absl::StrCat(options_.prefix, "epoch"), "id"}, context.deadline);
  TB_CO_RETURN_IF_ERROR(reply.status());
  TB_CO_RETURN_IF_ERROR(StatusOf(*reply));
  if (reply->is_nil()) co_return StoreNotInitialized();
  epoch_ = reply->text;
  epoch_generation_ = generation;
  co_return absl::OkStatus();
}

Async<ClaimResult> RedisOperationStore::Claim(const ports::ClaimRequest& request,
                                              const ports::Context& context) {
  // Twice at most: the second time with the epoch that is there now.
  for (int round = 0; round < 2; ++round) {
    if (epoch_generation_ != connection_.generation() || epoch_generation_ == 0) {
      const absl::Status learned = co_await LearnEpoch(context);
      TB_CO_RETURN_IF_ERROR(learned);
    }
    const std::string epoch = epoch_;
    const absl::StatusOr<Reply> reply =
        co_await ClaimScript().Run(connection_, ClaimArguments(request), context.deadline);
    TB_CO_RETURN_IF_ERROR(reply.status());
    if (reply->elements.empty() || reply->elements[0].text != kLostEpoch) {
      co_return ReadClaim(*reply, epoch);
    }
    if (epoch_ == epoch) epoch_generation_ = 0;
  }
  co_return StoreNotInitialized();
}

AsyncStatus RedisOperationStore::BeginStep(const ports::OperationIdentity& identity,
                                           std::uint32_t attempt, const std::string& owner,
                                           const ports::StepEvidence& step,
                                           const ports::Context& context) {
  Command arguments = CommonArguments();
  for (std::string argument :
       {identity.id.ToBytes(), absl::StrCat(attempt), owner, PackStep(step), step.order_id}) {
    arguments.push_back(std::move(argument));
  }
  const absl::StatusOr<Reply> reply =
      co_await BeginStepScript().Run(connection_, std::move(arguments), context.deadline);
  TB_CO_RETURN_IF_ERROR(reply.status());
  if (reply->text == kLostEpoch) co_return StoreNotInitialized();
  if (reply->text != "begun") {
    co_return absl::FailedPreconditionError("the operation is not running under this owner");
  }
  co_return absl::OkStatus();
}

Async<FinishVerdict> RedisOperationStore::Finish(const ports::FinishRequest& request,
                                                 const ports::Context& context) {
  const absl::StatusOr<Reply> reply =
      co_await FinishScript().Run(connection_, FinishArguments(request), context.deadline);
  TB_CO_RETURN_IF_ERROR(reply.status());
  const std::optional<FinishVerdict> verdict = Find(kFinishVerdicts, reply->text);
  if (!verdict) co_return UnexpectedReply("finish");
  co_return *verdict;
}

Async<std::vector<ports::ExpiredOperation>> RedisOperationStore::ExpireLeases(
    std::size_t limit, const ports::Context& context) {
  Command arguments = CommonArguments();
  arguments.push_back(absl::StrCat(limit));
  const absl::StatusOr<Reply> reply =
      co_await ExpireLeasesScript().Run(connection_, std::move(arguments), context.deadline);
  TB_CO_RETURN_IF_ERROR(reply.status());
  const std::vector<Reply>& part = reply->elements;
  if (part.size() % 3 != 1) co_return UnexpectedReply("expire_leases");
  if (part[0].text == kLostEpoch) co_return StoreNotInitialized();
  std::vector<ports::ExpiredOperation> expired;
  for (std::size_t i = 1; i < part.size(); i += 3) {
    const std::optional<Uuid> id = Uuid::FromBytes(part[i].text);
    const std::optional<ports::OperationState> became = StateOf(part[i + 2].text);
    if (!id || !became) co_return UnexpectedReply("expire_leases");
    expired.push_back({.id = *id, .rpc = part[i + 1].text, .became = *became});
  }
  co_return expired;
}

Async<operations::v1::Operation> RedisOperationStore::Read(const Uuid& id,
                                                           const ports::Context& context) {
  Command arguments = CommonArguments();
  arguments.push_back(id.ToBytes());
  absl::StatusOr<Reply> reply =
      co_await ReadOperationScript().Run(connection_, std::move(arguments), context.deadline);
  TB_CO_RETURN_IF_ERROR(reply.status());
  std::vector<Reply>& part = reply->elements;
  if (part.empty()) co_return UnexpectedReply("read_operation");
  if (part[0].text == kLostEpoch) co_return StoreNotInitialized();
  if (part.size() == 1) {
    co_return domain::MakeError(
        absl::StatusCode::kNotFound, "no operation has this id, or it is no longer kept",
        {.reason = domain::reason::kOperationNotFound, .retry = domain::Retry::kNever});
  }
  part.erase(part.begin());
  std::optional<operations::v1::Operation> operation = UnpackOperation(id, part);
  if (!operation) co_return UnexpectedReply("read_operation");
  co_return *std::move(operation);
}

Async<bool> RedisOperationStore::InitializeEpoch(const Uuid& epoch, const ports::Context& context) {
  const absl::StatusOr<Reply> reply = co_await connection_.Execute(
      {"HSETNX", absl::StrCat(options_.prefix, "epoch"), "id", epoch.ToString()}, context.deadline);
  TB_CO_RETURN_IF_ERROR(reply.status());
  TB_CO_RETURN_IF_ERROR(StatusOf(*reply));
  co_return reply->integer == 1;
}

}  // namespace tollbridge::redis
