#ifndef TOLLBRIDGE_SERVICES_ORDERS_ONE_STEP_PLAN_H_
#define TOLLBRIDGE_SERVICES_ORDERS_ONE_STEP_PLAN_H_

#include <string>
#include <string_view>
#include <utility>

#include <absl/status/status.h>
#include <boost/asio/awaitable.hpp>

#include "services/domain/project.h"
#include "services/operations/plan.h"
#include "services/ports/payment_service.h"

/// What plans about an order that is there already have in common.
namespace tollbridge::orders {

/// UNIMPLEMENTED, reason EXTENSION_DISABLED.
absl::Status ExtensionDisabled(std::string_view extension);

/// `id`, a UUID, in lower case. An order has one gate, however its id is written.
std::string CanonicalId(std::string_view id);

/// A plan of one step about the order that `outgoing` names, whose gate it takes. `outgoing` is the
/// request as it is sent, but for its ids, which are made canonical; `send` is the endpoint's
/// function.
template <typename Request>
operations::Plan OneStepPlan(const domain::Project& project, const operations::StepKind& kind,
                             Request outgoing,
                             boost::asio::awaitable<ports::Answer> (ports::PaymentService::*send)(
                                 const domain::Project&, const Request&, const ports::Context&,
                                 const ports::SendGuard&)) {
  operations::Step step;
  step.kind = &kind;
  step.target.name = kind.name;
  outgoing.set_order_id(CanonicalId(outgoing.order_id()));
  step.target.order_id = outgoing.order_id();
  if constexpr (requires { outgoing.transaction_id(); }) {
    outgoing.set_transaction_id(CanonicalId(outgoing.transaction_id()));
    step.target.transaction_id = outgoing.transaction_id();
  }
  operations::Plan plan;
  plan.project = &project;
  plan.idempotency_key = outgoing.idempotency_key();
  plan.gate_order = outgoing.order_id();
  // The closure outlives the call: both live in the plan.
  step.send = [&project, send, outgoing = std::move(outgoing)](
                  ports::PaymentService& service, const operations::StepContext& context) {
    return (service.*send)(project, outgoing, context.context, context.guard);
  };
  plan.steps.push_back(std::move(step));
  return plan;
}

}  // namespace tollbridge::orders

#endif  // TOLLBRIDGE_SERVICES_ORDERS_ONE_STEP_PLAN_H_
