#ifndef TOLLBRIDGE_SERVICES_PAYMENTS_GET_PAYMENT_LINK_H_
#define TOLLBRIDGE_SERVICES_PAYMENTS_GET_PAYMENT_LINK_H_

#include "base/core/async.h"
#include "services/domain/project.h"
#include "services/ports/context.h"
#include "services/ports/payment_service.h"
#include "tollbridge/payments/v1/payments.pb.h"

namespace tollbridge::payments {

/// Payments.GetPaymentLink: the link as the payment service shows it now, as callers see it
/// (payment_link_view.h). Errors are those of PaymentService::GetPaymentLink.
Async<v1::GetPaymentLinkResponse> GetPaymentLink(ports::PaymentService& service,
                                                 const domain::Project& project,
                                                 const v1::GetPaymentLinkRequest& request,
                                                 ports::Context context);

}  // namespace tollbridge::payments

#endif  // TOLLBRIDGE_SERVICES_PAYMENTS_GET_PAYMENT_LINK_H_
