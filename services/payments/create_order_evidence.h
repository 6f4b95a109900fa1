#ifndef TOLLBRIDGE_SERVICES_PAYMENTS_CREATE_ORDER_EVIDENCE_H_
#define TOLLBRIDGE_SERVICES_PAYMENTS_CREATE_ORDER_EVIDENCE_H_

#include "services/operations/evidence.h"

namespace tollbridge::payments {

/// The step `create_order` (operations.md, Evidence). It happened when the GET of a candidate shows
/// our mark, of any epoch and attempt. Candidates: those of the request, else a search by
/// merchant_order_id. Of several orders of ours the oldest that is not expired is taken. A
/// candidate that cannot be read leaves it undecided, unless another is ours. The result is a
/// common.v1.Order.
const operations::StepKind& CreateOrderStep();

}  // namespace tollbridge::payments

#endif  // TOLLBRIDGE_SERVICES_PAYMENTS_CREATE_ORDER_EVIDENCE_H_
