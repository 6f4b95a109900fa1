#ifndef TOLLBRIDGE_SERVICES_PAYMENTS_CREATE_WALLET_A_SESSION_H_
#define TOLLBRIDGE_SERVICES_PAYMENTS_CREATE_WALLET_A_SESSION_H_

#include "base/core/async.h"
#include "services/domain/project.h"
#include "services/orders/request_rules.h"
#include "services/ports/context.h"
#include "services/ports/payment_service.h"
#include "tollbridge/payments/v1/payments.pb.h"

namespace tollbridge::payments {

/// Payments.CreateWalletASession: the merchant session of wallet A, for the browser. Changes
/// nothing, so it has no key and is not kept; the merchant identifier is the project's id without
/// hyphens. Errors are those of PaymentService::CreateWalletASession.
///
/// The payment service calls validation_url, so that is held to the hosts of the project before it
/// is sent: CreateWalletASessionViolations.
Async<v1::CreateWalletASessionResponse> CreateWalletASession(
    ports::PaymentService& service, const domain::Project& project,
    const v1::CreateWalletASessionRequest& request, ports::Context context);

/// `project` may be nullptr: then it is not known yet which.
orders::Violations CreateWalletASessionViolations(const v1::CreateWalletASessionRequest& request,
                                                  const domain::Project* project);

}  // namespace tollbridge::payments

#endif  // TOLLBRIDGE_SERVICES_PAYMENTS_CREATE_WALLET_A_SESSION_H_
