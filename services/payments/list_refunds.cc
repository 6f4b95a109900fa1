#include "services/payments/list_refunds.h"

#include <utility>

#include <absl/status/statusor.h>

#include "base/core/status_macros.h"
#include "services/domain/order_view.h"
#include "tollbridge/common/v1/search.pb.h"

namespace tollbridge::payments {

Async<v1::ListRefundsResponse> ListRefunds(ports::PaymentService& service,
                                           const domain::Project& project,
                                           const v1::ListRefundsRequest& request,
                                           ports::Context context) {
  TB_CO_ASSIGN_OR_RETURN(common::v1::RefundList refunds,
                         co_await service.ListRefunds(project, request.order_id(), context));
  v1::ListRefundsResponse response;
  for (common::v1::Order& order : *refunds.mutable_orders()) {
    *response.add_refund_orders() = domain::ForCaller(std::move(order));
  }
  co_return response;
}

}  // namespace tollbridge::payments
