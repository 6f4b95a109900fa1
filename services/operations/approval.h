#ifndef TOLLBRIDGE_SERVICES_OPERATIONS_APPROVAL_H_
#define TOLLBRIDGE_SERVICES_OPERATIONS_APPROVAL_H_

#include <optional>
#include <string_view>

#include <absl/status/status.h>

#include "base/core/uuid.h"
#include "services/operations/plan.h"
#include "services/operations/settings.h"
#include "services/ports/clock.h"
#include "services/ports/operation_types.h"

/// What a second person has to confirm (docs/design/operations.md#rule-19).
namespace tollbridge::operations {

/// Names what is asked about an operation. `unique`: what no other asking about it has.
Uuid ApprovalId(const Uuid& operation, std::string_view unique);

/// What the claim of the plan asks for; nullopt where it may run without. `owner` is that of the
/// claim.
std::optional<ports::ApprovalRequest> ApprovalOf(const Plan& plan, const Uuid& operation,
                                                 std::string_view owner, const Settings& settings);

/// FAILED_PRECONDITION APPROVAL_NEEDED, with the ids of operation and approval and with when that
/// is over.
absl::Status ApprovalNeeded(const Uuid& operation, const Uuid& approval, WallTime until);

}  // namespace tollbridge::operations

#endif  // TOLLBRIDGE_SERVICES_OPERATIONS_APPROVAL_H_
