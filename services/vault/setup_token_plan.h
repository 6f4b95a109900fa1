#ifndef TOLLBRIDGE_SERVICES_VAULT_SETUP_TOKEN_PLAN_H_
#define TOLLBRIDGE_SERVICES_VAULT_SETUP_TOKEN_PLAN_H_

#include <string>
#include <utility>

#include <boost/asio/awaitable.hpp>

#include "services/domain/project.h"
#include "services/operations/plan.h"
#include "services/ports/payment_service.h"
#include "services/vault/card_data.h"

/// What both mutations of the service Vault have in common: they spend a single-use setup_token,
/// and what they do cannot be read back (docs/design/operations.md#evidence). The token is the
/// guard: a second run is refused.
namespace tollbridge::vault {

/// A step of that kind.
operations::StepKind SetupTokenStep(std::string name);

/// The endpoint's function.
template <typename Request>
using SendFunction = boost::asio::awaitable<ports::Answer> (ports::PaymentService::*)(
    const domain::Project&, const Request&, const ports::Context&, const ports::SendGuard&);

/// Sends what is held and wipes its card data: a plan's step is sent once.
template <typename Request>
boost::asio::awaitable<ports::Answer> SendAndWipe(ports::PaymentService& service,
                                                  const domain::Project& project,
                                                  SendFunction<Request> send,
                                                  CardRequest<Request> card,
                                                  operations::StepContext step) {
  ports::Answer answer =
      co_await (service.*send)(project, card.request(), step.context, step.guard);
  card.Wipe();
  co_return answer;
}

/// A plan of one step, about no order: no gate, and no entry for the reader.
template <typename Request>
operations::Plan SetupTokenPlan(const domain::Project& project, const operations::StepKind& kind,
                                const Request& request, std::string* (Request::*card_data)(),
                                SendFunction<Request> send) {
  operations::Step step;
  step.kind = &kind;
  step.target.name = kind.name;
  step.send = [&project, send, card = CardRequest<Request>(request, card_data)](
                  ports::PaymentService& service, const operations::StepContext& context) {
    return SendAndWipe<Request>(service, project, send, card, context);
  };
  operations::Plan plan;
  plan.project = &project;
  plan.idempotency_key = request.idempotency_key();
  plan.steps.push_back(std::move(step));
  return plan;
}

}  // namespace tollbridge::vault

#endif  // TOLLBRIDGE_SERVICES_VAULT_SETUP_TOKEN_PLAN_H_
