#include "services/orders/results.h"

#include <algorithm>
#include <optional>

#include <absl/status/status.h>

#include "base/core/uuid.h"

namespace tollbridge::orders {

absl::StatusOr<operations::PlanResult> ResultOf(const domain::Project& project,
                                                const common::v1::Order& order) {
  const std::optional<Uuid> id = Uuid::Parse(order.id());
  if (!id.has_value()) return absl::DataLossError("the answer holds no order with an id");
  operations::PlanResult result;
  result.order = ports::OrderEntry{.key = {project.name, *id}};
  if (order.has_amount()) result.amount = order.amount();
  result.currency = order.currency();
  return result;
}

absl::StatusOr<const common::v1::Order*> AsOrder(const google::protobuf::Message& last) {
  const auto* order = google::protobuf::DynamicCastToGenerated<common::v1::Order>(&last);
  if (order == nullptr) return absl::DataLossError("the answer holds no order");
  return order;
}

bool HasPaymentUrl(const common::v1::Order& order) {
  return std::ranges::any_of(order.transactions(), [](const common::v1::Transaction& transaction) {
    return !transaction.payment_url().empty();
  });
}

}  // namespace tollbridge::orders
