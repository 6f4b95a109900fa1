#ifndef TOLLBRIDGE_SERVICES_PAYMENTS_GET_ORDER_H_
#define TOLLBRIDGE_SERVICES_PAYMENTS_GET_ORDER_H_

#include "base/core/async.h"
#include "services/domain/project.h"
#include "services/ports/context.h"
#include "services/ports/payment_service.h"
#include "tollbridge/payments/v1/payments.pb.h"

namespace tollbridge::payments {

/// Payments.GetOrder: the order as the payment service shows it now, as callers see it
/// (order_view.h). Errors are those of PaymentService::GetOrder.
Async<v1::GetOrderResponse> GetOrder(ports::PaymentService& service, const domain::Project& project,
                                     const v1::GetOrderRequest& request, ports::Context context);

}  // namespace tollbridge::payments

#endif  // TOLLBRIDGE_SERVICES_PAYMENTS_GET_ORDER_H_
