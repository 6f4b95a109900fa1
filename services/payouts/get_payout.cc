#include "services/payouts/get_payout.h"

#include <utility>

#include <absl/status/statusor.h>

#include "base/core/status_macros.h"
#include "services/domain/errors.h"
#include "services/domain/order_view.h"
#include "services/payouts/payout_evidence.h"

namespace tollbridge::payouts {
namespace {

absl::Status PayoutNotFound() {
  return domain::MakeError(
      absl::StatusCode::kNotFound, "there is no payout of this order id",
      {.reason = domain::reason::kPayoutNotFound, .retry = domain::Retry::kAfterChange});
}

}  // namespace

Async<v1::GetPayoutResponse> GetPayout(ports::PaymentService& service,
                                       const domain::Project& project,
                                       const v1::GetPayoutRequest& request,
                                       ports::Context context) {
  absl::StatusOr<common::v1::Order> order =
      co_await service.GetOrder(project, request.order_id(), context);
  if (domain::ReasonOf(order.status()) == domain::reason::kOrderNotFound) {
    co_return PayoutNotFound();
  }
  TB_CO_RETURN_IF_ERROR(order.status());
  if (PayoutTransaction(*order) == nullptr) co_return PayoutNotFound();
  v1::GetPayoutResponse response;
  *response.mutable_order() = domain::ForCaller(*std::move(order));
  co_return response;
}

}  // namespace tollbridge::payouts
