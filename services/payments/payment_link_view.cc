#include "services/payments/payment_link_view.h"

#include "services/domain/order_view.h"

namespace tollbridge::payments {

common::v1::PaymentLink LinkForCaller(common::v1::PaymentLink link) {
  if (link.has_webhook_url()) link.set_webhook_url(domain::MaskUrl(link.webhook_url()));
  return link;
}

}  // namespace tollbridge::payments
