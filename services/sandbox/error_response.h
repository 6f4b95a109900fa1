#ifndef TOLLBRIDGE_SERVICES_SANDBOX_ERROR_RESPONSE_H_
#define TOLLBRIDGE_SERVICES_SANDBOX_ERROR_RESPONSE_H_

#include <string>
#include <string_view>

#include "adapters/http/message.h"

namespace tollbridge::sandbox {

/// An error of the service: {"error": {"status", "type", "value"}} (interface document, section
/// Errors). `value` must not repeat card data.
struct ApiError {
  int status = 500;
  std::string_view type = "ServerError";
  std::string value;
};

http::Response ToResponse(const ApiError& error);

/// The answer to a request that never reaches the service, as the HTTP server asks for it:
/// malformed, too large, too slow.
http::Response ToResponse(int status, std::string_view reason);

/// A JSON answer.
http::Response JsonResponse(int status, std::string body);

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SERVICES_SANDBOX_ERROR_RESPONSE_H_
