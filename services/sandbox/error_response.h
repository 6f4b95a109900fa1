#ifndef TOLLBRIDGE_SERVICES_SANDBOX_ERROR_RESPONSE_H_
#define TOLLBRIDGE_SERVICES_SANDBOX_ERROR_RESPONSE_H_

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

/// A JSON answer.
http::Response JsonResponse(int status, std::string body);

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SERVICES_SANDBOX_ERROR_RESPONSE_H_
