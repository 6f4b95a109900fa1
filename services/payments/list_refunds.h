#ifndef TOLLBRIDGE_SERVICES_PAYMENTS_LIST_REFUNDS_H_
#define TOLLBRIDGE_SERVICES_PAYMENTS_LIST_REFUNDS_H_

#include "base/core/async.h"
#include "services/domain/project.h"
#include "services/ports/context.h"
#include "services/ports/payment_service.h"
#include "tollbridge/payments/v1/payments.pb.h"

namespace tollbridge::payments {

/// Payments.ListRefunds: the refund orders of an order, as callers see them (order_view.h). Errors
/// are those of PaymentService::ListRefunds.
Async<v1::ListRefundsResponse> ListRefunds(ports::PaymentService& service,
                                           const domain::Project& project,
                                           const v1::ListRefundsRequest& request,
                                           ports::Context context);

}  // namespace tollbridge::payments

#endif  // TOLLBRIDGE_SERVICES_PAYMENTS_LIST_REFUNDS_H_
