#include "services/orders/marked_order.h"

#include <string>

#include "services/domain/mark.h"
#include "services/orders/webhook_url.h"

namespace tollbridge::orders {

void CompleteOrder(payments::v1::CreateOrderRequest& order, const domain::Project& project,
                   const Uuid& operation_id) {
  if (order.merchant_order_id().empty()) order.set_merchant_order_id(operation_id.ToString());
  SetWebhookUrl(order, project);
}

boost::asio::awaitable<ports::Answer> SendMarkedOrder(
    ports::PaymentService& service, const domain::Project& project,
    std::shared_ptr<payments::v1::CreateOrderRequest> order, const operations::StepContext& step) {
  auto& extra = *order->mutable_extra()->mutable_fields();
  extra[std::string(domain::kMarkField)].set_string_value(step.mark);
  co_return co_await service.CreateOrder(project, *order, step.context, step.guard);
}

}  // namespace tollbridge::orders
