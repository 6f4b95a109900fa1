#ifndef TOLLBRIDGE_SERVICES_PAYMENTS_PART_PLAN_H_
#define TOLLBRIDGE_SERVICES_PAYMENTS_PART_PLAN_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <boost/asio/awaitable.hpp>

#include "base/core/uuid.h"
#include "services/domain/project.h"
#include "services/operations/identity.h"
#include "services/operations/plan.h"
#include "services/orders/one_step_plan.h"
#include "services/payments/options.h"
#include "services/ports/payment_service.h"

namespace tollbridge::payments {

/// `description` with the operation's mark before it: a service that keeps less text than it takes
/// cuts the end.
std::string MarkedDescription(std::string_view description, const Uuid& operation);

/// A plan of one step about a part of a transaction, or of an order: with its amount and, by the
/// setting, the operation's mark in its description.
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
  operations::Plan plan = orders::OneStepPlan(project, kind, std::move(outgoing), send);
  plan.steps.front().target.amount = amount;
  plan.steps.front().target.marked = options.mark_descriptions;
  return plan;
}

}  // namespace tollbridge::payments

#endif  // TOLLBRIDGE_SERVICES_PAYMENTS_PART_PLAN_H_
