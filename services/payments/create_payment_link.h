#ifndef TOLLBRIDGE_SERVICES_PAYMENTS_CREATE_PAYMENT_LINK_H_
#define TOLLBRIDGE_SERVICES_PAYMENTS_CREATE_PAYMENT_LINK_H_

#include <string_view>

#include <absl/status/statusor.h>

#include "services/domain/project.h"
#include "services/operations/plan.h"
#include "services/payments/options.h"
#include "services/payments/transaction_rules.h"
#include "tollbridge/payments/v1/payments.pb.h"

namespace tollbridge::payments {

/// What the request breaks beyond the rules of its fields. `project` is nullptr when it names none
/// that is configured.
Violations CreatePaymentLinkViolations(const v1::CreatePaymentLinkRequest& request,
                                       const domain::Project* project);

/// The step `create_payment_link`; its result is a common.v1.PaymentLink. A link cannot be found
/// again; one whose payment_url nobody has cannot be paid, so the key may run again at once
/// (docs/design/operations.md#evidence).
const operations::StepKind& CreatePaymentLinkStep();

/// Payments.CreatePaymentLink as a plan of one step, POST /v1/paymentlinks/. UNIMPLEMENTED, reason
/// EXTENSION_DISABLED, unless options.create_payment_link. What is sent is the request with the
/// project's webhook_url.
absl::StatusOr<operations::Plan> PlanCreatePaymentLink(const domain::Project& project,
                                                       const PaymentOptions& options,
                                                       const v1::CreatePaymentLinkRequest& request);

/// Its step, and how its result is read: DATA_LOSS without id or payment_url.
operations::MutationSpec CreatePaymentLinkSpec();

}  // namespace tollbridge::payments

#endif  // TOLLBRIDGE_SERVICES_PAYMENTS_CREATE_PAYMENT_LINK_H_
