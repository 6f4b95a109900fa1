#ifndef TOLLBRIDGE_SERVICES_OPERATIONS_VERDICT_H_
#define TOLLBRIDGE_SERVICES_OPERATIONS_VERDICT_H_

#include <cstdint>
#include <string>
#include <string_view>

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
  ports::OperationState state = v1::OPERATION_STATE_UNKNOWN;
  /// Why, for the record's transitions.
  std::string reason;
  /// What the caller is told when nothing was done.
  absl::Status error;
  /// A refusal that does not say what an earlier run of the key did: the evidence is read before it
  /// is believed.
  bool evidence_first = false;
  /// A refusal for a state that a copy of this very request may have left: the evidence says
  /// whether one did.
  bool perhaps_copied = false;
  /// kNotExecuted for want of evidence, and not by a proof.
  bool unproven = false;
  /// Of the reason, for the log alone: ports::Answer::heard.
  std::string heard = {};
};

/// What an answer is judged by.
struct Circumstances {
  /// ports::ClaimResult::earlier_unproven.
  bool earlier_unproven = false;
  /// The order was made by us a moment ago: a 404 may be a lagging replica.
  bool fresh_order = false;
  /// The store may have forgotten an earlier run of the key.
  bool doubtful = false;
};

/// The table of docs/design/operations.md#rule-3.
Verdict JudgeAnswer(const ports::Answer& answer, const Circumstances& circumstances);

/// Whether a reason, as a transition keeps it, is that of a refusal.
bool IsOfRefusal(std::string_view reason);

/// The verdict on a step of which nothing can be read back (docs/design/operations.md#evidence:
/// store card, wallet B token): what would be kUnknown is kNotExecuted, and a refusal that would
/// wait for evidence stands; of a step that spends a setup token it says that the token is spent.
Verdict WithoutEvidence(const StepKind& kind, Verdict verdict);

/// The verdict on a step that only prepares (StepKind::completes): what is refused has done
/// nothing, and the key may run again.
Verdict OfPreparation(Verdict verdict);

/// kDone, or kNeedsReview when amount or currency were answered and are not what was asked for.
Verdict CompareAmounts(const ports::StepTarget& requested, const PlanResult& result);

}  // namespace tollbridge::operations

#endif  // TOLLBRIDGE_SERVICES_OPERATIONS_VERDICT_H_
