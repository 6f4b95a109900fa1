#ifndef TOLLBRIDGE_SERVICES_PAYMENTS_EXECUTE_WALLET_B_PAYMENT_H_
#define TOLLBRIDGE_SERVICES_PAYMENTS_EXECUTE_WALLET_B_PAYMENT_H_

#include <string_view>

#include <absl/status/statusor.h>

#include "services/domain/project.h"
#include "services/operations/plan.h"
#include "services/payments/options.h"
#include "tollbridge/payments/v1/payments.pb.h"

namespace tollbridge::payments {

/// Payments.ExecuteWalletBPayment as a plan of one step, POST
/// /pay/{order_id}/select-payment-method/wallet-b-pay/{transaction_id}/.
operations::Plan PlanExecuteWalletBPayment(const domain::Project& project,
                                           const v1::ExecuteWalletBPaymentRequest& request);

/// Its step, and how its result is read. A recovered one has the order in place of is_successful,
/// redirect_url and reason.
operations::MutationSpec ExecuteWalletBPaymentSpec();

}  // namespace tollbridge::payments

#endif  // TOLLBRIDGE_SERVICES_PAYMENTS_EXECUTE_WALLET_B_PAYMENT_H_
