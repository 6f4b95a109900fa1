#ifndef TOLLBRIDGE_SERVICES_OPERATIONS_VERDICT_H_
#define TOLLBRIDGE_SERVICES_OPERATIONS_VERDICT_H_

#include <cstdint>
#include <string>

#include <absl/status/status.h>

#include "services/operations/plan.h"
#include "services/ports/operation_store.h"
#include "services/ports/payment_service.h"

namespace tollbridge::operations {

/// What the answer to a step says about its operation.
struct Verdict {
  /// kDone: with an OK `error` the step took effect, else the service refused it for good.
  /// kNotExecuted: nothing happened and the key may run at once. kUnknown: there may be an effect.
  /// kNeedsReview: only from CompareAmounts.
  ports::OperationState state = ports::OperationState::kUnknown;
  /// Why, for the record's transitions.
  std::string evidence;
  /// What the caller is told when nothing was done.
  absl::Status error;
};

/// The table of operations.md, rule 3. `fresh_order`: this operation has just created the order
/// that the step is about. A refusal of a later attempt does not say what an earlier one did, so
/// without evidence it is kUnknown.
Verdict JudgeAnswer(const ports::Answer& answer, std::uint32_t attempt, bool fresh_order);

/// kDone, or kNeedsReview when amount or currency were answered and are not what was asked for.
Verdict CompareAmounts(const ports::StepEvidence& requested, const PlanResult& result);

}  // namespace tollbridge::operations

#endif  // TOLLBRIDGE_SERVICES_OPERATIONS_VERDICT_H_
