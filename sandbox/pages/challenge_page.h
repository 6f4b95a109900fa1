#ifndef TOLLBRIDGE_SANDBOX_PAGES_CHALLENGE_PAGE_H_
#define TOLLBRIDGE_SANDBOX_PAGES_CHALLENGE_PAGE_H_

#include "sandbox/pages/site.h"

namespace tollbridge::sandbox {

/// GET /pay/{order}/{transaction}/challenge/: what the card's issuer shows for 3-D Secure, while
/// the transaction is `pending`.
http::Response ShowChallenge(const Site& site, const Call& call);
/// POST of the same: `outcome` is `pass` or `fail`.
http::Response EndChallenge(const Site& site, const Call& call);

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_PAGES_CHALLENGE_PAGE_H_
