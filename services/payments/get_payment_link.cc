#include "services/payments/get_payment_link.h"

#include <utility>

#include <absl/status/statusor.h>

#include "base/core/status_macros.h"
#include "services/payments/payment_link_view.h"
#include "tollbridge/common/v1/payment_link.pb.h"

namespace tollbridge::payments {

Async<v1::GetPaymentLinkResponse> GetPaymentLink(ports::PaymentService& service,
                                                 const domain::Project& project,
                                                 const v1::GetPaymentLinkRequest& request,
                                                 ports::Context context) {
  TB_CO_ASSIGN_OR_RETURN(
      common::v1::PaymentLink link,
      co_await service.GetPaymentLink(project, request.payment_link_id(), context));
  v1::GetPaymentLinkResponse response;
  *response.mutable_payment_link() = LinkForCaller(std::move(link));
  co_return response;
}

}  // namespace tollbridge::payments
