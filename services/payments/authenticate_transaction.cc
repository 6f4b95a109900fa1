#include "services/payments/authenticate_transaction.h"

#include <memory>
#include <utility>

#include <absl/status/status.h>

#include "base/core/status_macros.h"
#include "services/domain/errors.h"
#include "services/domain/order_view.h"
#include "services/orders/one_step_plan.h"
#include "services/orders/results.h"
#include "services/orders/start_evidence.h"
#include "services/payments/lost_redirect.h"
#include "services/payments/transaction_rules.h"

namespace tollbridge::payments {
namespace {

using common::v1::Transaction;

/// docs/design/operations.md#rule-15. The record does not say which values were sent, so the
/// transaction must.
void DropUnrecoverable(v1::AuthenticateTransactionResponse& response) {
  const common::v1::Order& order = response.order();
  for (const Transaction& transaction : order.transactions()) {
    if (transaction.status() == common::v1::TRANSACTION_STATUS_NEW) continue;
    // Processed directly, with the values of external 3-D Secure: there was no redirect_url.
    if (transaction.payment_method_details().has_external_authentication_details()) return;
  }
  response.add_not_recoverable("redirect_url");
  response.set_what_to_do(WhatToDoWithoutRedirect(order));
}

absl::StatusOr<operations::PlanResult> ReadAnswer(const domain::Project& project,
                                                  const google::protobuf::Message& last,
                                                  ports::Knowledge knowledge) {
  const auto* answer = google::protobuf::DynamicCastToGenerated<v1::AuthenticateAnswer>(&last);
  if (answer == nullptr) return absl::DataLossError("the answer is not one to authenticate");
  TB_ASSIGN_OR_RETURN(operations::PlanResult result, orders::ResultOf(project, answer->order()));
  auto response = std::make_shared<v1::AuthenticateTransactionResponse>();
  *response->mutable_order() = domain::ForCaller(answer->order());
  response->set_knowledge(knowledge);
  if (answer->has_redirect_url()) response->set_redirect_url(answer->redirect_url());
  if (knowledge == operations::v1::KNOWLEDGE_RECOVERED) DropUnrecoverable(*response);
  result.response = std::move(response);
  result.order->own_checkout = true;
  return result;
}

}  // namespace

operations::Plan PlanAuthenticateTransaction(const domain::Project& project,
                                             const v1::AuthenticateTransactionRequest& request) {
  operations::Plan plan = orders::OneStepPlan(project, orders::AuthenticateStep(), request,
                                              &ports::PaymentService::AuthenticateTransaction);
  plan.money = NoPayout();
  return plan;
}

operations::MutationSpec AuthenticateTransactionSpec() {
  return {{&orders::AuthenticateStep()}, ReadAnswer};
}

}  // namespace tollbridge::payments
