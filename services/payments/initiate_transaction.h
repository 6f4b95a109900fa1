#ifndef TOLLBRIDGE_SERVICES_PAYMENTS_INITIATE_TRANSACTION_H_
#define TOLLBRIDGE_SERVICES_PAYMENTS_INITIATE_TRANSACTION_H_

#include <string_view>

#include <absl/status/statusor.h>

#include "services/domain/project.h"
#include "services/operations/plan.h"
#include "services/payments/options.h"
#include "tollbridge/payments/v1/payments.pb.h"

namespace tollbridge::payments {

/// Payments.InitiateTransaction as a plan of one step, POST .../initiate/.
operations::Plan PlanInitiateTransaction(const domain::Project& project,
                                         const v1::InitiateTransactionRequest& request);

/// Its step, and how its result is read.
operations::MutationSpec InitiateTransactionSpec();

}  // namespace tollbridge::payments

#endif  // TOLLBRIDGE_SERVICES_PAYMENTS_INITIATE_TRANSACTION_H_
