#ifndef TOLLBRIDGE_SANDBOX_PAGES_LINK_PAGE_H_
#define TOLLBRIDGE_SANDBOX_PAGES_LINK_PAGE_H_

#include "sandbox/pages/site.h"

namespace tollbridge::sandbox {

/// GET /pay/link/{link}/: a payment link's payment_url. What is to be paid, how it stands, and
/// while it can be paid the choice of a method (docs/interface.md#payment-link-statuses).
http::Response ShowLink(const Site& site, const Call& call);
/// POST of the same, `method`: begins an attempt, or leads to the one that is open.
http::Response StartLinkAttempt(const Site& site, const Call& call);

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_PAGES_LINK_PAGE_H_
