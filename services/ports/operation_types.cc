#include "services/ports/operation_types.h"

#include "tollbridge/operations/v1/operations.pb.h"

namespace tollbridge::ports {

StepTarget TargetOf(const operations::v1::Step& step) {
  StepTarget target;
  target.name = step.name();
  target.order_id = step.order_id();
  target.transaction_id = step.transaction_id();
  if (step.has_amount()) target.amount = step.amount();
  target.currency = step.currency();
  target.merchant_order_id = step.merchant_order_id();
  target.marked = step.marked();
  return target;
}

}  // namespace tollbridge::ports
