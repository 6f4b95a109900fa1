#ifndef TOLLBRIDGE_SERVICES_PAYMENTS_CREATE_ORDER_H_
#define TOLLBRIDGE_SERVICES_PAYMENTS_CREATE_ORDER_H_

#include <string_view>

#include <absl/status/statusor.h>

#include "services/domain/project.h"
#include "services/operations/plan.h"
#include "services/payments/options.h"
#include "tollbridge/payments/v1/payments.pb.h"

namespace tollbridge::payments {

/// Payments.CreateOrder as a plan of one step, POST /v1/orders/. What is sent is the request with
/// our mark in `extra`, the operation id as merchant_order_id where there is none, and the
/// project's webhook_url.
operations::Plan PlanCreateOrder(const domain::Project& project,
                                 const v1::CreateOrderRequest& request);

/// Its step, and how its result is read. A recovered order holds no setup_token: those live 300
/// seconds from the answer that nobody saw (docs/interface.md#limits).
operations::MutationSpec CreateOrderSpec();

}  // namespace tollbridge::payments

#endif  // TOLLBRIDGE_SERVICES_PAYMENTS_CREATE_ORDER_H_
