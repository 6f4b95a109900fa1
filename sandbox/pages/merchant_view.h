#ifndef TOLLBRIDGE_SANDBOX_PAGES_MERCHANT_VIEW_H_
#define TOLLBRIDGE_SANDBOX_PAGES_MERCHANT_VIEW_H_

#include <string>

#include "sandbox/pages/site.h"

namespace tollbridge::sandbox {

/// GET /_sandbox/view/{order}/: the order with its transactions, their events and the orders that
/// are related to it.
http::Response ShowView(const Site& site, const Call& call);
/// POST of the same: `action` is approve, decline, expire, refund, chargeback or reversal, the last
/// three with an optional `amount` in the smallest unit. 403 for a form of another site's page.
http::Response Act(const Site& site, const Call& call);

/// A link to the page of an order, as HTML.
std::string ViewLink(const Uuid& order);

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_PAGES_MERCHANT_VIEW_H_
