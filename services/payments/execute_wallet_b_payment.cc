#include "services/payments/execute_wallet_b_payment.h"

#include <memory>
#include <string>
#include <utility>

#include <absl/status/status.h>
#include <boost/asio/awaitable.hpp>

#include "base/core/status_macros.h"
#include "services/domain/errors.h"
#include "services/orders/one_step_plan.h"
#include "services/orders/order_view.h"
#include "services/orders/results.h"
#include "services/orders/start_evidence.h"
#include "services/payments/lost_redirect.h"
#include "services/payments/transaction_rules.h"

namespace tollbridge::payments {
namespace {

using operations::StepContext;

/// The answer does not name its order, and its reader must know it.
boost::asio::awaitable<ports::Answer> WithOrderId(boost::asio::awaitable<ports::Answer> sending,
                                                  std::string order_id) {
  ports::Answer answer = co_await std::move(sending);
  const auto* payment =
      google::protobuf::DynamicCastToGenerated<v1::WalletBPayment>(answer.result.get());
  if (payment != nullptr) {
    auto named = std::make_shared<v1::WalletBPayment>(*payment);
    named->mutable_order()->set_id(order_id);
    answer.result = std::move(named);
  }
  co_return answer;
}

absl::StatusOr<operations::PlanResult> ReadAnswer(const domain::Project& project,
                                                  const google::protobuf::Message& last,
                                                  ports::Knowledge knowledge) {
  const auto* payment = google::protobuf::DynamicCastToGenerated<v1::WalletBPayment>(&last);
  const bool recovered = knowledge == operations::v1::KNOWLEDGE_RECOVERED;
  if (payment == nullptr || (!recovered && !payment->has_is_successful())) {
    return absl::DataLossError("the answer does not say whether the payment was taken");
  }
  TB_ASSIGN_OR_RETURN(operations::PlanResult result, orders::ResultOf(project, payment->order()));
  auto response = std::make_shared<v1::ExecuteWalletBPaymentResponse>();
  *response->mutable_payment() = *payment;
  response->set_knowledge(knowledge);
  if (recovered) {
    *response->mutable_payment()->mutable_order() = orders::ForCaller(payment->order());
    response->add_not_recoverable("redirect_url");
    response->set_what_to_do(WhatToDoWithoutRedirect(payment->order()));
  } else {
    response->mutable_payment()->clear_order();
  }
  result.response = std::move(response);
  result.order->own_checkout = true;
  return result;
}

}  // namespace

operations::Plan PlanExecuteWalletBPayment(const domain::Project& project,
                                           const v1::ExecuteWalletBPaymentRequest& request) {
  operations::Plan plan = orders::OneStepPlan(project, orders::ExecuteWalletBStep(), request,
                                              &ports::PaymentService::ExecuteWalletBPayment);
  operations::Step& step = plan.steps.front();
  step.send = [send = std::move(step.send), order_id = step.target.order_id](
                  ports::PaymentService& service, const StepContext& context) {
    return WithOrderId(send(service, context), order_id);
  };
  return plan;
}

operations::MutationSpec ExecuteWalletBPaymentSpec() {
  return {{&orders::ExecuteWalletBStep()}, ReadAnswer};
}

}  // namespace tollbridge::payments
