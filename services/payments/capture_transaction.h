#ifndef TOLLBRIDGE_SERVICES_PAYMENTS_CAPTURE_TRANSACTION_H_
#define TOLLBRIDGE_SERVICES_PAYMENTS_CAPTURE_TRANSACTION_H_

#include <string_view>

#include <absl/status/statusor.h>

#include "services/domain/project.h"
#include "services/operations/plan.h"
#include "services/payments/options.h"
#include "tollbridge/payments/v1/payments.pb.h"

namespace tollbridge::payments {

/// Payments.CaptureTransaction as a plan of one step: POST .../captures/, or with an amount
/// .../captures/amount/. UNIMPLEMENTED, reason EXTENSION_DISABLED, with an amount unless
/// options.partial_capture.
absl::StatusOr<operations::Plan> PlanCaptureTransaction(
    const domain::Project& project, const PaymentOptions& options,
    const v1::CaptureTransactionRequest& request);

/// Its steps, one of which a plan has, and how its result is read.
operations::MutationSpec CaptureTransactionSpec();

}  // namespace tollbridge::payments

#endif  // TOLLBRIDGE_SERVICES_PAYMENTS_CAPTURE_TRANSACTION_H_
