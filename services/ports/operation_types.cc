#include "services/ports/operation_types.h"

#include "tollbridge/operations/v1/operations.pb.h"

namespace tollbridge::ports {

StepEvidence EvidenceOf(const operations::v1::Step& step) {
  StepEvidence evidence;
  evidence.name = step.name();
  evidence.order_id = step.order_id();
  evidence.transaction_id = step.transaction_id();
  if (step.has_amount()) evidence.amount = step.amount();
  evidence.currency = step.currency();
  evidence.merchant_order_id = step.merchant_order_id();
  evidence.marked = step.marked();
  return evidence;
}

}  // namespace tollbridge::ports
