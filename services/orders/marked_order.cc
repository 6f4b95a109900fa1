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

boost::asio::awaitable<ports::Answer> SendMarkedOrder(ports::PaymentService& service,
                                                      const domain::Project& project,
                                                      payments::v1::CreateOrderRequest order,
                                                      const operations::StepContext& step) {
  google::protobuf::Value mark;
  mark.set_string_value(step.mark);
  (*order.mutable_extra()->mutable_fields())[std::string(domain::kMarkField)] = mark;
  co_return co_await service.CreateOrder(project, order, step.context, step.guard);
}

}  // namespace tollbridge::orders
