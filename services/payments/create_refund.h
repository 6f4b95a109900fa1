#ifndef TOLLBRIDGE_SERVICES_PAYMENTS_CREATE_REFUND_H_
#define TOLLBRIDGE_SERVICES_PAYMENTS_CREATE_REFUND_H_

#include <string_view>

#include <absl/status/statusor.h>

#include "services/domain/project.h"
#include "services/operations/plan.h"
#include "services/payments/options.h"
#include "tollbridge/payments/v1/payments.pb.h"

namespace tollbridge::payments {

/// Payments.CreateRefund as a plan of one step, POST /v1/orders/{order_id}/refunds/. UNIMPLEMENTED,
/// reason EXTENSION_DISABLED, unless options.create_refund.
absl::StatusOr<operations::Plan> PlanCreateRefund(const domain::Project& project,
                                                  const PaymentOptions& options,
                                                  const v1::CreateRefundRequest& request);

/// Its step, and how its result is read.
operations::MutationSpec CreateRefundSpec();

}  // namespace tollbridge::payments

#endif  // TOLLBRIDGE_SERVICES_PAYMENTS_CREATE_REFUND_H_
