#ifndef TOLLBRIDGE_SANDBOX_PAGES_MERCHANT_OVERVIEW_H_
#define TOLLBRIDGE_SANDBOX_PAGES_MERCHANT_OVERVIEW_H_

#include <boost/json/array.hpp>

#include "sandbox/pages/site.h"

namespace tollbridge::sandbox {

/// GET /_sandbox/: counts, the last 50 orders, the last 20 of `deliveries`, the test cards.
http::Response ShowOverview(const Site& site, const boost::json::array& deliveries);

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_PAGES_MERCHANT_OVERVIEW_H_
