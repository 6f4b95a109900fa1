#include "services/payments/capture_transaction.h"

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
                                &v1::CaptureTransactionResponse::mutable_capture_order);
}

}  // namespace

absl::StatusOr<operations::Plan> PlanCaptureTransaction(
    const domain::Project& project, const PaymentOptions& options,
    const v1::CaptureTransactionRequest& request) {
  if (request.has_amount() && !options.partial_capture)
    return orders::ExtensionDisabled("partial_capture");
  constexpr auto kSend = &ports::PaymentService::CaptureTransaction;
  if (!request.has_amount()) {
    return orders::OneStepPlan(project, CaptureStep(), request, kSend);
  }
  return PartPlan(project, options, PartialCaptureStep(), request, kSend);
}

operations::MutationSpec CaptureTransactionSpec() {
  return {{&CaptureStep(), &PartialCaptureStep()}, ReadAnswer};
}

}  // namespace tollbridge::payments
