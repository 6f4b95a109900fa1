#ifndef TOLLBRIDGE_SERVICES_PAYMENTS_PAYMENT_LINK_VIEW_H_
#define TOLLBRIDGE_SERVICES_PAYMENTS_PAYMENT_LINK_VIEW_H_

#include "tollbridge/common/v1/payment_link.pb.h"

namespace tollbridge::payments {

/// The link as callers see it: with webhook_url masked.
common::v1::PaymentLink LinkForCaller(common::v1::PaymentLink link);

}  // namespace tollbridge::payments

#endif  // TOLLBRIDGE_SERVICES_PAYMENTS_PAYMENT_LINK_VIEW_H_
