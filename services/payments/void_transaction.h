#ifndef TOLLBRIDGE_SERVICES_PAYMENTS_VOID_TRANSACTION_H_
#define TOLLBRIDGE_SERVICES_PAYMENTS_VOID_TRANSACTION_H_

#include <string_view>

#include <absl/status/statusor.h>

#include "services/domain/project.h"
#include "services/operations/plan.h"
#include "services/payments/options.h"
#include "tollbridge/payments/v1/payments.pb.h"

namespace tollbridge::payments {

/// Payments.VoidTransaction as a plan of one step: POST .../voids/, or with an amount
/// .../voids/amount/. UNIMPLEMENTED, reason EXTENSION_DISABLED, with an amount unless
/// options.partial_void.
absl::StatusOr<operations::Plan> PlanVoidTransaction(const domain::Project& project,
                                                     const PaymentOptions& options,
                                                     const v1::VoidTransactionRequest& request);

/// Its steps, one of which a plan has, and how its result is read.
operations::MutationSpec VoidTransactionSpec();

}  // namespace tollbridge::payments

#endif  // TOLLBRIDGE_SERVICES_PAYMENTS_VOID_TRANSACTION_H_
