#include "services/payments/get_order.h"

#include <utility>

#include <absl/status/statusor.h>

#include "base/core/status_macros.h"
#include "services/domain/order_view.h"

namespace tollbridge::payments {

Async<v1::GetOrderResponse> GetOrder(ports::PaymentService& service, const domain::Project& project,
                                     const v1::GetOrderRequest& request, ports::Context context) {
  TB_CO_ASSIGN_OR_RETURN(common::v1::Order order,
                         co_await service.GetOrder(project, request.order_id(), context));
  v1::GetOrderResponse response;
  *response.mutable_order() = domain::ForCaller(std::move(order));
  co_return response;
}

}  // namespace tollbridge::payments
