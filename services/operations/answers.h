#ifndef TOLLBRIDGE_SERVICES_OPERATIONS_ANSWERS_H_
#define TOLLBRIDGE_SERVICES_OPERATIONS_ANSWERS_H_

#include <string_view>

#include <absl/status/status.h>

#include "services/base/uuid.h"
#include "services/ports/clock.h"
#include "services/ports/operation_store.h"
#include "tollbridge/operations/v1/operations.pb.h"

namespace tollbridge::operations {

/// What a caller is told who meets an operation that is not theirs to run (operations.md, rules 7
/// and 8). Every error carries operation_id in its ErrorInfo.

/// ABORTED OPERATION_IN_PROGRESS: someone is at work on this key. RetryInfo: the end of the lease.
absl::Status InProgressError(const Uuid& operation_id, ports::Millis retry_after);
/// FAILED_PRECONDITION IDEMPOTENCY_KEY_REUSED: the key was used for another request.
absl::Status KeyReusedError(const Uuid& operation_id);
/// ABORTED ORDER_BUSY: the operation `holder` holds the order's gate.
absl::Status OrderBusyError(std::string_view holder, ports::Millis retry_after);
/// FAILED_PRECONDITION RESULT_NOT_KEPT: it was done, but its result is not kept.
absl::Status ResultNotKeptError(const Uuid& operation_id);
/// INTERNAL: it was done, but its outcome cannot be read (no live key opens it, or it is damaged).
absl::Status OutcomeUnreadableError(const Uuid& operation_id);
/// UNAVAILABLE: the store could not be asked, so nothing was sent. Keeps the reason of the store's
/// own error.
absl::Status StoreError(const absl::Status& cause, const Uuid& operation_id);

/// UNAVAILABLE STORE_DOUBTFUL: the store lost its memory or failed over, and whether this key ran
/// before cannot be said yet; nothing was sent. RetryInfo: when it may be known.
absl::Status StoreDoubtfulError(const Uuid& operation_id, ports::Millis retry_after);

/// The error with operation_id in its ErrorInfo.
absl::Status WithOperationId(const absl::Status& error, const Uuid& operation_id);

/// The answer of a mutation whose outcome is not known. `state` is kUnknown or kNeedsReview;
/// `order_id` may be empty.
v1::PendingOperation Pending(const Uuid& operation_id, ports::OperationState state,
                             std::string_view order_id, ports::WallTime since,
                             ports::Millis retry_after);

}  // namespace tollbridge::operations

#endif  // TOLLBRIDGE_SERVICES_OPERATIONS_ANSWERS_H_
