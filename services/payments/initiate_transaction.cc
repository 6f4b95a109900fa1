#include "services/payments/initiate_transaction.h"

#include <memory>
#include <utility>

#include "services/base/status_macros.h"
#include "services/domain/errors.h"
#include "services/payments/order_view.h"
#include "services/payments/results.h"
#include "services/payments/start_evidence.h"
#include "services/payments/transaction_plan.h"
#include "services/payments/transaction_rules.h"

namespace tollbridge::payments {
namespace {

absl::StatusOr<operations::PlanResult> ReadResult(const domain::Project& project,
                                                  const google::protobuf::Message& last,
                                                  ports::Knowledge knowledge) {
  TB_ASSIGN_OR_RETURN(const common::v1::Order* order, AsOrder(last));
  TB_ASSIGN_OR_RETURN(operations::PlanResult result, ResultOf(project, *order));
  auto response = std::make_shared<v1::InitiateTransactionResponse>();
  *response->mutable_order() = ForCaller(*order);
  response->set_knowledge(ToWire(knowledge));
  result.response = std::move(response);
  result.order->own_checkout = true;
  return result;
}

}  // namespace

absl::StatusOr<operations::Plan> PlanInitiateTransaction(
    const domain::Projects& projects, const PaymentOptions& /*options*/,
    const v1::InitiateTransactionRequest& request) {
  const domain::Project* project = projects.Find(request.project());
  Violations violations = InitiateTransactionViolations(request, project);
  if (!violations.empty()) return domain::InvalidRequest(std::move(violations));
  return OneStepPlan(*project, InitiateStep(), request,
                     &ports::PaymentService::InitiateTransaction);
}

operations::MutationParts InitiateTransactionParts() { return {{&InitiateStep()}, ReadResult}; }

}  // namespace tollbridge::payments
