#ifndef TOLLBRIDGE_SERVICES_PAYMENTS_TRANSACTION_PLAN_H_
#define TOLLBRIDGE_SERVICES_PAYMENTS_TRANSACTION_PLAN_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <absl/status/status.h>
#include <boost/asio/awaitable.hpp>

#include "services/base/uuid.h"
#include "services/domain/project.h"
#include "services/operations/identity.h"
#include "services/operations/plan.h"
#include "services/payments/options.h"
#include "services/ports/payment_service.h"

/// What the plans about an order that is there already have in common.
namespace tollbridge::payments {

/// UNIMPLEMENTED, reason EXTENSION_DISABLED.
absl::Status ExtensionDisabled(std::string_view extension);

/// `id`, a UUID, in lower case. An order has one gate, however its id is written.
std::string CanonicalId(std::string_view id);

/// `description` with the operation's mark behind it.
std::string MarkedDescription(std::string_view description, const Uuid& operation);

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
  step.evidence.name = kind.name;
  outgoing.set_order_id(CanonicalId(outgoing.order_id()));
  step.evidence.order_id = outgoing.order_id();
  if constexpr (requires { outgoing.transaction_id(); }) {
    outgoing.set_transaction_id(CanonicalId(outgoing.transaction_id()));
    step.evidence.transaction_id = outgoing.transaction_id();
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

/// The same for a part of a transaction, or of an order: with its amount and, by the setting, the
/// operation's mark in its description.
template <typename Request>
operations::Plan PartPlan(const domain::Project& project, const PaymentOptions& options,
                          const operations::StepKind& kind, Request outgoing,
                          boost::asio::awaitable<ports::Answer> (ports::PaymentService::*send)(
                              const domain::Project&, const Request&, const ports::Context&,
                              const ports::SendGuard&)) {
  const std::int64_t amount = outgoing.amount();
  if (options.mark_descriptions) {
    const Uuid operation = operations::OperationId(project.id, outgoing.idempotency_key());
    outgoing.set_description(MarkedDescription(outgoing.description(), operation));
  }
  operations::Plan plan = OneStepPlan(project, kind, std::move(outgoing), send);
  plan.steps.front().evidence.amount = amount;
  plan.steps.front().evidence.marked = options.mark_descriptions;
  return plan;
}

}  // namespace tollbridge::payments

#endif  // TOLLBRIDGE_SERVICES_PAYMENTS_TRANSACTION_PLAN_H_
