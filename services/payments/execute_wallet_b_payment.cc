#include "services/payments/execute_wallet_b_payment.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include <absl/status/status.h>
#include <boost/asio/awaitable.hpp>

#include "base/core/status_macros.h"
#include "services/domain/errors.h"
#include "services/domain/order_view.h"
#include "services/domain/refusal.h"
#include "services/orders/one_step_plan.h"
#include "services/orders/results.h"
#include "services/orders/start_evidence.h"
#include "services/payments/lost_redirect.h"
#include "services/payments/transaction_rules.h"

namespace tollbridge::payments {
namespace {

using operations::StepContext;

/// Why nothing is sent: the order could not be read, or the project has none of this id.
ports::Answer NotOfOwnOrder(const absl::Status& read) {
  ports::Answer answer;
  if (domain::SaysOrderNotFound(read)) {
    answer.fate = ports::Answer::Fate::kRefused;
    answer.refusal.http_status = 404;
    answer.refusal.type = "NotFound";
  } else {
    answer.fate = ports::Answer::Fate::kNotSent;
    answer.cause = "the order could not be read before";
    answer.heard = answer.cause + ": " + std::string(read.message());
  }
  return answer;
}

/// The endpoint takes no credentials (docs/interface.md#authentication), and pays whoever's order
/// it is: so the order is read first, with those of the project. The answer does not name its
/// order, and its reader must know it.
boost::asio::awaitable<ports::Answer> PayOwnOrder(ports::PaymentService& service,
                                                  const domain::Project& project,
                                                  const decltype(operations::Step::send)& send,
                                                  std::string order_id,
                                                  const StepContext& context) {
  ports::Context reading = context.context;
  reading.deadline = std::min(reading.deadline, context.guard.write_before);
  const absl::StatusOr<common::v1::Order> order =
      co_await service.GetOrder(project, order_id, reading);
  if (!order.ok()) co_return NotOfOwnOrder(order.status());
  ports::Answer answer = co_await send(service, context);
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
    *response->mutable_payment()->mutable_order() = domain::ForCaller(payment->order());
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
  step.send = [&project, send = std::move(step.send), order_id = step.target.order_id](
                  ports::PaymentService& service, const StepContext& context) {
    return PayOwnOrder(service, project, send, order_id, context);
  };
  return plan;
}

operations::MutationSpec ExecuteWalletBPaymentSpec() {
  return {{&orders::ExecuteWalletBStep()}, ReadAnswer};
}

}  // namespace tollbridge::payments
