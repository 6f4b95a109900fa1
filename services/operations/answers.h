#ifndef TOLLBRIDGE_SERVICES_OPERATIONS_ANSWERS_H_
#define TOLLBRIDGE_SERVICES_OPERATIONS_ANSWERS_H_

#include <optional>
#include <span>
#include <string_view>

#include <absl/status/status.h>

#include "base/core/uuid.h"
#include "services/domain/errors.h"
#include "services/ports/clock.h"
#include "services/ports/operation_types.h"
#include "tollbridge/operations/v1/operations.pb.h"

namespace tollbridge::operations {

/// Errors of mutations that do not come from a refusal by the payment service: one row each, the
/// only place that says code, reason and retry. SAFE_SAME_KEY promises that the same key cannot do
/// a second effect.
enum class OwnError {
  kInProgress,       ///< someone is at work on this key. RetryInfo: the end of the lease
  kKeyReused,        ///< the key was used for another request
  kOrderBusy,        ///< another operation holds the order's gate; its id is in the details
  kResultNotKept,    ///< it was done, but its result is not kept
  kClosedLongAgo,    ///< it was closed, and only what became of it is known any more
  kSecretUnknown,    ///< the record is under a secret key that this replica does not have
  kUnreadable,       ///< it was done, but its outcome is damaged
  kStore,            ///< the store could not be asked, so nothing was sent
  kStoreDoubtful,    ///< the store may have forgotten an earlier run; nothing was sent
  kOutboxFull,       ///< too many transitions wait for the operations topic; nothing was sent
  kNotSent,          ///< proven that no byte left
  kNotVisibleYet,    ///< 404 on an order made a moment ago: a replica lags
  kAnswerLost,       ///< no definite answer to what cannot be read back
  kSetupTokenSpent,  ///< refused after an earlier run that may have spent the setup token
};

struct OwnErrorRow {
  OwnError error;
  absl::StatusCode code;
  std::string_view reason;
  domain::Retry retry;
  std::string_view message;
};

/// All rows, in the order of the enum.
std::span<const OwnErrorRow> OwnErrors();

/// The error of a row. `operation_id` of the operation it is about, or that holds the order, goes
/// into ErrorInfo unless empty. `detail` is put behind the message.
absl::Status MakeOwnError(OwnError error, std::string_view operation_id,
                          std::optional<ports::Millis> retry_after = std::nullopt,
                          std::string_view detail = {});

/// kClosedLongAgo, with the state and the order (may be empty) in its ErrorInfo.
absl::Status ClosedLongAgo(std::string_view operation_id, ports::OperationState state,
                           std::string_view order_id);

/// The error with operation_id in its ErrorInfo.
absl::Status WithOperationId(const absl::Status& error, const Uuid& operation_id);

/// The answer of a mutation whose outcome is not known. `state` is kUnknown or kNeedsReview;
/// `order_id` may be empty.
v1::PendingOperation Pending(const Uuid& operation_id, ports::OperationState state,
                             std::string_view order_id, WallTime since, ports::Millis retry_after);

}  // namespace tollbridge::operations

#endif  // TOLLBRIDGE_SERVICES_OPERATIONS_ANSWERS_H_
