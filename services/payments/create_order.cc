#include "services/payments/create_order.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <google/protobuf/message.h>
#include <boost/asio/awaitable.hpp>

#include "base/core/status_macros.h"
#include "base/core/uuid.h"
#include "services/domain/errors.h"
#include "services/domain/order_view.h"
#include "services/operations/identity.h"
#include "services/orders/create_order_evidence.h"
#include "services/orders/marked_order.h"
#include "services/orders/results.h"
#include "services/payments/create_order_rules.h"
#include "tollbridge/common/v1/order.pb.h"

namespace tollbridge::payments {
namespace {

using operations::PlanResult;
using operations::StepContext;

/// Whether the answer to its creation held a setup_token: cards, and wallet B, which pays with one.
bool HadSetupToken(const common::v1::Transaction& transaction) {
  const common::v1::PaymentMethodDetails& details = transaction.payment_method_details();
  if (details.has_setup_token()) return true;
  const bool takes_card = transaction.payment_method().starts_with("credit-card") ||
                          transaction.payment_method() == "wallet-b-pay";
  return takes_card && !details.has_vault_token() && details.one_click_type() != "one-click" &&
         transaction.status() == common::v1::TRANSACTION_STATUS_NEW;
}

/// docs/design/operations.md#rule-15.
void DropUnrecoverable(v1::CreateOrderResponse& response) {
  common::v1::Order& order = *response.mutable_order();
  bool lost = false;
  for (common::v1::Transaction& transaction : *order.mutable_transactions()) {
    if (!HadSetupToken(transaction)) continue;
    lost = true;
    transaction.mutable_payment_method_details()->clear_setup_token();
  }
  if (!lost) return;
  response.add_not_recoverable("setup_token");
  response.set_what_to_do(orders::HasPaymentUrl(order)
                              ? "send the customer to the transaction's payment_url, or create a "
                                "new order with a new key and drop this one"
                              : "create a new order with a new key and drop this one");
}

absl::StatusOr<PlanResult> ReadAnswer(const domain::Project& project,
                                      const google::protobuf::Message& last,
                                      ports::Knowledge knowledge) {
  TB_ASSIGN_OR_RETURN(const common::v1::Order* order, orders::AsOrder(last));
  TB_ASSIGN_OR_RETURN(PlanResult result, orders::ResultOf(project, *order));
  auto response = std::make_shared<v1::CreateOrderResponse>();
  *response->mutable_order() = domain::ForCaller(*order);
  response->set_knowledge(knowledge);
  if (knowledge == operations::v1::KNOWLEDGE_RECOVERED) DropUnrecoverable(*response);
  result.response = std::move(response);
  result.created_order = true;
  return result;
}

}  // namespace

operations::Plan PlanCreateOrder(const domain::Project& project,
                                 const v1::CreateOrderRequest& request) {
  const Uuid operation_id = operations::OperationId(project.id, request.idempotency_key());
  const auto outgoing = std::make_shared<v1::CreateOrderRequest>(request);
  orders::CompleteOrder(*outgoing, project, operation_id);

  operations::Step create;
  create.kind = &orders::CreateOrderStep();
  create.target.name = create.kind->name;
  create.target.amount = request.amount();
  create.target.currency = request.currency();
  create.target.merchant_order_id = outgoing->merchant_order_id();
  create.send = [&project, outgoing](ports::PaymentService& service, const StepContext& step) {
    return orders::SendMarkedOrder(service, project, outgoing, step);
  };

  operations::Plan plan;
  plan.project = &project;
  plan.idempotency_key = request.idempotency_key();
  if (request.transactions_size() > 0) plan.capture_mode = request.transactions(0).capture_mode();
  plan.steps.push_back(std::move(create));
  return plan;
}

operations::MutationSpec CreateOrderSpec() { return {{&orders::CreateOrderStep()}, ReadAnswer}; }

}  // namespace tollbridge::payments
