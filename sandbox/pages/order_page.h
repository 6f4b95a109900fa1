#ifndef TOLLBRIDGE_SANDBOX_PAGES_ORDER_PAGE_H_
#define TOLLBRIDGE_SANDBOX_PAGES_ORDER_PAGE_H_

#include "sandbox/pages/site.h"

namespace tollbridge::sandbox {

/// GET /pay/{order}/: the choice of a method. An order that has its transaction goes on to that.
http::Response ShowOrder(const Site& site, const Call& call);
/// POST /pay/{order}/: `method`, or `action=cancel`.
http::Response ChooseMethod(const Site& site, const Call& call);

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_PAGES_ORDER_PAGE_H_
