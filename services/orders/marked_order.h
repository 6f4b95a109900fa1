#ifndef TOLLBRIDGE_SERVICES_ORDERS_MARKED_ORDER_H_
#define TOLLBRIDGE_SERVICES_ORDERS_MARKED_ORDER_H_

#include <memory>

#include <boost/asio/awaitable.hpp>

#include "base/core/uuid.h"
#include "services/domain/project.h"
#include "services/operations/plan.h"
#include "services/ports/payment_service.h"
#include "tollbridge/payments/v1/payments.pb.h"

/// Orders that operations create: how they are sent so that they are found again
/// (docs/design/operations.md#identity).
namespace tollbridge::orders {

/// Sets what the caller left to the gateway: the reference by which the order is searched, and the
/// project's webhook_url.
void CompleteOrder(payments::v1::CreateOrderRequest& order, const domain::Project& project,
                   const Uuid& operation_id);

/// POST /v1/orders/ with the attempt's mark, which is known only after the claim and is set in
/// `order`.
boost::asio::awaitable<ports::Answer> SendMarkedOrder(
    ports::PaymentService& service, const domain::Project& project,
    std::shared_ptr<payments::v1::CreateOrderRequest> order, const operations::StepContext& step);

}  // namespace tollbridge::orders

#endif  // TOLLBRIDGE_SERVICES_ORDERS_MARKED_ORDER_H_
