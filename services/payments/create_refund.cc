#include "services/payments/create_refund.h"

#include <utility>

#include "services/domain/errors.h"
#include "services/orders/results.h"
#include "services/payments/follow_up_evidence.h"
#include "services/payments/part_plan.h"
#include "services/payments/transaction_rules.h"

namespace tollbridge::payments {
namespace {

absl::StatusOr<operations::PlanResult> ReadAnswer(const domain::Project& project,
                                                  const google::protobuf::Message& last,
                                                  ports::Knowledge knowledge) {
  return orders::FollowUpResult(project, last, knowledge,
                                &v1::CreateRefundResponse::mutable_refund_order);
}

}  // namespace

absl::StatusOr<operations::Plan> PlanCreateRefund(const domain::Project& project,
                                                  const PaymentOptions& options,
                                                  const v1::CreateRefundRequest& request) {
  if (!options.create_refund) return orders::ExtensionDisabled("create_refund");
  operations::Plan plan =
      PartPlan(project, options, RefundStep(), request, &ports::PaymentService::CreateRefund);
  plan.money = {.kind = operations::MoneyKind::kRefunds, .amount = request.amount()};
  return plan;
}

operations::MutationSpec CreateRefundSpec() { return {{&RefundStep()}, ReadAnswer}; }

}  // namespace tollbridge::payments
