#ifndef TOLLBRIDGE_SERVICES_PAYMENTS_FOLLOW_UP_EVIDENCE_H_
#define TOLLBRIDGE_SERVICES_PAYMENTS_FOLLOW_UP_EVIDENCE_H_

#include "services/operations/evidence.h"

namespace tollbridge::payments {

// The steps that make an order from another one (docs/design/operations.md#evidence). The result of
// each is that order, a common.v1.Order.

/// The step `capture`, of a whole transaction: a related order whose transaction has
/// capture_of_transaction_id = ours, and that is not a capture of a part. The service refuses a
/// second one.
const operations::StepKind& CaptureStep();
/// The step `void`, of all that remains: the same with void_of_transaction_id.
const operations::StepKind& VoidStep();

/// The steps `partial_capture`, `partial_void` and `refund`: an order that carries our mark in its
/// description. Without a mark, exactly one order of that amount made since the step was sent, and
/// none before; none at all is absent, anything else ambiguous. Absence alone never lets them run
/// again.
const operations::StepKind& PartialCaptureStep();
const operations::StepKind& PartialVoidStep();
const operations::StepKind& RefundStep();

}  // namespace tollbridge::payments

#endif  // TOLLBRIDGE_SERVICES_PAYMENTS_FOLLOW_UP_EVIDENCE_H_
