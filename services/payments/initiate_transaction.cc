#include "services/payments/initiate_transaction.h"

#include <memory>
#include <utility>

#include "base/core/status_macros.h"
#include "services/domain/errors.h"
#include "services/domain/order_view.h"
#include "services/orders/one_step_plan.h"
#include "services/orders/results.h"
#include "services/orders/start_evidence.h"
#include "services/payments/transaction_rules.h"

namespace tollbridge::payments {
namespace {

absl::StatusOr<operations::PlanResult> ReadAnswer(const domain::Project& project,
                                                  const google::protobuf::Message& last,
                                                  ports::Knowledge knowledge) {
  TB_ASSIGN_OR_RETURN(const common::v1::Order* order, orders::AsOrder(last));
  TB_ASSIGN_OR_RETURN(operations::PlanResult result, orders::ResultOf(project, *order));
  auto response = std::make_shared<v1::InitiateTransactionResponse>();
  *response->mutable_order() = domain::ForCaller(*order);
  response->set_knowledge(knowledge);
  result.response = std::move(response);
  result.order->own_checkout = true;
  return result;
}

}  // namespace

operations::Plan PlanInitiateTransaction(const domain::Project& project,
                                         const v1::InitiateTransactionRequest& request) {
  operations::Plan plan = orders::OneStepPlan(project, orders::InitiateStep(), request,
                                              &ports::PaymentService::InitiateTransaction);
  plan.money = NoPayout();
  return plan;
}

operations::MutationSpec InitiateTransactionSpec() {
  return {{&orders::InitiateStep()}, ReadAnswer};
}

}  // namespace tollbridge::payments
