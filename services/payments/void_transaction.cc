#include "services/payments/void_transaction.h"

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
                                &v1::VoidTransactionResponse::mutable_void_order);
}

}  // namespace

absl::StatusOr<operations::Plan> PlanVoidTransaction(const domain::Project& project,
                                                     const PaymentOptions& options,
                                                     const v1::VoidTransactionRequest& request) {
  if (request.has_amount() && !options.partial_void)
    return orders::ExtensionDisabled("partial_void");
  constexpr auto kSend = &ports::PaymentService::VoidTransaction;
  if (!request.has_amount()) {
    return orders::OneStepPlan(project, VoidStep(), request, kSend);
  }
  return PartPlan(project, options, PartialVoidStep(), request, kSend);
}

operations::MutationSpec VoidTransactionSpec() {
  return {{&VoidStep(), &PartialVoidStep()}, ReadAnswer};
}

}  // namespace tollbridge::payments
