#include "services/operations/answers.h"

#include <chrono>
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

domain::ErrorDetail Detail(std::string_view reason, domain::Retry retry, std::string operation_id) {
  domain::ErrorDetail detail;
  detail.reason = reason;
  detail.retry = retry;
  detail.metadata.emplace_back(kOperationIdKey, std::move(operation_id));
  return detail;
}

std::string_view WhatToDo(ports::OperationState state) {
  if (state == ports::OperationState::kNeedsReview) {
    return "A person has to decide what became of this. Ask again later with the same "
           "idempotency_key, or read the operation. Do not use another key: that could do it "
           "twice.";
  }
  return "Call again with the same idempotency_key, or read the operation, until the outcome is "
         "known. Do not use another key: that could do it twice.";
}

}  // namespace

absl::Status InProgressError(const Uuid& operation_id, ports::Millis retry_after) {
  domain::ErrorDetail detail = Detail(domain::reason::kOperationInProgress,
                                      domain::Retry::kSafeSameKey, operation_id.ToString());
  detail.retry_after = retry_after;
  return domain::MakeError(absl::StatusCode::kAborted,
                           "another call with this idempotency_key is at work", detail);
}

absl::Status KeyReusedError(const Uuid& operation_id) {
  return domain::MakeError(absl::StatusCode::kFailedPrecondition,
                           "this idempotency_key was used for another request",
                           Detail(domain::reason::kIdempotencyKeyReused,
                                  domain::Retry::kAfterChange, operation_id.ToString()));
}

absl::Status OrderBusyError(std::string_view holder, ports::Millis retry_after) {
  domain::ErrorDetail detail =
      Detail(domain::reason::kOrderBusy, domain::Retry::kSafeSameKey, std::string(holder));
  detail.retry_after = retry_after;
  return domain::MakeError(absl::StatusCode::kAborted, "another operation holds the order", detail);
}

absl::Status ResultNotKeptError(const Uuid& operation_id) {
  return domain::MakeError(
      absl::StatusCode::kFailedPrecondition, "the operation was done, but its result is not kept",
      Detail(domain::reason::kResultNotKept, domain::Retry::kNever, operation_id.ToString()));
}

absl::Status OutcomeUnreadableError(const Uuid& operation_id) {
  return domain::MakeError(
      absl::StatusCode::kInternal, "the operation was done, but its outcome cannot be read",
      Detail(domain::reason::kInternal, domain::Retry::kSafeSameKey, operation_id.ToString()));
}

absl::Status StoreError(const absl::Status& cause, const Uuid& operation_id) {
  const bool lost = domain::ReasonOf(cause) == std::string(domain::reason::kMemoryLost);
  return domain::MakeError(
      absl::StatusCode::kUnavailable, "the operation store cannot be asked; nothing was sent",
      Detail(lost ? domain::reason::kMemoryLost : domain::reason::kStoreUnavailable,
             domain::Retry::kSafeSameKey, operation_id.ToString()));
}

absl::Status StoreDoubtfulError(const Uuid& operation_id, ports::Millis retry_after) {
  domain::ErrorDetail detail =
      Detail(domain::reason::kStoreDoubtful, domain::Retry::kSafeSameKey, operation_id.ToString());
  detail.retry_after = retry_after;
  return domain::MakeError(absl::StatusCode::kUnavailable,
                           "the operation store may have forgotten an earlier call with this "
                           "idempotency_key; nothing was sent",
                           detail);
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
                             std::string_view order_id, ports::WallTime since,
                             ports::Millis retry_after) {
  v1::PendingOperation pending;
  pending.set_operation_id(operation_id.ToString());
  pending.set_state(state == ports::OperationState::kNeedsReview ? v1::OPERATION_STATE_NEEDS_REVIEW
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
