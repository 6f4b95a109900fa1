#ifndef TOLLBRIDGE_SANDBOX_PAGES_TRANSACTION_PAGE_H_
#define TOLLBRIDGE_SANDBOX_PAGES_TRANSACTION_PAGE_H_

#include "sandbox/pages/site.h"

namespace tollbridge::sandbox {

/// GET /pay/{order}/{transaction}/: how this attempt is paid. A card form; one button for a stored
/// card (one-click); a stand-in of a wallet's sheet; for a payout, that nobody needs to do
/// anything.
http::Response ShowTransaction(const Site& site, const Call& call);
/// POST of the same: `pan`, `expiry`, `cvc` and `name`; or for a wallet `outcome`, approve or
/// decline. 422 and the form again when a field is wrong.
http::Response PayOnPage(const Site& site, const Call& call);

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_PAGES_TRANSACTION_PAGE_H_
