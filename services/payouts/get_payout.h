#ifndef TOLLBRIDGE_SERVICES_PAYOUTS_GET_PAYOUT_H_
#define TOLLBRIDGE_SERVICES_PAYOUTS_GET_PAYOUT_H_

#include "base/core/async.h"
#include "services/domain/project.h"
#include "services/ports/context.h"
#include "services/ports/payment_service.h"
#include "tollbridge/payouts/v1/payouts.pb.h"

namespace tollbridge::payouts {

/// Payouts.GetPayout: the order as the payment service shows it now, as callers see it
/// (domain/order_view.h). NOT_FOUND PAYOUT_NOT_FOUND for an order that is no payout, and for one
/// that the service does not know; else what PaymentService::GetOrder answers.
Async<v1::GetPayoutResponse> GetPayout(ports::PaymentService& service,
                                       const domain::Project& project,
                                       const v1::GetPayoutRequest& request, ports::Context context);

}  // namespace tollbridge::payouts

#endif  // TOLLBRIDGE_SERVICES_PAYOUTS_GET_PAYOUT_H_
