#ifndef TOLLBRIDGE_SANDBOX_PAGES_SAME_ORIGIN_H_
#define TOLLBRIDGE_SANDBOX_PAGES_SAME_ORIGIN_H_

#include "base/http/message.h"

namespace tollbridge::sandbox {

/// Whether a form can have come from a page of this server, so that no other page which the
/// operator happens to look at can press the buttons. Sec-Fetch-Site decides where it is sent; else
/// Origin, else Referer, against Host. A request with none of them comes from no browser and is let
/// through.
bool IsFromOwnPage(const http::Headers& headers);

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_PAGES_SAME_ORIGIN_H_
