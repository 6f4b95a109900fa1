#include "services/operations/answers.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <absl/strings/cord.h>
#include <absl/strings/string_view.h>

#include "google/rpc/error_details.pb.h"
#include "services/domain/errors.h"
#include "services/domain/timestamps.h"

namespace tollbridge::operations {
namespace {

constexpr std::string_view kOperationIdKey = "operation_id";

using absl::StatusCode;
using domain::Retry;
namespace reason = domain::reason;

constexpr std::array<OwnErrorRow, 14> kOwnErrors = {{
    {OwnError::kInProgress, StatusCode::kAborted, reason::kOperationInProgress, Retry::kSafeSameKey,
     "another call with this idempotency_key is at work"},
    {OwnError::kKeyReused, StatusCode::kFailedPrecondition, reason::kIdempotencyKeyReused,
     Retry::kAfterChange, "this idempotency_key was used for another request"},
    {OwnError::kOrderBusy, StatusCode::kAborted, reason::kOrderBusy, Retry::kSafeSameKey,
     "another operation holds the order"},
    {OwnError::kResultNotKept, StatusCode::kFailedPrecondition, reason::kResultNotKept,
     Retry::kNever, "the operation was done, but its result is not kept"},
    {OwnError::kClosedLongAgo, StatusCode::kFailedPrecondition, reason::kResultNotKept,
     Retry::kNever, "the operation of this idempotency_key was closed too long ago to be kept"},
    {OwnError::kSecretUnknown, StatusCode::kUnavailable, reason::kSecretKeyUnknown,
     Retry::kSafeSameKey,
     "this replica does not have the secret key under which the operation is stored; nothing was "
     "sent"},
    {OwnError::kUnreadable, StatusCode::kInternal, reason::kInternal, Retry::kSafeSameKey,
     "the operation was done, but its outcome cannot be read"},
    {OwnError::kStore, StatusCode::kUnavailable, reason::kStoreUnavailable, Retry::kSafeSameKey,
     "the operation store cannot be asked; nothing was sent"},
    {OwnError::kStoreDoubtful, StatusCode::kUnavailable, reason::kStoreDoubtful,
     Retry::kSafeSameKey,
     "the operation store may have forgotten an earlier call with this idempotency_key; nothing "
     "was sent"},
    {OwnError::kOutboxFull, StatusCode::kUnavailable, reason::kOutboxFull, Retry::kSafeSameKey,
     "too many changes of operations wait for the operations topic; nothing was sent"},
    {OwnError::kNotSent, StatusCode::kUnavailable, reason::kNotSent, Retry::kSafeSameKey,
     "nothing was sent to the payment service"},
    {OwnError::kNotVisibleYet, StatusCode::kUnavailable, reason::kUpstreamUnavailable,
     Retry::kSafeSameKey, "the payment service does not show the new order yet"},
    {OwnError::kAnswerLost, StatusCode::kUnavailable, reason::kUpstreamUnavailable,
     Retry::kSafeSameKey,
     "the payment service gave no definite answer, and what it did cannot be read back: the same "
     "call can be made again"},
    {OwnError::kSetupTokenSpent, StatusCode::kFailedPrecondition, reason::kSetupTokenSpent,
     Retry::kAfterChange,
     "an earlier call has spent the setup token: create a new transaction, and use its setup token "
     "with a new idempotency_key"},
}};

domain::ErrorDetail DetailOf(const OwnErrorRow& row, std::string_view operation_id) {
  domain::ErrorDetail details;
  details.reason = row.reason;
  details.retry = row.retry;
  if (!operation_id.empty()) {
    details.metadata.emplace_back(kOperationIdKey, std::string(operation_id));
  }
  return details;
}

std::string_view WhatToDo(ports::OperationState state) {
  if (state == v1::OPERATION_STATE_NEEDS_REVIEW) {
    return "A person has to decide what became of this. Ask again later with the same "
           "idempotency_key, or read the operation. Do not use another key: that could do it "
           "twice.";
  }
  return "Call again with the same idempotency_key, or read the operation, until the outcome is "
         "known. Do not use another key: that could do it twice.";
}

}  // namespace

std::span<const OwnErrorRow> OwnErrors() { return kOwnErrors; }

absl::Status MakeOwnError(OwnError error, std::string_view operation_id,
                          std::optional<ports::Millis> retry_after, std::string_view detail) {
  const OwnErrorRow& row = kOwnErrors[static_cast<std::size_t>(error)];
  domain::ErrorDetail details = DetailOf(row, operation_id);
  details.retry_after = retry_after;
  std::string message(row.message);
  if (!detail.empty()) message.append(": ").append(detail);
  return domain::MakeError(row.code, message, details);
}

absl::Status ClosedLongAgo(std::string_view operation_id, ports::OperationState state,
                           std::string_view order_id) {
  const OwnErrorRow& row = kOwnErrors[static_cast<std::size_t>(OwnError::kClosedLongAgo)];
  domain::ErrorDetail details = DetailOf(row, operation_id);
  details.metadata.emplace_back("state", v1::OperationState_Name(state));
  if (!order_id.empty()) details.metadata.emplace_back("order_id", std::string(order_id));
  return domain::MakeError(row.code, row.message, details);
}

absl::Status WithOperationId(const absl::Status& error, const Uuid& operation_id) {
  const absl::string_view url(domain::kErrorInfoUrl.data(), domain::kErrorInfoUrl.size());
  const auto payload = error.GetPayload(url);
  google::rpc::ErrorInfo info;
  if (!payload.has_value() || !info.ParseFromString(std::string(*payload))) return error;
  (*info.mutable_metadata())[std::string(kOperationIdKey)] = operation_id.ToString();
  absl::Status named = error;
  // From a view: a clang build cannot link Cord's constructor from a temporary string, which
  // Debian's gcc mangles in another way.
  const std::string bytes = info.SerializeAsString();
  named.SetPayload(url, absl::Cord(absl::string_view(bytes)));
  return named;
}

v1::PendingOperation Pending(const Uuid& operation_id, ports::OperationState state,
                             std::string_view order_id, WallTime since, ports::Millis retry_after) {
  v1::PendingOperation pending;
  pending.set_operation_id(operation_id.ToString());
  pending.set_state(state == v1::OPERATION_STATE_NEEDS_REVIEW ? state
                                                              : v1::OPERATION_STATE_UNKNOWN);
  if (!order_id.empty()) pending.set_order_id(std::string(order_id));
  *pending.mutable_since() = domain::ToTimestamp(since);
  pending.set_what_to_do(std::string(WhatToDo(state)));
  const auto seconds = std::chrono::floor<std::chrono::seconds>(retry_after);
  pending.mutable_retry_after()->set_seconds(seconds.count());
  pending.mutable_retry_after()->set_nanos(static_cast<std::int32_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(retry_after - seconds).count()));
  return pending;
}

}  // namespace tollbridge::operations
