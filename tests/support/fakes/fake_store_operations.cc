#include "tests/support/fakes/fake_store.h"

#include <absl/status/status.h>

#include <algorithm>
#include <string_view>

#include "services/base/status_macros.h"
#include "services/domain/errors.h"

namespace tollbridge::test {
namespace {

using ports::ClaimResult;
using ports::ClaimVerdict;
using ports::FinishRequest;
using ports::FinishVerdict;
using ports::OperationState;

constexpr int kMaxTransitions = 32;
constexpr std::size_t kEpochShortLength = 8;
constexpr std::string_view kLateEffectReason = "LATE_EFFECT";

operations::v1::OperationState ProtoState(OperationState state) {
  switch (state) {
    case OperationState::kRunning:
      return operations::v1::OPERATION_STATE_RUNNING;
    case OperationState::kDone:
      return operations::v1::OPERATION_STATE_DONE;
    case OperationState::kUnknown:
      return operations::v1::OPERATION_STATE_UNKNOWN;
    case OperationState::kNotExecuted:
      return operations::v1::OPERATION_STATE_NOT_EXECUTED;
    case OperationState::kNeedsReview:
      return operations::v1::OPERATION_STATE_NEEDS_REVIEW;
  }
  return operations::v1::OPERATION_STATE_UNSPECIFIED;
}

operations::v1::StepState StepStateFor(OperationState state) {
  switch (state) {
    case OperationState::kDone:
      return operations::v1::STEP_STATE_DONE;
    case OperationState::kNotExecuted:
      return operations::v1::STEP_STATE_NOT_SENT;
    default:
      return operations::v1::STEP_STATE_UNKNOWN;
  }
}

void SetTime(google::protobuf::Timestamp& target, ports::WallTime time) {
  const std::int64_t millis = time.time_since_epoch().count();
  target.set_seconds(millis / 1000);
  target.set_nanos(static_cast<std::int32_t>(millis % 1000) * 1'000'000);
}

void SetEvidence(operations::v1::Step& step, const ports::StepEvidence& evidence) {
  step.set_name(evidence.name);
  if (!evidence.order_id.empty()) step.set_order_id(evidence.order_id);
  if (!evidence.transaction_id.empty()) step.set_transaction_id(evidence.transaction_id);
  if (evidence.amount) step.set_amount(*evidence.amount);
  if (!evidence.currency.empty()) step.set_currency(evidence.currency);
  if (!evidence.merchant_order_id.empty()) step.set_merchant_order_id(evidence.merchant_order_id);
}

void AddSentStep(operations::v1::Operation& operation, const ports::StepEvidence& evidence,
                 ports::WallTime now) {
  operations::v1::Step& step = *operation.add_steps();
  SetEvidence(step, evidence);
  step.set_state(operations::v1::STEP_STATE_SENT);
  SetTime(*step.mutable_sent_at(), now);
}

/// The last step with the evidence of the result; its time of sending stays.
void SetLastStep(operations::v1::Operation& operation, const ports::StepEvidence& evidence,
                 operations::v1::StepState state) {
  operations::v1::Step step;
  if (operation.steps_size() > 0) {
    const operations::v1::Step& last = operation.steps(operation.steps_size() - 1);
    if (last.has_sent_at()) *step.mutable_sent_at() = last.sent_at();
  } else {
    operation.add_steps();
  }
  SetEvidence(step, evidence);
  step.set_state(state);
  *operation.mutable_steps(operation.steps_size() - 1) = std::move(step);
}

bool IsOpen(OperationState state) {
  return state != OperationState::kDone && state != OperationState::kNotExecuted;
}

std::string OrderOf(const FinishRequest& request) {
  if (!request.step.order_id.empty() || !request.order) return request.step.order_id;
  return request.order->key.root.ToString();
}

}  // namespace

FakeStore::Record* FakeStore::Find(const Uuid& id) {
  const auto found = records_.find(id);
  if (found == records_.end()) return nullptr;
  if (found->second.expires && *found->second.expires <= Now()) {
    records_.erase(found);
    return nullptr;
  }
  return &found->second;
}

FakeStore::Record FakeStore::NewRecord(const ports::OperationIdentity& identity,
                                       std::uint32_t attempt, const std::string& owner) const {
  Record record;
  record.operation.set_id(identity.id.ToString());
  record.operation.set_rpc(identity.rpc);
  record.operation.set_project(identity.project);
  record.operation.set_attempt(attempt);
  SetTime(*record.operation.mutable_created(), Now());
  record.fingerprint = identity.fingerprints.front();
  record.owner = owner;
  record.gate_order = identity.gate_order;
  return record;
}

void FakeStore::EnterState(const Uuid& id, Record& record, OperationState from, OperationState to,
                           const std::string& owner, const std::string& evidence) {
  record.state = to;
  record.since = Now();
  record.operation.set_state(ProtoState(to));
  operations::v1::Transition& transition = *record.operation.add_transitions();
  if (record.operation.transitions_size() > 1) transition.set_from(ProtoState(from));
  transition.set_to(ProtoState(to));
  SetTime(*transition.mutable_time(), Now());
  transition.set_owner(owner);
  transition.set_evidence(evidence);
  if (record.operation.transitions_size() > kMaxTransitions) {
    record.operation.mutable_transitions()->DeleteSubrange(0, 1);
  }
  if (IsOpen(to)) {
    record.expires.reset();
    return;
  }
  record.expires = Now() + kClosedRetention;
  if (record.gate_order) {
    const auto gate = gates_.find(*record.gate_order);
    if (gate != gates_.end() && gate->second == id) gates_.erase(gate);
  }
}

void FakeStore::Expire(const Uuid& id, Record& record) {
  operations::v1::Step& last = *record.operation.mutable_steps(record.operation.steps_size() - 1);
  OperationState to = OperationState::kNotExecuted;
  if (last.state() == operations::v1::STEP_STATE_SENT) {
    to = OperationState::kUnknown;
    last.set_state(operations::v1::STEP_STATE_UNKNOWN);
  }
  EnterState(id, record, OperationState::kRunning, to, "lease", "lease ended without a result");
}

ClaimResult FakeStore::ClaimNow(const ports::ClaimRequest& request) {
  const ports::OperationIdentity& identity = request.identity;
  ClaimResult result;
  result.epoch = epoch_->ToString().substr(0, kEpochShortLength);
  Record* record = Find(identity.id);
  if (record != nullptr) {
    const bool same =
        std::ranges::any_of(identity.fingerprints, [record](const ports::Fingerprint& fingerprint) {
          return fingerprint.key_id == record->fingerprint.key_id &&
                 fingerprint.digest == record->fingerprint.digest;
        });
    if (!same) {
      result.verdict = ClaimVerdict::kKeyReused;
      return result;
    }
    if (record->state == OperationState::kRunning && record->lease_end <= Now()) {
      Expire(identity.id, *record);
    }
    if (record->state != OperationState::kNotExecuted) {
      result.attempt = record->operation.attempt();
      result.state = record->state;
      result.since = record->since;
      result.order_id = record->order_id;
      result.verdict = ClaimVerdict::kPending;
      if (record->state == OperationState::kRunning) {
        result.verdict = ClaimVerdict::kInProgress;
        result.retry_after = record->lease_end - Now();
      }
      if (record->state == OperationState::kDone) {
        result.verdict = ClaimVerdict::kDone;
        result.outcome = record->outcome;
      }
      return result;
    }
  }

  if (identity.gate_order) {
    const auto gate = gates_.find(*identity.gate_order);
    if (gate != gates_.end() && gate->second != identity.id) {
      const Record* holder = Find(gate->second);
      if (holder != nullptr && IsOpen(holder->state)) {
        result.verdict = ClaimVerdict::kOrderBusy;
        result.holder = gate->second.ToString();
        return result;
      }
    }
    gates_[*identity.gate_order] = identity.id;
  }

  const bool again = record != nullptr;
  const std::uint32_t attempt = again ? record->operation.attempt() + 1 : 1;
  Record next = NewRecord(identity, attempt, request.owner);
  if (again) {
    *next.operation.mutable_created() = record->operation.created();
    *next.operation.mutable_transitions() = record->operation.transitions();
  }
  next.lease_end = Now() + request.lease;
  next.order_id = identity.gate_order.value_or(request.first_step.order_id);
  AddSentStep(next.operation, request.first_step, Now());
  Record& stored = records_[identity.id] = std::move(next);
  EnterState(identity.id, stored, OperationState::kNotExecuted, OperationState::kRunning,
             request.owner, "claimed");
  result.verdict = ClaimVerdict::kClaimed;
  result.attempt = attempt;
  result.state = OperationState::kRunning;
  result.since = stored.since;
  return result;
}

Async<ClaimResult> FakeStore::Claim(const ports::ClaimRequest& request, const ports::Context&) {
  TB_CO_RETURN_IF_ERROR(Admit(true));
  co_return Answer(ClaimNow(request));
}

AsyncStatus FakeStore::BeginStep(const ports::OperationIdentity& identity, std::uint32_t attempt,
                                 const std::string& owner, const ports::StepEvidence& step,
                                 const ports::Context&) {
  TB_CO_RETURN_IF_ERROR(Admit(true));
  Record* record = Find(identity.id);
  if (record == nullptr || record->state != OperationState::kRunning ||
      record->operation.attempt() != attempt || record->owner != owner ||
      record->lease_end <= Now()) {
    co_return absl::FailedPreconditionError("the operation is not running under this owner");
  }
  record->operation.mutable_steps(record->operation.steps_size() - 1)
      ->set_state(operations::v1::STEP_STATE_DONE);
  AddSentStep(record->operation, step, Now());
  if (!step.order_id.empty()) record->order_id = step.order_id;
  co_return Answer(true).status();
}

void FakeStore::EnterOrder(const FinishRequest& request) {
  if (!request.order) return;
  const ports::OrderEntry& entry = *request.order;
  if (!entry.capture_mode.empty() || !entry.traceparent.empty() || entry.own_checkout) {
    Family& family = FindFamily(entry.key);
    if (family.entry.capture_mode.empty()) family.entry.capture_mode = entry.capture_mode;
    if (family.entry.traceparent.empty()) family.entry.traceparent = entry.traceparent;
    family.entry.own_checkout = family.entry.own_checkout || entry.own_checkout;
    if (!family.expires) family.expires = Now() + kEntryRetention;
  }
  // Always a time that no reader has seen.
  ports::WallTime time = Now();
  const auto current = due_.find(entry.key);
  if (current != due_.end() && current->second >= time &&
      current->second < time + ports::Millis(1000)) {
    time = current->second + ports::Millis(1);
  }
  due_[entry.key] = time;
}

FinishVerdict FakeStore::LateEffect(const FinishRequest& request, Record& record) {
  if (request.late_effect_is_orphan) return FinishVerdict::kLateEffect;
  const Uuid& id = request.identity.id;
  const auto key = std::make_pair(id, request.attempt);
  if (!reviews_.contains(key)) {
    Record review = NewRecord(request.identity, request.attempt, request.owner);
    review.review_reason = kLateEffectReason;
    review.order_id = OrderOf(request);
    SetLastStep(review.operation, request.step, operations::v1::STEP_STATE_DONE);
    Record& stored = reviews_[key] = std::move(review);
    EnterState(id, stored, OperationState::kRunning, OperationState::kNeedsReview, request.owner,
               request.evidence);
  }
  if (record.state == OperationState::kNotExecuted &&
      record.operation.attempt() == request.attempt) {
    record.review_reason = kLateEffectReason;
    if (const std::string order = OrderOf(request); !order.empty()) record.order_id = order;
    EnterState(id, record, OperationState::kNotExecuted, OperationState::kNeedsReview,
               request.owner, request.evidence);
  }
  EnterOrder(request);
  return FinishVerdict::kLateEffect;
}

FinishVerdict FakeStore::FinishNow(const FinishRequest& request) {
  const Uuid& id = request.identity.id;
  Record* record = Find(id);
  const bool definite = request.to == OperationState::kDone;
  if (record != nullptr && request.attempt <= record->operation.attempt()) {
    const bool older = request.attempt < record->operation.attempt();
    const bool late = record->state == OperationState::kNotExecuted ||
                      (record->state == OperationState::kNeedsReview &&
                       record->review_reason == kLateEffectReason);
    if (definite && (older || late)) return LateEffect(request, *record);
    if (older) return FinishVerdict::kNotOurs;
    if (record->state == OperationState::kDone) return FinishVerdict::kAlreadyClosed;
    if (!definite) {
      if (record->owner != request.owner) return FinishVerdict::kNotOurs;
      if (request.to == record->state) {
        EnterOrder(request);
        return FinishVerdict::kRecorded;
      }
      if (record->state != OperationState::kRunning && record->state != OperationState::kUnknown) {
        return FinishVerdict::kNotOurs;
      }
    }
  } else if (record != nullptr && record->state == OperationState::kDone) {
    return FinishVerdict::kAlreadyClosed;
  } else {
    Record written = NewRecord(request.identity, request.attempt, request.owner);
    if (record != nullptr) {
      *written.operation.mutable_created() = record->operation.created();
      *written.operation.mutable_transitions() = record->operation.transitions();
      written.state = record->state;
    }
    record = &(records_[id] = std::move(written));
    if (request.identity.gate_order && IsOpen(request.to)) {
      gates_.try_emplace(*request.identity.gate_order, id);
    }
  }

  SetLastStep(record->operation, request.step, StepStateFor(request.to));
  if (const std::string order = OrderOf(request); !order.empty()) record->order_id = order;
  record->review_reason =
      request.to == OperationState::kNeedsReview ? request.evidence : std::string();
  if (definite && request.outcome.size() <= ports::kMaxOutcomeBytes) {
    record->outcome = request.outcome;
  }
  EnterState(id, *record, record->state, request.to, request.owner, request.evidence);
  EnterOrder(request);
  return FinishVerdict::kRecorded;
}

Async<FinishVerdict> FakeStore::Finish(const FinishRequest& request, const ports::Context&) {
  TB_CO_RETURN_IF_ERROR(Admit(false));
  co_return Answer(FinishNow(request));
}

Async<std::vector<ports::ExpiredOperation>> FakeStore::ExpireLeases(std::size_t limit,
                                                                    const ports::Context&) {
  TB_CO_RETURN_IF_ERROR(Admit(true));
  std::vector<std::pair<ports::WallTime, Uuid>> ended;
  for (const auto& [id, record] : records_) {
    if (record.state == OperationState::kRunning && record.lease_end <= Now()) {
      ended.emplace_back(record.lease_end, id);
    }
  }
  std::ranges::sort(ended);
  if (ended.size() > limit) ended.resize(limit);
  std::vector<ports::ExpiredOperation> expired;
  for (const auto& [lease_end, id] : ended) {
    Record& record = records_.at(id);
    Expire(id, record);
    expired.push_back({.id = id, .rpc = record.operation.rpc(), .became = record.state});
  }
  co_return Answer(std::move(expired));
}

Async<operations::v1::Operation> FakeStore::Read(const Uuid& id, const ports::Context&) {
  TB_CO_RETURN_IF_ERROR(Admit(true));
  const Record* record = Find(id);
  if (record == nullptr) {
    co_return domain::MakeError(
        absl::StatusCode::kNotFound, "no operation has this id",
        {.reason = domain::reason::kOperationNotFound, .retry = domain::Retry::kNever});
  }
  operations::v1::Operation operation = record->operation;
  if (record->state == OperationState::kNeedsReview) {
    operation.set_review_reason(record->review_reason);
  }
  co_return Answer(std::move(operation));
}

Async<bool> FakeStore::InitializeEpoch(const Uuid& epoch, const ports::Context&) {
  TB_CO_RETURN_IF_ERROR(Admit(false));
  const bool writes = !epoch_;
  if (writes) epoch_ = epoch;
  co_return Answer(writes);
}

}  // namespace tollbridge::test
