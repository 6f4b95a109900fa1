#ifndef TOLLBRIDGE_SERVICES_PAYMENTS_GET_ORDER_H_
#define TOLLBRIDGE_SERVICES_PAYMENTS_GET_ORDER_H_

#include "base/core/async.h"
#include "services/domain/project.h"
#include "services/ports/context.h"
#include "services/ports/payment_service.h"
#include "tollbridge/payments/v1/payments.pb.h"

namespace tollbridge::payments {

/// Payments.GetOrder: the order as the payment service shows it now, as callers see it
/// (order_view.h). INVALID_ARGUMENT for a project that is not configured; else what
/// PaymentService::GetOrder answers.
Async<v1::GetOrderResponse> GetOrder(ports::PaymentService& service,
                                     const domain::Projects& projects,
                                     const v1::GetOrderRequest& request, ports::Context context);

}  // namespace tollbridge::payments

#endif  // TOLLBRIDGE_SERVICES_PAYMENTS_GET_ORDER_H_
