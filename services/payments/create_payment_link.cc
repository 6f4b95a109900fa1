#include "services/payments/create_payment_link.h"

#include <memory>
#include <utility>

#include <absl/status/status.h>

#include "services/domain/errors.h"
#include "services/orders/one_step_plan.h"
#include "services/orders/results.h"
#include "services/orders/webhook_url.h"
#include "services/payments/create_order_rules.h"
#include "services/payments/payment_link_view.h"
#include "tollbridge/common/v1/payment_link.pb.h"

namespace tollbridge::payments {
namespace {

absl::StatusOr<operations::PlanResult> ReadAnswer(const domain::Project& /*project*/,
                                                  const google::protobuf::Message& last,
                                                  ports::Knowledge knowledge) {
  const auto* link = google::protobuf::DynamicCastToGenerated<common::v1::PaymentLink>(&last);
  if (link == nullptr || link->id().empty() || link->payment_url().empty()) {
    return absl::DataLossError("the answer holds no link that could be paid");
  }
  auto response = std::make_shared<v1::CreatePaymentLinkResponse>();
  *response->mutable_payment_link() = LinkForCaller(*link);
  response->set_knowledge(knowledge);
  operations::PlanResult result;
  result.response = std::move(response);
  if (link->has_amount()) result.amount = link->amount();
  result.currency = link->currency();
  return result;
}

}  // namespace

Violations CreatePaymentLinkViolations(const v1::CreatePaymentLinkRequest& request,
                                       const domain::Project* project) {
  Violations out;
  // The orders made from the link carry it.
  orders::CheckDescription(request.description(), out);
  CheckHostedMethods(request.payment_methods(), out);
  orders::CheckWebhookUrl(request, project, out);
  return out;
}

const operations::StepKind& CreatePaymentLinkStep() {
  static const operations::StepKind kind = [] {
    operations::StepKind made;
    made.name = "create_payment_link";
    made.on_absence = operations::OnAbsence::kNotExecuted;
    return made;
  }();
  return kind;
}

absl::StatusOr<operations::Plan> PlanCreatePaymentLink(
    const domain::Project& project, const PaymentOptions& options,
    const v1::CreatePaymentLinkRequest& request) {
  if (!options.create_payment_link) return orders::ExtensionDisabled("create_payment_link");

  v1::CreatePaymentLinkRequest outgoing = request;
  orders::SetWebhookUrl(outgoing, project);
  operations::Step create;
  create.kind = &CreatePaymentLinkStep();
  create.target.name = create.kind->name;
  create.target.amount = request.amount();
  create.target.currency = request.currency();
  create.target.merchant_order_id = request.merchant_order_id();
  create.send = [&project, outgoing = std::move(outgoing)](ports::PaymentService& service,
                                                           const operations::StepContext& step) {
    return service.CreatePaymentLink(project, outgoing, step.context, step.guard);
  };
  operations::Plan plan;
  plan.project = &project;
  plan.idempotency_key = request.idempotency_key();
  plan.steps.push_back(std::move(create));
  return plan;
}

operations::MutationSpec CreatePaymentLinkSpec() {
  return {{&CreatePaymentLinkStep()}, ReadAnswer};
}

}  // namespace tollbridge::payments
