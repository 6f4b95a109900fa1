#ifndef TOLLBRIDGE_SERVICES_PAYMENTS_AUTHENTICATE_TRANSACTION_H_
#define TOLLBRIDGE_SERVICES_PAYMENTS_AUTHENTICATE_TRANSACTION_H_

#include <string_view>

#include <absl/status/statusor.h>

#include "services/domain/project.h"
#include "services/operations/plan.h"
#include "services/payments/options.h"
#include "tollbridge/payments/v1/payments.pb.h"

namespace tollbridge::payments {

/// Payments.AuthenticateTransaction as a plan of one step, POST .../authenticate/.
operations::Plan PlanAuthenticateTransaction(const domain::Project& project,
                                             const v1::AuthenticateTransactionRequest& request);

/// Its step, and how its result is read. A recovered one has no redirect_url; with the values of
/// external 3-D Secure there was none.
operations::MutationSpec AuthenticateTransactionSpec();

}  // namespace tollbridge::payments

#endif  // TOLLBRIDGE_SERVICES_PAYMENTS_AUTHENTICATE_TRANSACTION_H_
