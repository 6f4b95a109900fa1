#ifndef TOLLBRIDGE_SERVICES_SANDBOX_HTML_H_
#define TOLLBRIDGE_SERVICES_SANDBOX_HTML_H_

#include <string>
#include <string_view>

#include "adapters/http/message.h"

namespace tollbridge::sandbox {

/// Text made safe for element content and quoted attribute values.
std::string EscapeHtml(std::string_view text);

/// A whole page around a body that is HTML already. The title is escaped here.
http::Response HtmlResponse(int status, std::string_view title, std::string_view body);

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SERVICES_SANDBOX_HTML_H_
