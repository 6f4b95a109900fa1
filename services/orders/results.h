#ifndef TOLLBRIDGE_SERVICES_ORDERS_RESULTS_H_
#define TOLLBRIDGE_SERVICES_ORDERS_RESULTS_H_

#include <memory>
#include <utility>

#include <absl/status/statusor.h>
#include <google/protobuf/message.h>

#include "base/core/status_macros.h"
#include "services/domain/order_view.h"
#include "services/domain/project.h"
#include "services/operations/plan.h"
#include "services/ports/operation_types.h"
#include "tollbridge/common/v1/order.pb.h"
#include "tollbridge/operations/v1/operations.pb.h"

namespace tollbridge::orders {

/// What every result that is an order has beside its response: the order's entry, amount and
/// currency. DATA_LOSS when the order has no id.
absl::StatusOr<operations::PlanResult> ResultOf(const domain::Project& project,
                                                const common::v1::Order& order);

/// The order that `last` is. DATA_LOSS when it is something else.
absl::StatusOr<const common::v1::Order*> AsOrder(const google::protobuf::Message& last);

/// The order has a transaction with a page of its own, where the customer can go on.
bool HasPaymentUrl(const common::v1::Order& order);

/// The result of a mutation that makes an order from another: that order, as callers see it, in the
/// field of Response whose mutable_ accessor is `field`. Its events are its own: it has an entry of
/// its own (docs/design/events.md#family: what makes a family of them forwards it to the root).
template <typename Response>
absl::StatusOr<operations::PlanResult> FollowUpResult(const domain::Project& project,
                                                      const google::protobuf::Message& last,
                                                      ports::Knowledge knowledge,
                                                      common::v1::Order* (Response::*field)()) {
  TB_ASSIGN_OR_RETURN(const common::v1::Order* order, AsOrder(last));
  TB_ASSIGN_OR_RETURN(operations::PlanResult result, ResultOf(project, *order));
  auto response = std::make_shared<Response>();
  *(response.get()->*field)() = domain::ForCaller(*order);
  response->set_knowledge(knowledge);
  result.response = std::move(response);
  result.created_order = true;
  return result;
}

}  // namespace tollbridge::orders

#endif  // TOLLBRIDGE_SERVICES_ORDERS_RESULTS_H_
