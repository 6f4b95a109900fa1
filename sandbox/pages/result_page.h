#ifndef TOLLBRIDGE_SANDBOX_PAGES_RESULT_PAGE_H_
#define TOLLBRIDGE_SANDBOX_PAGES_RESULT_PAGE_H_

#include "sandbox/pages/site.h"

namespace tollbridge::sandbox {

/// GET /pay/{order}/result/: how the order ended, or how it stands, and where to go on.
http::Response ShowResult(const Site& site, const Call& call);

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_PAGES_RESULT_PAGE_H_
