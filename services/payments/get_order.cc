#include "services/payments/get_order.h"

#include <utility>

#include <absl/status/statusor.h>

#include "services/base/status_macros.h"
#include "services/domain/errors.h"
#include "services/payments/order_view.h"

namespace tollbridge::payments {

Async<v1::GetOrderResponse> GetOrder(ports::PaymentService& service,
                                     const domain::Projects& projects,
                                     const v1::GetOrderRequest& request, ports::Context context) {
  const domain::Project* project = projects.Find(request.project());
  if (project == nullptr) {
    co_return domain::InvalidRequest({{"project", "must name a configured project"}});
  }
  absl::StatusOr<common::v1::Order> order =
      co_await service.GetOrder(*project, request.order_id(), context);
  TB_CO_RETURN_IF_ERROR(order.status());
  v1::GetOrderResponse response;
  *response.mutable_order() = ForCaller(*std::move(order));
  co_return response;
}

}  // namespace tollbridge::payments
