#ifndef TOLLBRIDGE_SERVICES_PAYMENTS_TRANSACTION_RULES_H_
#define TOLLBRIDGE_SERVICES_PAYMENTS_TRANSACTION_RULES_H_

#include "services/domain/project.h"
#include "services/operations/plan.h"
#include "services/orders/request_rules.h"
#include "tollbridge/payments/v1/payments.pb.h"

namespace tollbridge::payments {

// What requests about an order that is there already break beyond the rules that their fields
// declare (docs/architecture.md#validation-before-sending): all at once, in the order of the
// fields. `project` is nullptr when the request names none that is configured.

using orders::Violations;

/// The four values of external 3-D Secure come together.
Violations AuthenticateTransactionViolations(const v1::AuthenticateTransactionRequest& request,
                                             const domain::Project* project);
/// A description comes with an amount only: the whole is captured without a body.
Violations CaptureTransactionViolations(const v1::CaptureTransactionRequest& request,
                                        const domain::Project* project);
/// The same.
Violations VoidTransactionViolations(const v1::VoidTransactionRequest& request,
                                     const domain::Project* project);
Violations CreateRefundViolations(const v1::CreateRefundRequest& request,
                                  const domain::Project* project);

/// Where payouts have limits or need a second person, the order of one, which a CreatePayout that
/// went no further has left, is not paid out past them by a start of its transaction:
/// INVALID_REQUEST.
operations::MoneyMoved NoPayout();

}  // namespace tollbridge::payments

#endif  // TOLLBRIDGE_SERVICES_PAYMENTS_TRANSACTION_RULES_H_
